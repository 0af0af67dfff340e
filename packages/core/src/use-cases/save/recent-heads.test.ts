import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  appendRecords,
  type CheckpointId,
  type CheckpointRecord,
  type Context,
  isWorkrailError,
  loadTexts,
  type Patch,
  RecentHeads,
  saveCheckpoint,
  type SaveInput,
} from "../../index.ts";
import { aStore, failure, S, type TestStore, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { append } from "../../catalog/rules/append.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { move, type Move } from "../../catalog/rules/move.ts";
import { findHead } from "../../catalog/queries/query-checkpoints.ts";
import { reclaimBlobs } from "../../catalog/rules/reclaim.ts";
import { runsOf } from "../../../../storage-conformance/test/long-form.ts";

/** A store with a process that keeps heads, and one that does not. `reads` counts what the first one reads. */
function twoProcesses() {
  const store = aStore();
  store.ports = { ...store.ports, blobs: withMethods(store.ports.blobs, { sharesTransaction: true }) };
  const recentHeads = new RecentHeads();
  const reads = { count: 0 };
  const catalog = withMethods(store.ports.catalog, {
    read: (asked) => {
      reads.count += 1;
      return store.ports.catalog.read(asked);
    },
  });
  const keeping = { ...store.ports, catalog, recentHeads };
  const save = (context: Context, input: Partial<SaveInput> = {}) => saveCheckpoint(keeping, { sessionId: S, context, ...input });
  return { store, keeping, reads, save, saveElsewhere: store.save };
}

/** Two processes of which the first has saved often enough to keep the head. */
async function alone() {
  const processes = twoProcesses();
  for (const n of [1, 2, 3]) await processes.save({ plan: "begin", n });
  processes.reads.count = 0;
  return processes;
}

async function pin(store: TestStore, keys: readonly string[], release: readonly string[] = []): Promise<void> {
  await store.storage.catalog.change(commit({ pins: { sessionId: S, pin: keys, release }, audit: [] }));
}

async function remove(store: TestStore, checkpoints: readonly CheckpointId[]): Promise<void> {
  const { catalog, blobs } = store.storage;
  await catalog.change(move({ sessionId: S, checkpoints, at: store.clock.now(), reason: "test", from: "live", to: "nowhere" }));
  await reclaimBlobs(catalog, undefined, (refs) => blobs.remove(refs));
}

describe("a process that saves to a session alone", () => {
  it("reads the session no more, and saves the same", async () => {
    const { save, reads, store } = await alone();
    const { record } = await save({ plan: "end", n: 4 });
    expect(reads.count).toBe(0);
    expect(record).toMatchObject({ sequence: 4, parentId: (await store.load(S)).record.parentId, layers: { IMPORTANT: 1, EPHEMERAL: 1 } });
    expect((await store.load(S)).context).toEqual({ plan: "end", n: 4 });
  });

  it("reads it before it answers that nothing changed, refuses an empty state, or meets a head that was not expected", async () => {
    const { save, reads } = await alone();
    expect((await save({ plan: "begin", n: 3 })).status).toBe("unchanged");
    expect(reads.count).toBe(1);
    await expect(save({}, { refuseEmpty: true })).rejects.toMatchObject(failure("INVALID_INPUT", { field: "context", entries: 2 }));
    await expect(save({ n: 4 }, { expectedParentId: "another" as CheckpointId })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("reads it again only after it has saved, and knows the number of its checkpoints", async () => {
    const { save, saveElsewhere, keeping } = twoProcesses();
    await saveElsewhere({ n: 1 });
    for (let time = 1; time <= 3; time++) await save({ n: 1 });
    expect(keeping.recentHeads.of(S)).toBeUndefined();
    for (const n of [2, 3, 4, 5]) await save({ n });
    expect(keeping.recentHeads.of(S)?.session.checkpointCount).toBe(5);
  });

  it("calls the rules once, and reports their error", async () => {
    const { save } = await alone();
    let calls = 0;
    const rules = async (): Promise<undefined> => {
      calls += 1;
      if (calls === 1) throw new Error("the rules are broken");
    };
    await expect(save({ n: 4 }, { rules })).rejects.toThrow("the rules are broken");
    expect(calls).toBe(1);
  });

  it("leaves nothing of a large state in the place of a checkpoint whose file is missing", async () => {
    const { save, store } = await alone();
    const checkpointId = "mine" as CheckpointId;
    await save({ n: 4 }, { checkpointId });
    for (const n of [5, 6]) await save({ n });
    const ref = store.storage.blobs.refOf({ sessionId: S, checkpointId });
    store.disk.blobs.delete(ref);
    const large = { n: 7, text: randomBytes(1_500_000).toString("base64") };
    await expect(save(large, { checkpointId })).rejects.toMatchObject({ code: "CONFLICT" });
    await store.background.idle();
    expect(store.disk.blobs.has(ref)).toBe(false);
  });

  it("reports entries that are dropped", async () => {
    const { save } = await alone();
    expect((await save({ n: 4 })).dropped?.keys).toEqual(["plan"]);
  });
});

describe("when another process changed the session", () => {
  it("the save continues its checkpoint, and reads the session from then on", async () => {
    const { save, saveElsewhere, reads } = await alone();
    const other = await saveElsewhere({ plan: "other", n: 9 });
    let calls = 0;
    const rules = async (): Promise<undefined> => void (calls += 1);
    expect((await save({ plan: "mine", n: 4 }, { rules })).record.parentId).toBe(other.record.id);
    expect(calls).toBe(1);
    expect(reads.count).toBe(1);
    await save({ plan: "mine", n: 5 });
    expect(reads.count).toBe(2);
  });

  it("a save without changes since the other's is answered as unchanged", async () => {
    const { save, saveElsewhere } = await alone();
    const other = await saveElsewhere({ plan: "other", n: 9 });
    expect(await save({ plan: "other", n: 9 })).toMatchObject({ status: "unchanged", record: { id: other.record.id } });
  });

  it("a save counts entries that it pinned as critical", async () => {
    const { save, store } = await alone();
    await pin(store, ["n"]);
    expect((await save({ plan: "mine", n: 4 })).record.layers).toEqual({ CRITICAL: 1, IMPORTANT: 1 });
  });

  it("a save after its removal of the head fails like any other", async () => {
    const { save, store } = await alone();
    const head = (await store.load(S)).record;
    await remove(store, [head.id]);
    await expect(save({ n: 4 }, { parentId: head.id })).rejects.toMatchObject(
      failure("CHECKPOINT_NOT_FOUND", { checkpointId: head.id, field: "parentId" }),
    );
    expect((await save({ n: 5 })).record.parentId).toBe(head.parentId);
  });

  it("a save after another one under the id of the head is compared with that one", async () => {
    const { save, saveElsewhere, store } = await alone();
    const checkpointId = "mine" as CheckpointId;
    await save({ plan: "begin", n: 4 }, { checkpointId });
    await remove(store, [checkpointId]);
    await saveElsewhere({ goal: "ship", n: 4 }, { checkpointId });
    expect((await save({ plan: "end", n: 5 })).dropped?.keys).toEqual(["goal"]);
  });

  it("a save after the head was imported again belongs to the project of the import", async () => {
    const { save, store } = twoProcesses();
    for (const n of [1, 2, 3]) await save({ plan: "p", n }, { project: "/old" });
    const { record } = await store.load(S);
    const bytes = await store.storage.blobs.get(record.blob);
    for (let id: CheckpointId | null = record.id; id !== null;) {
      const { parentId }: CheckpointRecord = (await store.load(id)).record;
      await remove(store, [id]);
      id = parentId;
    }
    await store.storage.blobs.put({ sessionId: S, checkpointId: record.id }, bytes as Uint8Array);
    const imported = { ...record, project: "/new" };
    await store.storage.catalog.change(append({ record: imported, unlessHeadIs: undefined, expectedHead: null, keepNewest: undefined }));
    expect((await save({ plan: "p", n: 4 }, { project: "/new" })).record.attributes).toEqual({});
  });

  it("a repeated call writes its side records under the same id", async () => {
    const { keeping, save, saveElsewhere, store } = await alone();
    const { record: owner } = await save({ n: 4 });
    await saveElsewhere({ n: 5 });
    const appending = (ports: typeof keeping, text: string) =>
      appendRecords(ports, { checkpointId: owner.id, records: [{ key: "k", bytes: new TextEncoder().encode(text) }] });
    // A repeated call generates the same ids.
    const ofCall = (): typeof keeping => {
      let count = 0;
      return { ...keeping, ids: withMethods(keeping.ids, { checkpointId: () => `call-${(count += 1)}` as CheckpointId }) };
    };
    await appending(ofCall(), "one");
    await appending({ ...keeping, recentHeads: new RecentHeads() }, "two");
    await appending(ofCall(), "one");
    const { loaded } = await loadTexts(store.ports, [owner.id], true);
    expect(loaded[0]?.records.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(["two"]);
  });

  it("an error of the kept head is not reported, but that of the present one", async () => {
    const { save, saveElsewhere, store } = twoProcesses();
    for (const n of [1, 2, 3]) await save({ n }, { project: "/p" });
    const head = (await store.load(S)).record;
    const all = [head.id, head.parentId as CheckpointId, (await store.load(head.parentId as CheckpointId)).record.parentId as CheckpointId];
    await remove(store, all);
    await saveElsewhere({ n: 1 }, { project: "/q" });
    expect((await save({ n: 2 }, { project: "/q", ownProjectOnly: true })).status).toBe("saved");
    await expect(save({ n: 3 }, { project: "/p", ownProjectOnly: true })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

/** Ids that several saves may have. */
const someId = fc.constantFrom("a", "b", "c", "d").map((id) => id as CheckpointId);
const someContext = fc.constantFrom<Context>({}, { n: 1 }, { n: 2 }, { plan: "p", n: 1 }, { goal: "g", plan: "q" }, { n: 1, plan: "p" });
const aSave = fc.record({
  does: fc.constant("save"),
  isKeeping: fc.constantFrom(true, true, true, true, true, false),
  context: someContext,
  patch: fc.constantFrom<Patch | undefined>(undefined, undefined, undefined, { set: [["n", 7]], append: [], remove: [] }),
  input: fc.record(
    {
      checkpointId: fc.option(someId, { nil: undefined }),
      parentId: fc.oneof({ weight: 4, arbitrary: fc.constant("head" as CheckpointId) }, { weight: 1, arbitrary: fc.option(someId) }),
      expectedParentId: fc.oneof(
        { weight: 4, arbitrary: fc.constant("head" as CheckpointId) },
        { weight: 1, arbitrary: fc.option(someId) },
      ),
      kind: fc.constantFrom("workflow", "workflow", "project", "aside"),
      project: fc.constantFrom("/p", "/p", "/p", "/q"),
      ownProjectOnly: fc.boolean(),
      refuseEmpty: fc.boolean(),
      force: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
});
const PINNED = ["n", "plan"];
const aChangeOfPins = fc.record({ does: fc.constant("pin"), keys: fc.subarray(PINNED) });
const aRemoval = fc.record({
  does: fc.constant("move"),
  ids: fc.array(fc.oneof(someId, fc.constant("head" as CheckpointId)), { minLength: 1, maxLength: 3 }),
  to: fc.constantFrom("trash", "nowhere"),
});
const someStep = fc.oneof({ weight: 8, arbitrary: aSave }, { weight: 2, arbitrary: aChangeOfPins }, { weight: 1, arbitrary: aRemoval });
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps, and returns what a caller sees, without times. */
async function run(steps: readonly Step[], keepsHeads: boolean): Promise<unknown> {
  const { store, keeping } = twoProcesses();
  const seen: unknown[] = [];
  const headId = async (): Promise<CheckpointId | undefined> => (await findHead(store.storage.catalog, S))?.id;
  const idFor = async (id: unknown) => (id === "head" ? headId() : (id as CheckpointId | null | undefined));
  for (const [index, step] of steps.entries()) {
    if ("keys" in step)
      await pin(
        store,
        step.keys,
        PINNED.filter((key) => !step.keys.includes(key)),
      );
    else if ("ids" in step) {
      const checkpoints = (await Promise.all(step.ids.map(idFor))).filter((id) => id !== undefined && id !== null);
      const moving = { sessionId: S, checkpoints, at: store.clock.now(), reason: "test", from: "live", to: step.to } as Move;
      seen.push((await store.storage.catalog.change(move(moving))).map(({ id }) => id));
      await reclaimBlobs(store.storage.catalog, undefined, (refs) => store.storage.blobs.remove(refs));
    } else {
      const { isKeeping, context, patch, input } = step;
      const ports = isKeeping && keepsHeads ? keeping : store.ports;
      const [parentId, expectedParentId] = [await idFor(input.parentId), await idFor(input.expectedParentId)];
      const checkpointId = input.checkpointId ?? (`cp-${index}` as CheckpointId);
      const given = {
        sessionId: S,
        ...(patch === undefined ? { context } : { patch }),
        ...input,
        checkpointId,
        parentId,
        expectedParentId,
      };
      seen.push(await saveCheckpoint(ports, given as SaveInput).then(toldOf, failureOf));
    }
  }
  return seen;
}

function toldOf({ record, ...result }: Awaited<ReturnType<typeof saveCheckpoint>>): unknown {
  const { createdAt: _created, lastAccessedAt: _used, blobBytes: _bytes, ...told } = record;
  const {
    bytes: _usage,
    removed = [],
    ...rest
  } = { ...result } as typeof result & { bytes?: unknown; removed?: readonly { id: string }[] };
  return { ...rest, removed: removed.map(({ id }) => id), told };
}

function failureOf(error: unknown): unknown {
  if (!isWorkrailError(error)) throw error;
  const { code, message, details, hint } = error;
  return { code, message, details, hint };
}

it("saves look the same to callers whether heads are kept or not, while others change the session", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 5, maxLength: 30 }), async (steps) => {
      expect(await run(steps, true)).toEqual(await run(steps, false));
    }),
    { numRuns: runsOf(200) },
  );
});
