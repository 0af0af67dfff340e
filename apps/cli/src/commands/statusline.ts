import type { Command } from "commander";
import { nameNotFirst } from "../name-not-first.ts";

/** Describes `workrail statusline` for the help. The launcher starts it as a separate program. */
export function addStatuslineCommand(program: Command): void {
  program
    .command("statusline")
    .summary("print one line about the automatic saves of a session")
    .description(
      "Prints one line for the status line of an agent, such as Claude Code, from the agent's JSON on standard input. Without JSON, " +
        "the line describes the newest session of this repository. Does not open the store.",
    )
    .addHelpText("after", "\nExample:\n  workrail statusline\n")
    .action(() => {
      throw nameNotFirst("statusline");
    });
}
