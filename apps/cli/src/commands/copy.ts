import { escapeText } from "@workrail/process";
import { copyStore, type CopyStoreResult } from "@workrail/runtime";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, warningsOnly } from "../with-store.ts";

interface CopyOptions extends GlobalOptions {
  readonly from?: string;
  readonly to: string;
}

const EXAMPLES = `
Example:
  workrail copy --to new-place
`;

/** `workrail copy`: copies a whole store to another place, and prints the place. */
export function addCopyCommand(program: Command): void {
  program
    .command("copy")
    .summary("copy the whole store to another place")
    .description("Copies a store exactly, with its audit log and keys, and compares both. Run it again to continue an interrupted copy.")
    .option("--from <place>", "store to copy; default: the configured store", parsePath)
    .requiredOption("--to <place>", "new or empty directory, URL of an empty database, or an earlier copy", parsePath)
    .addHelpText("after", EXAMPLES)
    .action(async (_options: CopyOptions, command: Command) => copy(command.optsWithGlobals()));
}

async function copy({ from, to, ...options }: CopyOptions): Promise<void> {
  const given = { from, to, args: settingArgs(options), adapters: { log: warningsOnly(options.json === true) } };
  const result = await untilInterrupted((signal) =>
    showingProgress("Files compared:", (onProgress) => copyStore({ ...given, signal, onProgress })),
  );
  // The copy equals the source; the exit code reports files missing from both.
  if (result.missing.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  if (!result.isComplete) process.exitCode = INTERRUPTED;
  await (options.json ? writeJson(result) : tell(result));
}

async function tell({ to, checkpoints, trashed, sessions, auditRows, blobs, bytes, missing, isComplete }: CopyStoreResult): Promise<void> {
  if (!isComplete) return note("Interrupted. Run it again to continue.");
  const inTrash = trashed === 0 ? "" : `, in the trash: ${trashed}`;
  note(`Copied checkpoints: ${checkpoints}${inTrash}, in sessions: ${sessions}, with rows of the audit log: ${auditRows}.`);
  note(`Files written: ${blobs} (${formatBytes(bytes)}). Everything was read back and compared.`);
  if (missing.length > 0) note(`Checkpoints whose file is missing in the source: ${missing.length}.`);
  for (const { sessionId, checkpointId } of missing) note(`  ${checkpointId} of session ${sessionId}`);
  await writeData(`${escapeText(to)}\n`);
}
