import { escapeText } from "@workrail/process";
import type { BackupResult } from "@workrail/runtime";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { countingByPhase, showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

const EXAMPLES = `
Example:
  workrail backup my-backup-2026-01-31
`;

/** `workrail backup`: copies the store to a new directory, verifies the copy, and prints its path. */
export function addBackupCommand(program: Command): void {
  program
    .command("backup")
    .summary("copy the whole store to a new directory")
    .description("Copies the whole store to a new directory, and verifies the copy. The store may be in use.")
    .argument("<directory>", "new or empty directory", parsePath)
    .addHelpText("after", EXAMPLES)
    .action(async (directory: string, _options: GlobalOptions, command: Command) => backup(directory, command.optsWithGlobals()));
}

const PROGRESS = countingByPhase({ copy: "Files copied:", verify: "Files read back:", prove: "Files verified:" });

async function backup(directory: string, options: GlobalOptions): Promise<void> {
  const result = await untilInterrupted((signal) =>
    withStore(options, (store) => showingProgress(PROGRESS, (onProgress) => store.backup(directory, { signal, onProgress }))),
  );
  // The backup holds everything readable; the exit code tells scripts that something is damaged.
  if (result.unreadable.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  if (!result.isComplete) process.exitCode = INTERRUPTED;
  await (options.json ? writeJson(result) : tell(result));
}

async function tell({ directory, checkpoints, trashed, sessions, bytes, unreadable, isComplete }: BackupResult): Promise<void> {
  if (!isComplete) return note("Interrupted: no backup was made.");
  const inTrash = trashed === 0 ? "" : `, in the trash: ${trashed}`;
  note(
    `Backed up checkpoints: ${checkpoints}${inTrash}, in sessions: ${sessions}, in files of ${formatBytes(bytes)}. All files were read back.`,
  );
  if (unreadable.length > 0) note(`Checkpoints that cannot be read: ${unreadable.length}.`);
  for (const { sessionId, checkpointId, code } of unreadable) note(`  ${code}  ${checkpointId} of session ${sessionId}`);
  await writeData(`${escapeText(directory)}\n`);
}
