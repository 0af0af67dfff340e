import { escapeText, inOwnName } from "@workrail/process";
import type { UpkeepReport } from "@workrail/runtime";
import type { Command } from "commander";
import { describeFindings } from "../describe-findings.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { writeData, writeJson } from "../print.ts";
import { countingByPhase, showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

interface UpkeepOptions extends GlobalOptions {
  readonly verify?: true;
}

const EXAMPLES = `
Examples:
  workrail upkeep --once
  workrail upkeep --once --verify --json
`;

const LINE = countingByPhase({ compact: "Sessions compacted:", index: "Sessions indexed:", verify: "Checkpoints read:" });

/** `workrail upkeep`: does the background work of a store that is due. */
export function addUpkeepCommand(program: Command): void {
  program
    .command("upkeep")
    .summary("do background work that is due, for cron")
    .description(
      "Finishes removals and erasures, cleans up as the settings say, stores older checkpoints smaller, and indexes for search. " +
        "A running server does the same by itself; the store may be in use.",
    )
    .option("--once", "end when nothing is due any more, which it always does")
    .option("--verify", "also read the whole store, and report faults")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: UpkeepOptions, command: Command) => upkeep(command.optsWithGlobals()));
}

async function upkeep({ verify, ...options }: UpkeepOptions): Promise<void> {
  const report = await untilInterrupted((signal) =>
    // Without upkeep in the background: it would do part of the work, uncounted.
    withStore(options, (store) => showingProgress(LINE, (onProgress) => store.upkeep({ verify, signal, onProgress })), {
      upkeep: false,
      create: false,
    }),
  );
  const unindexed = report.indexed?.pending ?? 0;
  if (report.left.length > 0 || unindexed > 0) process.exitCode = EXIT_CODES.STORE_IN_USE;
  if (!report.isComplete) process.exitCode = INTERRUPTED;
  if ((report.verified?.findings ?? []).length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(report) : writeData(forPeople(report)));
}

function forPeople(report: UpkeepReport): string {
  const { finishedRemovals, left, cleanUp, auditRows, compacted, indexed, verified, isComplete } = report;
  const moved = countOf(cleanUp.removed.filter(({ to }) => to === "trash"));
  const gone = countOf(cleanUp.removed.filter(({ to }) => to === "nowhere"));
  const lines = [
    ...(finishedRemovals === 0 ? [] : [`Earlier removals finished: ${finishedRemovals}.`]),
    `Moved into the trash: checkpoints: ${moved}. Removed for good: ${gone}.`,
    ...(auditRows === 0 ? [] : [`Old rows of the audit log removed: ${auditRows}.`]),
    `Stored smaller: checkpoints: ${compacted.checkpoints}, by ${formatBytes(compacted.savedBytes)}.`,
    indexed === undefined ? "The store keeps no index for search." : `Sessions indexed for search: ${indexed.sessions}.`,
    ...left.map((reason) => `Not finished yet: ${escapeText(reason)} The next run continues.`),
    ...(indexed === undefined || indexed.pending === 0 ? [] : [`Sessions not indexed yet: ${indexed.pending}. The next run continues.`]),
    ...(verified === undefined ? [] : [`Checkpoints read: ${verified.checkpoints}. Wrong: ${verified.findings.length}.`]),
    ...(verified === undefined || verified.findings.length === 0
      ? []
      : [...describeFindings(verified.findings), inOwnName("`workrail repair` puts right what can be.")]),
    ...(isComplete ? [] : ["It was interrupted. Run it again to continue."]),
  ];
  return `${lines.join("\n")}\n`;
}

function countOf(removed: UpkeepReport["cleanUp"]["removed"]): number {
  return removed.reduce((sum, { checkpointIds }) => sum + checkpointIds.length, 0);
}
