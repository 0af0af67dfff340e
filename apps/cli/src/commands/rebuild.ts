import type { RebuildReport } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { writeData, writeJson } from "../print.ts";
import { countingByPhase, showingProgress } from "../show-progress.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

const EXAMPLES = `
Example:
  workrail rebuild
`;

/** `workrail rebuild`: rebuilds the catalog from the checkpoints' files. */
export function addRebuildCommand(program: Command): void {
  program
    .command("rebuild")
    .summary("rebuild the catalog from the checkpoints' files")
    .description("Rebuilds the catalog from the checkpoints' files, and reports the result. No other process may have the store open.")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: GlobalOptions, command: Command) => rebuild(command.optsWithGlobals()));
}

const PROGRESS = countingByPhase({ read: "Files read:", prove: "Files verified:" });

async function rebuild(options: GlobalOptions): Promise<void> {
  const report = await withStore(options, (store) => showingProgress(PROGRESS, (onProgress) => store.rebuildCatalog({ onProgress })));
  // The catalog is as complete as possible; the exit code tells scripts that something is damaged.
  if (report.unreadable.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(report) : writeData(forPeople(report)));
}

function forPeople({ checkpoints, sessions, removedEarlier, unreadable, notRebuilt }: RebuildReport): string {
  const lines = [
    `Checkpoints found: ${checkpoints}, in sessions: ${sessions}.`,
    ...(removedEarlier === 0 ? [] : [`Removed earlier, and not restored: ${removedEarlier}.`]),
    ...(unreadable.length === 0 ? [] : [`Unreadable files, left in place: ${unreadable.length}.`]),
    ...unreadable.map(({ ref, code }) => `  ${code}  ${escapeText(ref)}`),
    `Not rebuilt, because no file contains them: ${notRebuilt.join(", ")}.`,
  ];
  return `${lines.join("\n")}\n`;
}
