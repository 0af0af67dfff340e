// Entry point of a child process that opens a store and carries out orders one after the other.
import { type CheckpointId, isJsonObject, isWorkrailError } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import { type FaultPlan, Faults } from "../faults.ts";
import type { StorageHarness } from "../harness.ts";
import { Workbench } from "../workbench.ts";
import type { Answer, Order, OrderedParts } from "./order.ts";
import { storageInUse } from "../storage-in-use.ts";

/** Faults with real crashes: SIGKILL ends the process at once, without a rollback or the removal of a file. */
class RealFaults extends Faults {
  override strike(isWrite: boolean): FaultPlan | undefined {
    const plan = super.strike(isWrite);
    if (plan?.kind === "crashes") process.kill(process.pid, "SIGKILL");
    return plan;
  }
}

const [, , module = "", place = "", maxCheckpoints = ""] = process.argv;
const { harness } = (await import(module)) as { readonly harness?: StorageHarness };
if (harness === undefined) throw new Error(`${module} exports no harness.`);

const faults = new RealFaults();
const clock = new SteppingClock();
let nextId: CheckpointId | undefined;
const ids = {
  sessionId: () => Promise.reject(new Error("Every session has a name.")) as never,
  checkpointId: () => nextId as CheckpointId,
};
const storage = storageInUse(await (harness.openWithFaults?.(place, faults) ?? harness.open(place)));
const parts: OrderedParts = {
  bench: new Workbench(storage, { clock, ids, limits: { maxCheckpoints: Number(maxCheckpoints) } }),
  catalog: storage.catalog,
};
let last: Promise<unknown> = Promise.resolve();
process.on("message", (order: Order) => {
  last = last.then(async () => process.send?.(await obey(order)));
});
// The parent process is gone or has no more orders.
process.on("disconnect", () => void last.then(() => storage.close()));
process.send?.({ number: 0, struck: false } satisfies Answer);

async function obey({ number, part, method, args, now, nextId: id, fault }: Order): Promise<Answer> {
  clock.set(now);
  nextId = id;
  if (fault !== undefined) faults.arm(fault);
  try {
    const target = parts[part];
    const result: unknown = await Reflect.apply(Reflect.get(target, method) as (...args: readonly unknown[]) => unknown, target, args);
    await parts.bench.idle();
    return { number, struck: isStruck(fault), result: withoutFunctions(result) };
  } catch (error) {
    await parts.bench.idle();
    const message = error instanceof Error ? error.message : String(error);
    return { number, struck: isStruck(fault), error: { code: isWorkrailError(error) ? error.code : undefined, message } };
  } finally {
    faults.disarm();
  }
}

/** Removes functions from a result, because they cannot be sent to another process. */
function withoutFunctions(result: unknown): unknown {
  if (!isJsonObject(result)) return result;
  return Object.fromEntries(Object.entries(result).filter(([, value]: readonly [string, unknown]) => typeof value !== "function"));
}

function isStruck(fault: FaultPlan | undefined): boolean {
  return fault !== undefined && faults.struck;
}
