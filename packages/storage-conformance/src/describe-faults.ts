import { describe, expect, it } from "vitest";
import type { FaultPlan, StorageHarness } from "./harness.ts";
import { refusalOf } from "./fault-sweeps/refusal-of.ts";
import { type Held, type Scenario, SCENARIOS } from "./fault-sweeps/scenarios.ts";
import { sweepCommits } from "./fault-sweeps/sweep-commits.ts";
import { TestBed } from "./fault-sweeps/test-bed.ts";
import { type ConformanceOptions, completeOptions } from "./options.ts";
import { provided } from "./store-under-test.ts";
import { tally } from "./tally.ts";

/**
 * Tests that every file operation of a save, a pin, a rebuild and so on may fail. No record loses its blob, no value is wrong,
 * earlier checkpoints stay, and the store works again when the fault is gone.
 */
export function describeFaults(harness: StorageHarness, options: ConformanceOptions = {}): void {
  const { faults } = completeOptions(options);
  describe.skipIf(!faults)(`${harness.name}: faults`, { timeout: 600_000 }, () => {
    provided(harness.openWithFaults !== undefined && harness.capabilities.persistent, "the harness injects no faults", () => {
      describe.each(FAULTS)("$name", (fault) => {
        it.each(SCENARIOS)("at any file operation of $name", (scenario) => sweep(harness, scenario, fault));
        it("at any file operation of opening the store", () => sweepOpening(harness, fault));
      });
      // Crashes are left out: after a crash there is no caller to report a refusal to.
      describe.each(FAULTS.filter(({ kind }) => kind !== "crashes"))("$name", (fault) => {
        it("at any file operation of a commit, which reports when its outcome is unknown", () => sweepCommits(harness, fault));
      });
    });
  });
}

interface Fault extends Omit<FaultPlan, "at"> {
  readonly name: string;
  /** Also checks a rebuild after the fault. Faults without this field leave no other states behind than those with it. */
  readonly rebuilds?: boolean;
}

const FAULTS: readonly Fault[] = [
  { name: "an I/O error", kind: "fails", code: "EIO", persistent: false, rebuilds: true },
  { name: "a disk that stays full", kind: "fails", code: "ENOSPC", persistent: true },
  { name: "an error although it was done", kind: "fails-after", code: "EIO", persistent: false },
  { name: "a write that stores a part and fails", kind: "tears", code: "ENOSPC", persistent: false },
  { name: "a write that takes a part", kind: "takes-less", code: "EIO", persistent: true },
  { name: "a crash", kind: "crashes", code: "EIO", persistent: true, rebuilds: true },
];

/** Limit of file operations, more than any scenario should take, so that a sweep always ends. */
const MAX_OPERATIONS = 1_000;

/** Strikes after which a fresh store takes over: what a rebuild and the checks after a strike take grows with the store. */
const STRIKES_PER_STORE = 8;

/** Strikes the first operation, the second, and so on, until no operation is left to strike. */
async function sweep(harness: StorageHarness, scenario: Scenario, fault: Fault): Promise<void> {
  let bed = await TestBed.create(harness, scenario);
  try {
    let struck = true;
    for (let at = 1; struck; at += 1) {
      struck = await naming(`${fault.name} at operation ${at} of ${scenario.name}`, () => strikeAt(bed, scenario, { ...fault, at }));
      if (at > MAX_OPERATIONS) throw new Error(`${scenario.name} takes more than ${MAX_OPERATIONS} file operations.`);
      if (scenario.affectsAllSessions === true || at % STRIKES_PER_STORE === 0) bed = await bed.replaced(scenario.after);
    }
    await bed.reopen();
    await bed.proveAll(scenario.after);
    await bed.bench.rebuild();
    await bed.proveAll(scenario.after);
  } finally {
    await bed.destroy();
  }
}

/** Strikes a scenario and repeats it without the fault; with `rebuilds`, also after a rebuild. True when the fault struck. */
async function strikeAt(bed: TestBed, scenario: Scenario, { rebuilds, ...plan }: Fault & FaultPlan): Promise<boolean> {
  const { sessionId, struck } = await strike(bed, scenario, plan);
  expect(await outcomeOf(scenario.act(bed.bench, sessionId))).toBe("done");
  expect(await bed.proven(sessionId)).toEqual(scenario.after);
  await bed.proveAudit();
  if (rebuilds === true && scenario.isRebuild !== true) await strikeAndRebuild(bed, scenario, plan);
  return struck;
}

async function strikeAndRebuild(bed: TestBed, scenario: Scenario, plan: FaultPlan): Promise<void> {
  const { sessionId, before } = await strike(bed, scenario, plan);
  await bed.bench.collectGarbage();
  await bed.bench.rebuild();
  // In either outcome: all steps that both outcomes have, no step that neither has, and the head of one of them.
  const [left, right] = [before.steps, scenario.after.steps];
  const { steps } = await bed.proven(sessionId);
  expect([...left, ...right]).toEqual(expect.arrayContaining([...steps]));
  expect(steps).toEqual(expect.arrayContaining(left.filter((step) => right.includes(step))));
  expect([left.at(-1), right.at(-1)]).toContainEqual(steps.at(-1));
  expect(await outcomeOf(scenario.act(bed.bench, sessionId))).toBe("done");
  expect((await bed.held(sessionId)).steps.at(-1)).toEqual(right.at(-1));
}

/** Runs the scenario once in a new session with the fault. */
async function strike(bed: TestBed, scenario: Scenario, plan: FaultPlan) {
  const sessionId = bed.newSession();
  await scenario.prepare(bed.bench, sessionId);
  await bed.bench.idle();
  const before = await bed.held(sessionId);
  bed.faults.arm(plan);
  const outcome = await outcomeOf(scenario.act(bed.bench, sessionId));
  await bed.bench.idle();
  const { struck } = bed.faults;
  bed.faults.disarm();
  if (plan.kind === "crashes") await bed.reopen();
  if (await bed.storage.recovery.needsRebuild()) await bed.bench.rebuild();
  const held = await bed.proven(sessionId);
  const isLost = outcome === "done" && JSON.stringify(held) !== JSON.stringify(scenario.after);
  if (struck) tally({ tries: 1, acknowledged: outcome === "done" ? 1 : 0, lost: isLost ? 1 : 0 });
  // An acknowledged operation is done. A refused one is done or not done, never in between.
  expect(outcome === "done" ? [scenario.after] : [before, scenario.after]).toContainEqual(held);
  // The outcome does not change any more with the next commit.
  if (struck) {
    await bed.storage.catalog.commit({ audit: [] });
    expect(await bed.held(sessionId)).toEqual(held);
  }
  return { sessionId, before, struck };
}

async function sweepOpening(harness: StorageHarness, fault: Fault): Promise<void> {
  const after: Held = { steps: [1], pins: [] };
  const bed = await TestBed.create(harness, { after });
  try {
    await bed.bench.save({ sessionId: bed.newSession(), context: { step: 1 } });
    let struck = true;
    for (let at = 1; struck; at++) {
      await bed.close();
      bed.faults.arm({ ...fault, at });
      const outcome = await outcomeOf(bed.open());
      ({ struck } = bed.faults);
      bed.faults.disarm();
      if (outcome === "refused") await bed.open();
      await bed.proveAll(after);
    }
  } finally {
    await bed.destroy();
  }
}

async function outcomeOf(work: Promise<unknown>): Promise<"done" | "refused"> {
  return (await refusalOf(work)) === undefined ? "done" : "refused";
}

async function naming<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
