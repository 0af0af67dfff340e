import type { Command } from "commander";

/** Returns the full names of all executable commands. */
export function commandsIn(parent: Command, prefix = ""): readonly string[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length === 0 ? [name] : commandsIn(command, `${name} `);
  });
}
