import type { ScanReport, StoredSecret } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { note, outputWidth, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { idShortener } from "../shorten-ids.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ScanCommandOptions extends GlobalOptions {
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail scan
  workrail scan --session my-task --json
`;

/** `workrail scan`: finds secrets in stored data, and reports their places. */
export function addScanCommand(program: Command): void {
  program
    .command("scan")
    .summary("look for secrets in stored data")
    .description(
      "Scans stored data, including the trash, for secrets, and reports the rule and place of each, never the secret. " +
        "Changes nothing; the store may be in use.",
    )
    .option("--session <id>", "only in this session")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: ScanCommandOptions, command: Command) => scan(command.optsWithGlobals()));
}

async function scan(options: ScanCommandOptions): Promise<void> {
  const report = await untilInterrupted((signal) =>
    lookIntoStore(options, (store) =>
      showingProgress("Checkpoints scanned:", (onProgress) => store.scanStore({ sessionId: options.session, signal, onProgress })),
    ),
  );
  process.exitCode = exitCodeOf(report);
  await (options.json ? writeJson(report) : tell(report));
}

/** Returns a failure for an incomplete scan too, so that scripts do not take the store for clean. */
function exitCodeOf({ found, unreadable, isComplete }: ScanReport): number {
  if (found.length > 0) return EXIT_CODES.SECRET_FOUND;
  if (!isComplete) return INTERRUPTED;
  return unreadable.length > 0 ? EXIT_CODES.CHECKPOINT_CORRUPT : 0;
}

async function tell({ checkpoints, found, unreadable, isComplete }: ScanReport): Promise<void> {
  if (found.length > 0) {
    await printTable(columns(found), found);
  }
  const holders = new Set(found.map(({ checkpointId }) => checkpointId)).size;
  const what = found.length === 0 ? "nothing looks like a secret" : `possible secrets: ${found.length}, in checkpoints: ${holders}`;
  note(`Checkpoints scanned: ${checkpoints}; ${what}.`);
  if (found.length > 0) note("Change these secrets where they are used, and remove the checkpoints with `workrail delete --permanently`.");
  if (unreadable.length > 0) note(`Unreadable checkpoints, not scanned: ${unreadable.length}. Their ids: ${unreadable.join(", ")}.`);
  if (!isComplete) note("Interrupted: not all checkpoints were scanned.");
}

function columns(found: readonly StoredSecret[]): readonly Column<StoredSecret>[] {
  const shorten = idShortener(
    found.map(({ checkpointId }) => checkpointId),
    outputWidth(),
  );
  return [
    { title: "CHECKPOINT", stays: true, cell: ({ checkpointId }) => shorten(checkpointId) },
    { title: "SESSION", leastWidth: 10, cutFirst: true, cell: ({ sessionId }) => escapeText(sessionId) },
    { title: "RULE", stays: true, cell: ({ rule }) => rule },
    { title: "TIMES", align: "right", cell: ({ times }) => (times === 1 ? "" : String(times)) },
    { title: "STATE", cell: ({ inTrash }) => (inTrash === true ? "in trash" : "") },
    { title: "WHERE", leastWidth: 16, stays: true, cell: ({ path }) => escapeText(path) },
  ];
}
