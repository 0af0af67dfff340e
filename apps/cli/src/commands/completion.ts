import { Argument, type Command } from "commander";
import type { Shell } from "../completion-scripts.ts";
import { writeData, writeJson } from "../print.ts";
import type { GlobalOptions } from "../with-store.ts";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];

const EXAMPLES = `
Examples:
  workrail completion bash > workrail-completion.bash
  workrail completion zsh > _workrail
`;

/** `workrail completion`: prints the script with which a shell completes commands and options. */
export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .summary("print a shell's completion script")
    .description("Prints a script that makes a shell complete commands, options and values. Each shell loads it from a different place.")
    .addArgument(new Argument("<shell>", "shell that loads the script").choices(SHELLS))
    .addHelpText("after", EXAMPLES)
    .action(async (shell: Shell, _options: GlobalOptions, command: Command) =>
      completion(shell, program.name(), command.optsWithGlobals()),
    );
}

async function completion(shell: Shell, name: string, { json }: GlobalOptions): Promise<void> {
  const { completionScript } = await import("../completion-scripts.ts");
  const script = completionScript(shell, name);
  await (json ? writeJson({ shell, script }) : writeData(script));
}
