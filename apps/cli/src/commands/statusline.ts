import type { Command } from "commander";
import { mustComeFirst } from "../must-come-first.ts";

/** `workrail statusline`: a program of its own, which the launcher starts. Here it is only described. */
export function addStatuslineCommand(program: Command): void {
  program
    .command("statusline")
    .summary("print one line on the automatic saves of a session")
    .description(
      "For agents that show the output of a command, such as the status line of Claude Code, with their JSON on standard input. Without it, " +
        "the line is about the newest session of this repository. The store is not opened.",
    )
    .addHelpText("after", "\nExample:\n  workrail statusline\n")
    .action(() => {
      throw mustComeFirst("statusline");
    });
}
