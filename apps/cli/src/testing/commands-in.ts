import type { Command } from "commander";

/** The commands that do something, by their whole names. */
export function commandsIn(parent: Command, prefix = ""): readonly string[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length === 0 ? [name] : commandsIn(command, `${name} `);
  });
}
