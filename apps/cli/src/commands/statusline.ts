import type { Command } from "commander";
import { mustComeFirst } from "../must-come-first.ts";

/** Describes `workrail statusline` for the help. The launcher starts it as a separate program. */
export function addStatuslineCommand(program: Command): void {
  program
    .command("statusline")
    .summary("print one line on the automatic saves of a session")
    .description(
      "For agents that show the output of a command, such as the status line of Claude Code, with the agent's JSON on standard input. Without JSON, " +
        "the line is about the newest session of this repository. The store is not opened.",
    )
    .addHelpText("after", "\nExample:\n  workrail statusline\n")
    .action(() => {
      throw mustComeFirst("statusline");
    });
}
