import { escapeText } from "@workrail/process";
import { restoreBackup, type RestoreResult } from "@workrail/runtime";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { countingByPhase, showingProgress } from "../show-progress.ts";
import { type GlobalOptions, warningsOnly } from "../with-store.ts";

interface RestoreOptions extends GlobalOptions {
  readonly yes?: true;
}

const EXAMPLES = `
Examples:
  workrail restore my-backup --data-dir restored
  workrail restore my-backup --yes
`;

/** `workrail restore`: restores a store from a backup, and prints its path. */
export function addRestoreCommand(program: Command): void {
  program
    .command("restore")
    .summary("restore a store from a backup")
    .description("Checks every file of a backup, and restores a store from it. With --yes, replaces an existing store and keeps it aside.")
    .argument("<backup>", "directory of the backup", parsePath)
    .option("--yes", "replace the existing store; no other process may have it open")
    .addHelpText("after", EXAMPLES)
    .action(async (backup: string, _options: RestoreOptions, command: Command) => restore(backup, command.optsWithGlobals()));
}

const PROGRESS = countingByPhase({ check: "Files checked:", copy: "Files copied:", read: "Files read back:", prove: "Files verified:" });

async function restore(backup: string, options: RestoreOptions): Promise<void> {
  const adapters = { log: warningsOnly(options.json === true) };
  const given = { args: settingArgs(options), replace: options.yes === true, adapters };
  const result = await showingProgress(PROGRESS, (onProgress) => restoreBackup(backup, { ...given, onProgress }));
  // The rest is restored; the exit code tells scripts that something is damaged.
  if (result.unreadable.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(result) : tell(result));
}

async function tell({ dataDir, createdAt, checkpoints, trashed, sessions, unreadable, keptAside }: RestoreResult): Promise<void> {
  const inTrash = trashed === 0 ? "" : `, in the trash: ${trashed}`;
  note(`Restored checkpoints: ${checkpoints}${inTrash}, in sessions: ${sessions}, as they were at ${createdAt}.`);
  if (unreadable.length > 0) note(`Files that were unreadable at the time of the backup: ${unreadable.length}.`);
  for (const { ref, code } of unreadable) note(`  ${code}  ${ref}`);
  if (keptAside !== undefined) note(`The old content is now in ${keptAside}.`);
  await writeData(`${escapeText(dataDir)}\n`);
}
