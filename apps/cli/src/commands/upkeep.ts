import { escapeText, inOwnName } from "@workrail/process";
import { isWorkrailError } from "@workrail/core";
import { DEFAULT_TENANT, listTenants, readConfiguration, type UpkeepReport } from "@workrail/runtime";
import type { Command } from "commander";
import { describeFindings } from "../describe-findings.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { printWarning, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { countingByPhase, showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

interface UpkeepOptions extends GlobalOptions {
  readonly tenant?: string;
  readonly verify?: true;
  readonly allTenants?: true;
}

const EXAMPLES = `
Examples:
  workrail upkeep --once
  workrail upkeep --once --verify --json
  workrail upkeep --once --all-tenants
`;

const LINE = countingByPhase({ compact: "Sessions compacted:", index: "Sessions indexed:", verify: "Checkpoints read:" });

/** `workrail upkeep`: does the background work of a store that is due. */
export function addUpkeepCommand(program: Command): void {
  program
    .command("upkeep")
    .summary("do background work that is due, for cron")
    .description(
      "Finishes removals and erasures, cleans up by the settings, compacts older checkpoints, and updates the search index. " +
        "A running server does the same by itself; the store may be in use.",
    )
    .option("--once", "end when no work is due, as it always does")
    .option("--verify", "also read the whole store, and report faults")
    .option("--all-tenants", "do the work of each tenant of the database")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: UpkeepOptions, command: Command) => upkeep(command.optsWithGlobals()));
}

async function upkeep({ allTenants, ...options }: UpkeepOptions): Promise<void> {
  if (allTenants) return upkeepOfAll(options);
  const report = await untilInterrupted((signal) => upkeepOf(options, signal));
  raiseExitCode(exitCodeOf(report));
  await (options.json ? writeJson(report) : writeData(forPeople(report)));
}

function upkeepOf(
  { verify, ...options }: UpkeepOptions,
  signal: { readonly aborted: boolean },
  takeIncoming = true,
): Promise<UpkeepReport> {
  // Without upkeep in the background: it would do part of the work, uncounted.
  const opening = { upkeep: false, create: false, takeIncoming };
  return withStore(options, (store) => showingProgress(LINE, (onProgress) => store.upkeep({ verify, signal, onProgress })), opening);
}

/** Does the work of each tenant. A failure of one does not stop the others; the exit code is the highest. */
async function upkeepOfAll(options: UpkeepOptions): Promise<void> {
  const args = settingArgs(options);
  // Hooks of this machine save for its own tenant.
  const { tenant: own = DEFAULT_TENANT } = readConfiguration({ env: process.env, args }).values;
  const names = await listTenants({ args });
  const tenants = await untilInterrupted(async (signal) => {
    const done: { readonly tenant: string; readonly report: UpkeepReport }[] = [];
    for (const tenant of names) {
      if (signal.aborted) raiseExitCode(INTERRUPTED);
      else
        await orWarned(tenant, options.json === true, async () => {
          const report = await upkeepOf({ ...options, tenant }, signal, tenant === own);
          raiseExitCode(exitCodeOf(report));
          done.push({ tenant, report });
        });
    }
    return done;
  });
  if (options.json) return writeJson({ tenants });
  for (const { tenant, report } of tenants) await writeData(`Tenant ${escapeText(tenant)}:\n${forPeople(report)}`);
}

async function orWarned(tenant: string, json: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    printWarning(`the work of a tenant failed: ${error.message}`, { tenant, code: error.code, hint: error.hint }, json);
    raiseExitCode(EXIT_CODES[error.code]);
  }
}

function raiseExitCode(code: number): void {
  process.exitCode = Math.max(Number(process.exitCode ?? 0), code);
}

function exitCodeOf({ left, indexed, isComplete, verified }: UpkeepReport): number {
  if ((verified?.findings ?? []).length > 0) return EXIT_CODES.CHECKPOINT_CORRUPT;
  if (!isComplete) return INTERRUPTED;
  return left.length > 0 || (indexed?.pending ?? 0) > 0 ? EXIT_CODES.STORE_IN_USE : 0;
}

function forPeople(report: UpkeepReport): string {
  const { finishedRemovals, left, cleanUp, auditRows, compacted, indexed, verified, elsewhere, isComplete } = report;
  const lines = [
    ...(finishedRemovals === 0 ? [] : [`Earlier removals finished: ${finishedRemovals}.`]),
    ...(cleanUp === undefined ? [] : [describeRemoved(cleanUp.removed)]),
    ...(auditRows === 0 ? [] : [`Old rows of the audit log removed: ${auditRows}.`]),
    ...(compacted === undefined ? [] : [`Compacted checkpoints: ${compacted.checkpoints}, saving ${formatBytes(compacted.savedBytes)}.`]),
    ...(elsewhere.includes("index") ? [] : [describeIndexed(indexed)]),
    ...elsewhere.map((job) => `${ELSEWHERE[job]}: another process is doing it.`),
    ...left.map((reason) => `Not finished yet: ${escapeText(reason)} The next run continues.`),
    ...(indexed === undefined || indexed.pending === 0 ? [] : [`Sessions not indexed yet: ${indexed.pending}. The next run continues.`]),
    ...(verified === undefined ? [] : [`Checkpoints read: ${verified.checkpoints}. Faults: ${verified.findings.length}.`]),
    ...(verified === undefined || verified.findings.length === 0
      ? []
      : [...describeFindings(verified.findings), inOwnName("`workrail repair` corrects what it can.")]),
    ...(isComplete ? [] : ["Interrupted. Run it again to continue."]),
  ];
  return `${lines.join("\n")}\n`;
}

const ELSEWHERE: Readonly<Record<UpkeepReport["elsewhere"][number], string>> = {
  "clean up": "Clean-up",
  compact: "Compaction",
  index: "Indexing for search",
  verify: "Verification",
};

type Removed = NonNullable<UpkeepReport["cleanUp"]>["removed"];

function describeRemoved(removed: Removed): string {
  const moved = countOf(removed.filter(({ to }) => to === "trash"));
  const gone = countOf(removed.filter(({ to }) => to === "nowhere"));
  return `Moved to the trash: checkpoints: ${moved}. Removed for good: ${gone}.`;
}

function describeIndexed(indexed: UpkeepReport["indexed"]): string {
  return indexed === undefined ? "The store keeps no index for search." : `Sessions indexed for search: ${indexed.sessions}.`;
}

function countOf(removed: Removed): number {
  return removed.reduce((sum, { checkpointIds }) => sum + checkpointIds.length, 0);
}
