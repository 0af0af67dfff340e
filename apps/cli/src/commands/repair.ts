import type { RepairReport } from "@workrail/core";
import type { Command } from "commander";
import { describeFindings } from "../describe-findings.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { writeData, writeJson } from "../print.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

interface RepairOptions extends GlobalOptions {
  readonly collectGarbage?: boolean;
}

const EXAMPLES = `
Examples:
  workrail repair --dry-run
  workrail repair
  workrail repair --collect-garbage
`;

/** `workrail repair`: repairs without data loss. */
export function addRepairCommand(program: Command): void {
  program
    .command("repair")
    .summary("repair the store, and quarantine damaged files")
    .description(
      "Verifies the store, quarantines damaged files, and corrects the catalog from the files. Removes nothing without --collect-garbage.",
    )
    .option("--dry-run", "only show the changes")
    .option("--collect-garbage", "remove unfinished files, and files without a checkpoint, which a rebuild might restore")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: RepairOptions, command: Command) => repair(command.optsWithGlobals()));
}

async function repair(options: RepairOptions): Promise<void> {
  const { collectGarbage } = options;
  const dryRun = options.dryRun === true;
  const report = await untilInterrupted((signal) =>
    withStore(options, (store) =>
      showingProgress("Checkpoints read:", (onProgress) => store.repairStore({ signal, dryRun, collectGarbage, onProgress })),
    ),
  );
  if (!report.isComplete) process.exitCode = INTERRUPTED;
  // Fails as long as a fault remains, so that scripts notice.
  if (report.left.length > 0 || (dryRun && report.repaired.length > 0)) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(report) : writeData(forPeople(report, dryRun)));
}

function forPeople({ checkpoints, sessions, repaired, left, advice, garbage, isComplete }: RepairReport, dryRun: boolean): string {
  const lines = [
    `Checkpoints read: ${checkpoints}, in sessions: ${sessions}.`,
    ...(repaired.length === 0 ? [] : [`${dryRun ? "Would be repaired" : "Repaired"}: ${repaired.length}.`, ...describeFindings(repaired)]),
    ...(left.length === 0 ? [] : [`Not repaired: ${left.length}.`, ...describeFindings(left)]),
    ...(repaired.length + left.length === 0 && isComplete ? ["Nothing is wrong."] : []),
    ...(garbage === undefined
      ? []
      : [`Garbage removed: ${garbage.blobs} files without a checkpoint, ${garbage.abandoned} unfinished files.`]),
    ...(garbage?.unreadable === undefined ? [] : [`Unreadable now, and left in place: ${garbage.unreadable}.`]),
    ...advice,
    ...(isComplete ? [] : ["Interrupted: not all checkpoints were read."]),
  ];
  return `${lines.join("\n")}\n`;
}
