import type { Command } from "commander";
import { parsePath, parseWhole } from "../parse-option.ts";
import type { GlobalOptions } from "../with-store.ts";

interface UiOptions extends GlobalOptions {
  readonly write?: true;
  readonly open: boolean;
  readonly port?: number;
  readonly export?: string;
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail ui
  workrail ui --write --no-open
  workrail ui --export my-task.html --session my-task
`;

/** `workrail ui`: shows the store in the browser. */
export function addUiCommand(program: Command): void {
  program
    .command("ui")
    .summary("see sessions, changes and resumes in the browser")
    .description(
      "Opens a page that shows what was saved: the timeline of each session, what changed between any two checkpoints, and what an agent gets when it resumes. It is served on this machine only, to one browser, until you press Ctrl-C.",
    )
    .option("--write", "allow changes on the page: go back to a state, name, pin, tag, protect, delete to the trash; default: read-only")
    .option("--no-open", "print the link instead of opening the browser")
    .option("--port <number>", "port to listen at; default: any free one", parseWhole)
    .option("--export <file>", "write a page of one session to this file instead, with secrets replaced, for others to see", parsePath)
    .option("--session <id>", "session to export")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: UiOptions, command: Command) => {
      const options: UiOptions = command.optsWithGlobals();
      const { showPage } = await import("../ui/show-page.ts");
      await showPage(options);
    });
}
