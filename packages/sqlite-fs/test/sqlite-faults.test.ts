import fs from "node:fs";
import path from "node:path";
import { commit, eraseCheckpoints } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";
import { type DriverFault, FaultyDriver } from "./faulty-driver.ts";
import { proveFiles } from "./prove-files.ts";
import { failureOf, SESSION, TestStore, withDirectory } from "./test-store.ts";

interface Operation {
  readonly name: string;
  readonly numbersBefore: readonly number[];
  readonly numbersAfter: readonly number[];
  readonly pinsAfter: readonly string[];
  run(store: TestStore): Promise<unknown>;
}

/** Operations on a store that keeps the newest two checkpoints. */
const OPERATIONS: readonly Operation[] = [
  { name: "a session's first save", numbersBefore: [], numbersAfter: [1], pinsAfter: [], run: (store) => store.save({ number: 1 }) },
  { name: "a later save", numbersBefore: [1], numbersAfter: [1, 2], pinsAfter: [], run: (store) => store.save({ number: 2 }) },
  { name: "a save that prunes", numbersBefore: [1, 2], numbersAfter: [2, 3], pinsAfter: [], run: (store) => store.save({ number: 3 }) },
  { name: "a pin", numbersBefore: [1], numbersAfter: [1], pinsAfter: ["number"], run: (store) => store.pin("number") },
];

const isCommit = (sql: string): boolean => sql === "COMMIT";

describe("a COMMIT that fails", () => {
  it.each(OPERATIONS)("but was durable is reported as done when there is a record to look for: $name", (operation) =>
    withPrepared(operation, async (store, driver) => {
      driver.arm({ when: isCommit, kind: "did-it" });
      const outcome = await outcomeOf(operation.run(store));
      expect(driver.struck).toBe(1);
      expect(outcome).toEqual(
        operation.name === "a pin" ? { code: "STORAGE_UNAVAILABLE", reason: "input-output", outcome: "unknown" } : "done",
      );
      await expectState(store, operation.numbersAfter, operation.pinsAfter);
    }),
  );

  it.each(OPERATIONS)("and was not durable is an error without effect: $name", (operation) =>
    withPrepared(operation, async (store, driver) => {
      driver.arm({ when: isCommit, kind: "rolls-back" });
      const { error } = await failureOf(operation.run(store));
      expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE", retryable: true, details: { reason: "input-output" } });
      await expectState(store, operation.numbersBefore, []);
      await operation.run(store);
      await expectState(store, operation.numbersAfter, operation.pinsAfter);
    }),
  );

  it.each<["it was durable" | "it was not", DriverFault["kind"]]>([
    ["it was durable", "did-it"],
    ["it was not", "rolls-back"],
  ])("has an unknown outcome when opening fails too, and the blob stays; %s", (_, kind) =>
    withPrepared(OPERATIONS[1] as Operation, async (store, driver) => {
      let hasFailed = false;
      driver.arm({ kind, persistent: true, when: (sql) => (hasFailed ? sql === "open" : (hasFailed = isCommit(sql))) });
      const { code, outcome } = await failureOf(store.save({ number: 2 }));
      expect({ code, outcome }).toEqual({ code: "STORAGE_UNAVAILABLE", outcome: "unknown" });
      expect((await failureOf(store.contextOf())).code).toBe("STORAGE_UNAVAILABLE");
      driver.disarm();
      await expectState(store, kind === "did-it" ? [1, 2] : [1], []);
      // The blob stayed: a rebuild takes it for a checkpoint, which is the other possible outcome.
      await store.rebuild();
      await expectState(store, [1, 2], []);
    }),
  );

  it("keeps the labels of a session that it could not forget, also when the catalog is lost after the next save", () =>
    withPrepared(OPERATIONS[1] as Operation, async (store, driver) => {
      const file = path.join(store.dataDir, "contexts", SESSION, "metadata.json");
      await store.storage.catalog.change(commit({ tags: { sessionId: SESSION, add: ["urgent"], remove: [] }, audit: [] }));
      // The last COMMIT of an erasure forgets the session.
      driver.arm({ when: (sql) => isCommit(sql) && !fs.existsSync(file), kind: "rolls-back" });
      await outcomeOf(eraseCheckpoints({ ...store.ports(), storage: store.storage }, { sessionIds: [SESSION] }));
      expect([driver.struck, fs.existsSync(file)]).toEqual([1, false]);
      driver.disarm();
      await store.save({ number: 2 });
      expect((await store.verify()).findings).toMatchObject([{ kind: "erasure-unfinished" }]);
      await store.rebuild();
      expect((await store.storage.catalog.read({ session: { of: "session", id: SESSION } })).session?.tags).toEqual(["urgent"]);
    }));

  it("is recognized by the checkpoint's id when the client repeats the save, in either outcome", () =>
    withPrepared(OPERATIONS[1] as Operation, async (store, driver) => {
      for (const [number, kind] of [[2, "did-it"] as const, [3, "rolls-back"] as const]) {
        let hasFailed = false;
        driver.arm({ kind, persistent: true, when: (sql) => (hasFailed ? sql === "open" : (hasFailed = isCommit(sql))) });
        const save = () => store.save({ number }, { checkpointId: `own-${number}` as never });
        expect((await failureOf(save())).outcome).toBe("unknown");
        driver.disarm();
        expect((await save()).record.id).toBe(`own-${number}`);
        expect(await store.contextOf()).toEqual({ number });
      }
      expect([...(proveFiles(store.dataDir).sequences.get(SESSION) ?? [])]).toEqual([2, 3]);
    }));
});

