import type { Command } from "commander";
import { onlySession } from "../given-session.ts";
import { note, writeJson } from "../print.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

interface KeepOptions extends GlobalOptions {
  readonly session?: string;
  readonly off?: true;
}

const EXAMPLES = `
Examples:
  workrail keep my-task
  workrail keep my-task --off
`;

/** `workrail keep`: protects a session from clean-up. */
export function addKeepCommand(program: Command): void {
  program
    .command("keep")
    .summary("protect a session from clean-up")
    .description("Tags a session `keep`. Its checkpoints are then removed only with --include-kept.")
    .argument("[session]", "session to keep")
    .option("--session <id>", "the same as [session]")
    .option("--off", "remove the protection")
    .addHelpText("after", EXAMPLES)
    .action(async (session: string | undefined, _options: KeepOptions, command: Command) => keep(session, command.optsWithGlobals()));
}

async function keep(word: string | undefined, options: KeepOptions): Promise<void> {
  const session = onlySession(word, options);
  const kept = await withStore(options, (store) => store.keepSession(session, options.off !== true), { create: false });
  if (options.json) return writeJson(kept);
  note(options.off === true ? `Session ${session} is no longer kept.` : `Session ${session} is kept.`);
}
