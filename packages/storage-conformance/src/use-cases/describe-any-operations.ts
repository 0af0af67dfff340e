import { type CheckpointId, type CheckpointKind, type Context, isWorkrailError, type SessionId } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { proveStore } from "../prove-store.ts";
import { type StoreUnderTest, withStore } from "../store-under-test.ts";
import { Workbench } from "../workbench.ts";
import { ModelStore, type WholeSave } from "./model-store.ts";
import { type Outcome, outcomeOf, seen } from "./outcome.ts";

const MAX_CHECKPOINTS = 3;

/** Tests random sequences of all operations, compared with a model after each step. */
export function describeAnyOperations(harness: StorageHarness, options: Required<ConformanceOptions>): void {
  const sequences = Math.ceil(options.runs / 20);
  it(`equals a model after each step of ${sequences} random sequences of operations`, { timeout: 600_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(someOperation, { minLength: 5, maxLength: 25 }), (operations) =>
        withStore(harness, (store) => new Comparison(harness, store).play(operations)),
      ),
      { numRuns: sequences, seed: options.seed },
    ),
  );
}

/** Few sessions, ids and contexts, so that sequences meet the same ones again. */
const SESSIONS = ["one", "Two", "two"] as SessionId[];
const OWN_IDS = ["own-a", "own-b"] as CheckpointId[];
const CONTEXTS: readonly Context[] = [{}, { a: 1 }, { a: 1, b: [2] }, { b: [2], a: 1 }, { text: "\ud800", a: null }];

const someSession = fc.constantFrom(...SESSIONS);

const someSave = fc.record(
  {
    type: fc.constant("save" as const),
    sessionId: someSession,
    context: fc.constantFrom(...CONTEXTS),
    kind: fc.constantFrom<CheckpointKind>("workflow", "workflow", "project", "aside"),
    force: fc.boolean(),
    checkpointId: fc.constantFrom(...OWN_IDS),
    expect: fc.constantFrom("head" as const, "older" as const, "none" as const),
    forkFrom: fc.nat(),
  },
  { requiredKeys: ["type", "sessionId", "context"] },
);

const someOperation = fc.oneof(
  { weight: 8, arbitrary: someSave },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("pin" as const),
      sessionId: someSession,
      key: fc.constantFrom("a", "b"),
      critical: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("rebuild" as const, "reopen" as const, "collect garbage" as const) }) },
);

type Operation = typeof someOperation extends fc.Arbitrary<infer T> ? T : never;
type Save = Extract<Operation, { type: "save" }>;

/** Runs each operation on the store and on the model. */
class Comparison {
  readonly #harness: StorageHarness;
  readonly #store: StoreUnderTest;
  #model = new ModelStore(MAX_CHECKPOINTS);
  readonly #clock = new SteppingClock();
  readonly #everSaved: CheckpointId[] = [];
  #bench: Workbench;

  constructor(harness: StorageHarness, store: StoreUnderTest) {
    this.#harness = harness;
    this.#store = store;
    this.#bench = this.#benchOn();
  }

  async play(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      await this.#apply(operation);
      await this.#compare();
    }
  }

  async #apply(operation: Operation): Promise<void> {
    switch (operation.type) {
      case "save":
        return this.#save(operation);
      case "pin":
        return this.#pin(operation);
      case "collect garbage":
        await this.#bench.collectGarbage();
        return undefined;
      case "rebuild":
        await this.#bench.rebuild();
        // No session becomes empty here, and the clock always advances.
        this.#model = this.#model.rebuilt(() => false)[0] as ModelStore;
        return undefined;
      case "reopen":
        await this.#bench.idle();
        await this.#store.reopen();
        if (!this.#harness.capabilities.persistent) this.#model.forget();
        this.#bench = this.#benchOn();
        return undefined;
    }
  }

  async #save(operation: Save): Promise<void> {
    const input = this.#inputOf(operation);
    const expected = this.#model.expect(input);
    const actual = await outcomeOf(this.#bench.save(input));
    if (expected.status !== "saved") {
      expect(actual).toEqual(expected);
      return;
    }
    expect(actual).toMatchObject(expected);
    const made = actual as Extract<Outcome, { createdAt: Date }>;
    this.#everSaved.push(made.id);
    this.#model.save(input, made, expected);
  }

  #inputOf({ sessionId, context, kind, force, checkpointId, expect: expected, forkFrom }: Save): WholeSave {
    const session = this.#model.ofSession(sessionId);
    const expectedParentId = { head: this.#model.head(sessionId)?.id ?? null, older: session[0]?.id ?? null, none: null };
    const parentId = forkFrom === undefined ? undefined : this.#everSaved[forkFrom % this.#everSaved.length];
    return { sessionId, context, kind, force, checkpointId, parentId, expectedParentId: expected && expectedParentId[expected] };
  }

  async #pin({ sessionId, key, critical }: Extract<Operation, { type: "pin" }>): Promise<void> {
    const head = this.#model.head(sessionId);
    const isKnown = this.#model.ofSession(sessionId).length > 0;
    const wasPinned = this.#model.pins(sessionId).includes(key);
    const outcome = await this.#bench.pin({ sessionId, key, critical }).then(
      ({ status }) => status,
      (error: unknown) => (isWorkrailError(error) ? error.code : Promise.reject(error)),
    );
    if (!isKnown) expect(outcome).toBe("SESSION_NOT_FOUND");
    else if (critical && !wasPinned && head === undefined) expect(outcome).toBe("SESSION_NOT_FOUND");
    else if (critical ? !wasPinned && !Object.hasOwn(JSON.parse(head?.text ?? "{}") as object, key) : !wasPinned) {
      expect(outcome).toBe("key-not-found");
    } else {
      expect(outcome).toBe(critical ? "pinned" : "released");
      this.#model.pin(sessionId, key, critical);
    }
  }

  /** Compares the whole content of the store, read in every way, with the model. */
  async #compare(): Promise<void> {
    const { storage } = this.#store;
    const { records, texts } = await proveStore(storage);
    expect(records.map((record) => seen(record, texts.get(record.id)))).toEqual(this.#model.live.map((each) => seen(each, each.text)));
    for (const sessionId of SESSIONS) {
      const head = this.#model.head(sessionId);
      expect((await storage.catalog.head(sessionId))?.id).toBe(head?.id);
      expect((await storage.catalog.session(sessionId))?.pins ?? []).toEqual(this.#model.pins(sessionId));
      if (head !== undefined) expect((await this.#bench.load({ sessionId })).contextText()).toBe(head.text);
    }
    for (const id of this.#everSaved) expect((await storage.catalog.find(id))?.id).toBe(this.#model.find(id)?.id);
  }

  #benchOn(): Workbench {
    return new Workbench(this.#store.storage, { clock: this.#clock, limits: { maxCheckpoints: MAX_CHECKPOINTS } });
  }
}