it("a busy read is repeated on the connection that waits for the lock", () =>
  withPrepared(OPERATIONS[1] as Operation, async (store, driver) => {
    driver.arm({ kind: "fails", code: "SQLITE_BUSY_RECOVERY" });
    expect(await store.contextOf()).toEqual({ number: 1 });
    expect(driver.struck).toBe(1);
  }));

const FAULTS: readonly (Omit<DriverFault, "at"> & { readonly name: string; readonly reason: string })[] = [
  { name: "an I/O error", kind: "fails", code: "SQLITE_IOERR_WRITE", reason: "input-output" },
  { name: "a full disk, once", kind: "rolls-back", code: "SQLITE_FULL", reason: "disk-full" },
  { name: "a full disk, for ever", kind: "rolls-back", code: "SQLITE_FULL", persistent: true, reason: "disk-full" },
];

/** Distance between the calls that fail: in the long form, each fault strikes every call. */
const STRIDE = IS_LONG ? 1 : FAULTS.length;

describe.each(FAULTS)("$name in SQLite", (fault) => {
  it.each(OPERATIONS)("at any call of $name: a named error, no partial effect, and the store continues", async (operation) => {
    // Each fault begins at another call, so that together they strike every call.
    for (let at = 1 + (FAULTS.indexOf(fault) % STRIDE); ; at += STRIDE) {
      const { struck, outcome, state, stateAfter } = await strikeAt(at, operation, fault);
      const before = { numbers: operation.numbersBefore, pins: [] };
      const after = { numbers: operation.numbersAfter, pins: operation.pinsAfter };
      const known = outcome === "done" ? after : before;
      // A pin ends with a read of all pins, which may fail after the pin is committed.
      const isKnown = outcome === "done" || (outcome.outcome === undefined && operation.name !== "a pin");
      expect([outcome], `at call ${at}`).toContainEqual(
        outcome === "done" || outcome.outcome === "unknown"
          ? outcome
          : { code: "STORAGE_UNAVAILABLE", reason: fault.reason, outcome: undefined },
      );
      expect(isKnown ? [known] : [before, after], `at call ${at}`).toContainEqual(state);
      expect(stateAfter, `at call ${at}`).toEqual(after);
      if (!struck) return;
    }
  });
});

/** Runs an operation with a fault at one call, then again without the fault. */
async function strikeAt(at: number, operation: Operation, fault: DriverFault) {
  return withPrepared(operation, async (store, driver) => {
    driver.arm({ ...fault, at });
    const outcome = await outcomeOf(operation.run(store));
    const struck = driver.struck > 0;
    driver.disarm();
    const state = await stateOf(store);
    await operation.run(store);
    return { struck, outcome, state, stateAfter: await stateOf(store) };
  });
}

async function withPrepared<T>(operation: Operation, test: (store: TestStore, driver: FaultyDriver) => Promise<T>): Promise<T> {
  return withDirectory(async (directory) => {
    const driver = new FaultyDriver();
    const store = await TestStore.open(path.join(directory, "data"), { openDatabase: driver.open, maxCheckpoints: 2 });
    for (const number of operation.numbersBefore) await store.save({ number });
    await store.idle();
    try {
      return await test(store, driver);
    } finally {
      driver.disarm();
      await store.close();
    }
  });
}

type Outcome = "done" | Pick<Awaited<ReturnType<typeof failureOf>>, "code" | "reason" | "outcome">;

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return "done";
  } catch (error) {
    const { code, reason, outcome } = await failureOf(Promise.reject(error));
    return { code, reason, outcome };
  }
}

async function expectState(store: TestStore, numbers: readonly number[], pins: readonly string[]): Promise<void> {
  expect(await stateOf(store)).toEqual({ numbers, pins });
}

/** Returns the numbers and pins of the session from its rows and files, and compares them with a load. */
async function stateOf(store: TestStore): Promise<{ numbers: readonly unknown[]; pins: readonly string[] }> {
  await store.idle();
  const { contexts } = proveFiles(store.dataDir);
  const numbers = [...contexts.values()].map((context) => (context as { number: unknown }).number);
  const head = numbers.length === 0 ? undefined : (await store.contextOf())["number"];
  expect(head).toBe(numbers.at(-1));
  return { numbers, pins: (await store.storage.catalog.session(SESSION))?.pins ?? [] };
}
