import { escapeText } from "@workrail/process";
import { syncStore, type SyncStoreResult } from "@workrail/runtime";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, warningsOnly } from "../with-store.ts";

interface SyncOptions extends GlobalOptions {
  readonly from?: string;
  readonly to: string;
}

const EXAMPLES = `
Example:
  workrail sync --to team-store
`;

/** `workrail sync`: pushes new checkpoints to another store, and prints the ids of the forks. */
export function addSyncCommand(program: Command): void {
  program
    .command("sync")
    .summary("push new checkpoints to another store")
    .description("Pushes each checkpoint that the other store never had, in order, with its id and time. Both stores may be in use.")
    .option("--from <place>", "store with the checkpoints; default: the configured store", parsePath)
    .requiredOption("--to <place>", "store to push to", parsePath)
    .addHelpText("after", EXAMPLES)
    .action(async (_options: SyncOptions, command: Command) => sync(command.optsWithGlobals()));
}

async function sync({ from, to, ...options }: SyncOptions): Promise<void> {
  const given = { from, to, args: settingArgs(options), adapters: { log: warningsOnly(options.json === true) } };
  const result = await untilInterrupted((signal) =>
    showingProgress("Checkpoints compared:", (onProgress) => syncStore({ ...given, signal, onProgress })),
  );
  if (result.refused.length > 0) process.exitCode = EXIT_CODES.CONFLICT;
  if (!result.isComplete) process.exitCode = INTERRUPTED;
  await (options.json ? writeJson(result) : tell(result));
}

async function tell({ pushed, present, removedThere, forks, renamed, refused, isComplete }: SyncStoreResult): Promise<void> {
  note(`Pushed checkpoints: ${pushed}. The other store had ${present} already.`);
  if (removedThere > 0) note(`Removed there earlier, and not pushed again: ${removedThere}.`);
  for (const { checkpointId, now } of renamed) note(`The id was taken: ${escapeText(checkpointId)} has the id ${escapeText(now)} there.`);
  for (const { sessionId, checkpointId, parentId, head } of forks) {
    const place = parentId === null ? "starts the session anew" : `continues ${parentId}`;
    note(
      `Fork in session ${escapeText(sessionId)}: ${escapeText(checkpointId)} ${escapeText(place)}, and others had saved up to ${escapeText(head)}.`,
    );
  }
  for (const { checkpointId, code, message } of refused) note(`Not pushed: ${escapeText(checkpointId)}. ${code}: ${escapeText(message)}`);
  if (!isComplete) note("Interrupted. Run it again to continue.");
  for (const { checkpointId } of forks) await writeData(`${escapeText(checkpointId)}\n`);
}
