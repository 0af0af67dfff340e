import {
  type BlobRef,
  type BlobStore,
  type CatalogPort,
  type CheckpointId,
  type CheckpointRecord,
  collectGarbage,
  compactSession,
  type Context,
  emptyTrash,
  loadCheckpoint,
  rebuildCatalog,
  removeCheckpoints,
  repairStore,
  type VerifyProgress,
  type VerifyReport,
  verifyStore,
  WorkrailError,
} from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, failure, S, type TestStore, withAnswers, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { encodeEnvelope } from "../../envelope/envelope.ts";
import { prepareContext } from "../../json/saved-content.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import type { CheckpointRow } from "../../catalog/rows.ts";

/** Returns a context with a history that grows by text that hardly compresses. */
function contextAt(step: number): Context {
  const line = (index: number): string =>
    Array.from({ length: 40 }, (_, at) => ((index * 7_919 + at * 104_729) % 99_991).toString(36)).join(" ");
  return { step, history: Array.from({ length: step + 20 }, (_, index) => `${index} ${line(index)}`) };
}

/** Creates a store with compacted checkpoints, and returns their records, oldest first. */
async function grown(steps: number, store: TestStore = aStore()): Promise<{ store: TestStore; records: CheckpointRecord[] }> {
  for (let step = 1; step <= steps; step++) await store.saved(contextAt(step));
  while ((await compactSession(store.ports, S)).hasMore);
  const { records } = await queryCheckpoints(store.storage.catalog, { filter: { sessionId: S }, limit: 1_000, offset: 0 });
  return { store, records: records.toReversed() };
}

function spoil(store: TestStore, { blob }: Pick<CheckpointRecord, "blob">): Uint8Array {
  const bytes = store.disk.blobs.get(blob) as Uint8Array;
  store.disk.blobs.set(
    blob,
    bytes.map((byte, index) => (index === 30 ? byte ^ 1 : byte)),
  );
  return bytes;
}

function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new Error(`Nothing at ${index}.`);
  return item;
}

/** Makes the quarantine of blobs fail with a disk error. */
function withFailingDisk(store: TestStore): void {
  const fail = (): Promise<never> => Promise.reject(new WorkrailError("STORAGE_UNAVAILABLE", "The disk failed."));
  store.ports = { ...store.ports, blobs: withMethods<BlobStore>(store.storage.blobs, { quarantine: fail }) };
}

describe("a head that is damaged", () => {
  it("is marked, quarantined and logged; this load and later ones return the one before with a note", async () => {
    const { store, records } = await grown(3);
    const [, before, head] = records as [CheckpointRecord, CheckpointRecord, CheckpointRecord];
    spoil(store, head);
    const bytes = store.disk.blobs.get(head.blob);
    const loaded = await store.load(S);
    expect(loaded.record.id).toBe(before.id);
    expect(loaded.contextText()).toBe(JSON.stringify(contextAt(2)));
    expect(loaded.fellBackFrom).toEqual([{ checkpointId: head.id, reason: expect.any(String) }]);
    expect(store.disk.blobs.has(head.blob)).toBe(false);
    expect(store.disk.quarantine.get(`quarantine/${head.blob}`)).toEqual(bytes);
    expect(await findCheckpoint(store.storage.catalog, head.id)).toEqual({ ...head, damaged: true });
    expect(await findSession(store.storage.catalog, S)).toMatchObject({ checkpointCount: 3, damagedCount: 1 });
    expect(store.disk.catalog.audit.at(-1)).toMatchObject({ action: "quarantine", sessionId: S, checkpointId: head.id });
    expect(store.errors).toMatchObject([{ checkpointId: head.id, sessionId: S, blobPath: head.blob, reason: expect.any(String) }]);
    const again = await store.load(S);
    expect(again.fellBackFrom).toEqual([{ checkpointId: head.id, reason: expect.stringContaining("earlier") }]);
    expect(store.errors).toHaveLength(1);
  });

  it("is skipped by the next save, and no longer reported after it", async () => {
    const { store, records } = await grown(2);
    spoil(store, at(records, 1));
    await store.load(S);
    const next = await store.saved({ n: 3 });
    expect(next).toMatchObject({ parentId: at(records, 0).id, sequence: 3 });
    expect(await store.load(S)).toMatchObject({ record: { id: next.id }, fellBackFrom: [] });
  });

  it("is repaired when its context is saved under its id", async () => {
    const store = aStore();
    await store.saved({ n: 1 });
    const own = await store.saved({ n: 2 }, { checkpointId: "own" as CheckpointId, name: "mine" });
    store.disk.blobs.delete(own.blob);
    expect((await store.load(S)).context).toEqual({ n: 1 });
    expect(await store.save({ n: 2 }, { checkpointId: own.id })).toMatchObject({
      status: "unchanged",
      record: { id: own.id, damaged: false },
    });
    expect(await store.load(S)).toMatchObject({ record: { id: own.id, name: "mine" }, context: { n: 2 }, fellBackFrom: [] });
  });

  it("is written again when the same content is saved, even with the damage unnoticed before", async () => {
    const { store, records } = await grown(2);
    const head = at(records, 1);
    spoil(store, head);
    const again = await store.saved(contextAt(2));
    expect(again).toMatchObject({ parentId: head.id, sequence: 3 });
    const loaded = await store.load(S);
    expect(loaded).toMatchObject({ record: { id: again.id }, fellBackFrom: [] });
    expect(loaded.contextText()).toBe(JSON.stringify(contextAt(2)));
    expect(await store.save(contextAt(2))).toMatchObject({ status: "unchanged", record: { id: again.id } });
  });

  it("is repaired by a repeated save, by id or by expected parent, and the damaged bytes are quarantined", async () => {
    const store = aStore();
    const first = await store.saved({ n: 1 });
    const own = { checkpointId: "own" as CheckpointId, expectedParentId: first.id };
    const second = await store.saved({ n: 2 }, own);
    for (const repeated of [{ checkpointId: second.id }, { expectedParentId: first.id }]) {
      spoil(store, second);
      const bytes = store.disk.blobs.get(second.blob);
      expect(await store.save({ n: 2 }, repeated)).toMatchObject({ status: "unchanged", record: { id: second.id, damaged: false } });
      expect([...store.disk.quarantine.values()].at(-1)).toEqual(bytes);
      expect(await store.load(S)).toMatchObject({ record: { id: second.id }, context: { n: 2 }, fellBackFrom: [] });
    }
  });

  it("may have damaged predecessors: the newest readable one is loaded", async () => {
    const { store, records } = await grown(6);
    for (const record of records.slice(2)) store.disk.blobs.delete(record.blob);
    spoil(store, at(records, 1));
    // The base of the oldest is gone.
    await expect(store.load(S)).rejects.toMatchObject(failure("CHECKPOINT_CORRUPT", { sessionId: S, checkpoints: 6 }));
    expect(store.disk.blobs.has(at(records, 0).blob)).toBe(true);
    expect((await findCheckpoint(store.storage.catalog, at(records, 0).id))?.damaged).toBe(false);
    await expect(store.load(S)).rejects.toMatchObject(failure("CHECKPOINT_CORRUPT"));
    await store.saved({ anew: true });
    expect((await store.load(S)).context).toEqual({ anew: true });
  });

  it("stays in place when the quarantine fails, and is skipped all the same", async () => {
    const { store, records } = await grown(2);
    spoil(store, at(records, 1));
    withFailingDisk(store);
    expect(await store.load(S)).toMatchObject({ record: { id: at(records, 0).id }, fellBackFrom: [{ checkpointId: at(records, 1).id }] });
    expect(store.disk.blobs.has(at(records, 1).blob)).toBe(true);
    expect((await findCheckpoint(store.storage.catalog, at(records, 1).id))?.damaged).toBe(false);
    expect(store.errors).toHaveLength(1);
  });

  it("is not marked when a second read succeeds", async () => {
    const { store, records } = await grown(2);
    const good = spoil(store, at(records, 1));
    const change: CatalogPort["change"] = (rule) => {
      store.disk.blobs.set(at(records, 1).blob, good);
      return store.storage.catalog.change(rule);
    };
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
    expect(await store.load(S)).toMatchObject({ record: { id: at(records, 1).id }, fellBackFrom: [] });
    expect(store.disk.quarantine.size).toBe(0);
  });

  it.each([
    ["a newer version wrote it", "UNSUPPORTED_VERSION"],
    ["the disk fails", "STORAGE_UNAVAILABLE"],
  ] as const)("is neither marked nor moved when %s", async (_, code) => {
    const { store, records } = await grown(2);
    const get: BlobStore["get"] = () => Promise.reject(new WorkrailError(code, "No."));
    const blobs = store.ports.blobs;
    store.ports = { ...store.ports, blobs: withMethods<BlobStore>(blobs, { get }) };
    await expect(store.load(S)).rejects.toMatchObject(failure(code));
    await expect(store.load(at(records, 0).id)).rejects.toMatchObject(failure(code));
    store.ports = { ...store.ports, blobs };
    expect(await store.load(S)).toMatchObject({ fellBackFrom: [] });
    expect(store.disk.quarantine.size).toBe(0);
  });
});

describe("a damaged checkpoint in the middle of a chain", () => {
  it("is the only one marked: its dependents stay in place, and are readable once its file is back", async () => {
    const { store, records } = await grown(8);
    const damaged = at(records, 3);
    expect(damaged.baseId).not.toBeNull();
    const good = spoil(store, damaged);
    const error = failure("CHECKPOINT_CORRUPT", { checkpointId: at(records, 0).id, nearestValidId: at(records, 4).id });
    await expect(store.load(at(records, 0).id)).rejects.toMatchObject(error);
    const marked = async (): Promise<CheckpointId[]> => {
      const { records: all } = await queryCheckpoints(store.storage.catalog, { filter: { sessionId: S }, limit: 100, offset: 0 });
      return all.filter((record) => record.damaged).map(({ id }) => id);
    };
    expect(await marked()).toEqual([damaged.id]);
    expect([...store.disk.quarantine.keys()]).toEqual([`quarantine/${damaged.blob}`]);
    for (const { id } of records.slice(4)) await store.load(id);

    store.disk.blobs.set(damaged.blob, good);
    expect(await verifyStore(store.ports)).toMatchObject({ findings: [{ kind: "marked-but-whole", checkpointId: damaged.id }] });
    expect((await repairStore(store.ports)).repaired).toHaveLength(1);
    expect(await marked()).toEqual([]);
    for (const [index, { id }] of records.entries())
      expect((await store.load(id)).contextText()).toBe(JSON.stringify(contextAt(index + 1)));
  });

  it("names the nearest older readable one, else the nearest newer", async () => {
    const { store, records } = await grown(3);
    const [first, second, third] = records as [CheckpointRecord, CheckpointRecord, CheckpointRecord];
    store.disk.blobs.delete(third.blob);
    await expect(store.load(third.id)).rejects.toMatchObject({
      details: { nearestValidId: second.id },
      hint: expect.stringContaining(second.id),
    });
    store.disk.blobs.delete(first.blob);
    await expect(store.load(first.id)).rejects.toMatchObject({ details: { nearestValidId: second.id } });
    store.disk.blobs.delete(second.blob);
    await expect(store.load(second.id)).rejects.toMatchObject({ details: { nearestValidId: null } });
  });
});

it("is not assumed when record and file disagree: the file's metadata is used", async () => {
  const { store, records } = await grown(3);
  const catalog = withAnswers(store.storage.catalog, ({ of }, answer) => {
    if (of !== "checkpoint") return answer;
    const row = answer as CheckpointRow;
    return { ...row, record: { ...row.record, name: "flipped", tags: ["flipped"], createdAt: new Date(0) } };
  });
  for (const record of records) {
    const loaded = await loadCheckpoint({ ...store.ports, catalog }, { checkpointId: record.id });
    expect(loaded.record).toEqual(record);
  }
});

it("is not caused by pruning a base: its bytes are kept for the dependents", async () => {
  const store = aStore({ limits: { maxCheckpoints: 3 } });
  const project = await store.saved(contextAt(1), { kind: "project" });
  for (let step = 2; step <= 4; step++) await store.saved(contextAt(step));
  while ((await compactSession(store.ports, S)).hasMore);
  expect((await findCheckpoint(store.storage.catalog, project.id))?.baseId).not.toBeNull();
  for (let step = 5; step <= 8; step++) await store.saved(contextAt(step));
  await store.background.idle();
  expect((await store.load(project.id)).contextText()).toBe(JSON.stringify(contextAt(1)));
  expect((await verifyStore(store.ports)).findings).toEqual([]);
});

it("quarantines a second blob of the same name next to the first", async () => {
  const store = aStore();
  const { blob } = await store.saved({ n: 1 });
  expect(await store.storage.blobs.quarantine(blob)).toBe(`quarantine/${blob}`);
  expect(await store.storage.blobs.quarantine(blob)).toBeUndefined();
  store.disk.blobs.set(blob, new Uint8Array(1));
  expect(await store.storage.blobs.quarantine(blob)).toBe(`quarantine/${blob}.1`);
});

it("prunes a damaged checkpoint like any other", async () => {
  const store = aStore({ limits: { maxCheckpoints: 2 } });
  const first = await store.saved({ n: 1 });
  store.disk.blobs.delete(first.blob);
  await expect(store.load(first.id)).rejects.toMatchObject(failure("CHECKPOINT_CORRUPT"));
  for (const n of [2, 3]) await store.saved({ n });
  expect(await findCheckpoint(store.storage.catalog, first.id)).toBeUndefined();
  expect(await findSession(store.storage.catalog, S)).toMatchObject({ checkpointCount: 2, damagedCount: 0 });
});

it("quarantines, and does not delete, an unreadable blob whose id is saved again", async () => {
  const store = aStore();
  const ref = store.storage.blobs.refOf({ sessionId: S, checkpointId: "own" as CheckpointId });
  store.disk.blobs.set(ref, new Uint8Array([1, 2, 3]));
  await store.saved({ n: 1 }, { checkpointId: "own" as CheckpointId });
  expect((await store.load(S)).context).toEqual({ n: 1 });
  expect(store.disk.quarantine.get(`quarantine/${ref}`)).toEqual(new Uint8Array([1, 2, 3]));
});

describe("verifying", () => {
  it("checks the trash, and reports checkpoints there that cannot be restored", async () => {
    const { store, records } = await grown(4);
    const [lost, torn, whole] = records as [CheckpointRecord, CheckpointRecord, CheckpointRecord];
    await removeCheckpoints(store.ports, { checkpointIds: [lost.id, torn.id, whole.id] });
    expect((await verifyStore(store.ports)).findings).toEqual([]);
    store.disk.blobs.delete(lost.blob);
    spoil(store, torn);
    const { checkpoints, findings } = await verifyStore(store.ports);
    expect(checkpoints).toBe(1);
    const told = findings.map(({ checkpointId, kind, reason }) => `${checkpointId} ${kind} ${/in the trash/u.test(reason)}`);
    expect(new Set(told)).toEqual(new Set([`${lost.id} damaged true`, `${torn.id} damaged true`]));
    const { repaired, left } = await repairStore(store.ports);
    expect([repaired, left]).toMatchObject([[], findings]);
    await emptyTrash(store.ports);
    expect((await verifyStore(store.ports)).findings).toEqual([]);
  });

  it("and then repair is not stopped by new damage, which is reported", async () => {
    const { store, records } = await grown(4);
    const [first, , third] = records as [CheckpointRecord, CheckpointRecord, CheckpointRecord];
    const bytes = spoil(store, third);
    await repairStore(store.ports);
    store.disk.blobs.set(third.blob, bytes);
    spoil(store, first);
    // The check goes from newest to oldest, so this blob was checked already.
    const onProgress = ({ done }: VerifyProgress): void => {
      if (done === 4) store.disk.blobs.set(third.blob, new Uint8Array([1, 2, 3]));
    };
    const { repaired, left } = await repairStore(store.ports, { onProgress });
    expect(repaired).toMatchObject([{ kind: "damaged", checkpointId: first.id }]);
    expect(left).toMatchObject([{ kind: "marked-but-whole", checkpointId: third.id, reason: expect.stringContaining("cannot be read") }]);
  });

  it("finds no fault in an intact store, and reports its progress", async () => {
    const { store } = await grown(8);
    const progress: number[] = [];
    const report = await verifyStore(store.ports, { onProgress: ({ done, total }) => progress.push(done, total) });
    expect(report).toEqual({ checkpoints: 8, sessions: 1, marked: 0, orphans: [], findings: [], isComplete: true });
    expect(progress.slice(0, 4)).toEqual([1, 8, 2, 8]);
  });

  it("reports each kind of damage and its repair, and changes nothing", async () => {
    const { store, records } = await grown(8);
    spoil(store, at(records, 3));
    store.disk.blobs.delete(at(records, 6).blob);
    const edges = records.flatMap(({ id, baseId }) => (baseId === null ? [] : [{ dependent: id, base: baseId }]));
    await store.storage.catalog.change(commit({ edges: { add: [], drop: edges }, audit: [] }));
    const orphan = "memory:s1/orphan" as BlobRef;
    const whole = "memory:s1/whole" as BlobRef;
    store.disk.blobs.set(orphan, new Uint8Array(9));
    await store.leaveBlob({ context: { n: 1 }, checkpointId: "left" as CheckpointId });
    const before = structuredClone([...store.disk.blobs]);
    const report = await verifyStore(store.ports);
    const kinds = Map.groupBy(report.findings, ({ kind }) => kind);
    expect(kinds.get("damaged")?.map(({ checkpointId }) => checkpointId)).toEqual([at(records, 6).id, at(records, 3).id]);
    // Nothing depends on the second newest: only the dependents of the fourth are lost with it.
    expect(kinds.get("depends-on-damaged")?.length).toBeGreaterThan(0);
    expect(kinds.get("edge-missing")?.length).toBeGreaterThan(0);
    expect(kinds.get("orphan-unreadable")).toMatchObject([{ ref: orphan }]);
    expect(report.orphans).toHaveLength(1);
    const preview = await repairStore(store.ports, { dryRun: true });
    expect([...preview.repaired, ...preview.left]).toHaveLength(report.findings.length);
    expect([...store.disk.blobs]).toEqual(before);
    expect(store.disk.blobs.has(whole)).toBe(false);

    const repaired = await repairStore(store.ports);
    expect(repaired.repaired).toEqual(preview.repaired);
    expect(repaired.left.every(({ kind }) => kind === "depends-on-damaged")).toBe(true);
    expect(repaired.advice).toHaveLength(2);
    const after = await verifyStore(store.ports);
    expect(after).toMatchObject({ marked: 2 });
    const marked = after.findings.filter(({ kind }) => kind !== "depends-on-damaged");
    expect(marked).toMatchObject([6, 3].map((index) => ({ kind: "marked", checkpointId: at(records, index).id })));
    const again = await repairStore(store.ports);
    expect(again).toMatchObject({ repaired: [], left: after.findings });
    expect(again.advice).toHaveLength(3);
  });

  it("stops when aborted, and reports that", async () => {
    const { store } = await grown(8);
    const signal = { aborted: false };
    const report = await verifyStore(store.ports, { signal, onProgress: ({ done }) => (signal.aborted = done === 3) });
    expect(report).toMatchObject({ checkpoints: 3, isComplete: false, findings: [] });
  });

  it("reports no false damage during saves, compaction and pruning", async () => {
    const { store } = await grown(12, aStore({ limits: { maxCheckpoints: 12 } }));
    let step = 13;
    const get: BlobStore["get"] = async (ref) => {
      if (step < 40) {
        step += 1;
        await store.saved(contextAt(step));
        await compactSession({ ...store.ports, blobs: store.storage.blobs }, S);
      }
      return store.storage.blobs.get(ref);
    };
    const report = await verifyStore({ ...store.ports, blobs: withMethods<BlobStore>(store.storage.blobs, { get }) });
    expect(report).toMatchObject({ findings: [], orphans: [], isComplete: true });
  });

  it("reports no false damage for a re-encoded file whose record is not yet updated", async () => {
    const { store } = await grown(3);
    await store.saved(contextAt(4));
    const reports: Promise<VerifyReport>[] = [];
    const replace: BlobStore["replace"] = async (ref, bytes) => {
      await store.storage.blobs.replace(ref, bytes);
      await new Promise<void>((looked) => {
        const onProgress = ({ done, total }: VerifyProgress) => done === total && looked();
        reports.push(verifyStore(store.ports, { onProgress }));
      });
    };
    await compactSession({ ...store.ports, blobs: withMethods<BlobStore>(store.storage.blobs, { replace }) }, S);
    expect(reports.length).toBeGreaterThan(0);
    for (const report of await Promise.all(reports)) expect(report.findings).toEqual([]);
  });

  it("corrects the encoding in a record after a crash, and reports no damage since the content is exact", async () => {
    const { store, records } = await grown(8);
    const delta = at(records, 2);
    const apartFrom = { baseId: null, blobBytes: delta.blobBytes + 500, keyId: null };
    await store.storage.catalog.change(changeForm(delta, apartFrom, async () => {}));
    const apart = await findCheckpoint(store.storage.catalog, delta.id);
    expect(await repairStore(store.ports, { dryRun: true })).toMatchObject({ repaired: [], left: [] });
    expect(await findCheckpoint(store.storage.catalog, delta.id)).toEqual(apart);
    const change = (): Promise<never> => Promise.reject(new WorkrailError("READ_ONLY", "Nothing may be written."));
    const catalog = withMethods<CatalogPort>(store.storage.catalog, { change });
    expect((await verifyStore({ ...store.ports, catalog })).findings).toEqual([]);
    expect(await findCheckpoint(store.storage.catalog, delta.id)).toEqual(apart);
    expect((await verifyStore(store.ports)).findings).toEqual([]);
    expect(await findCheckpoint(store.storage.catalog, delta.id)).toEqual(delta);
  });
});

it("and its dependents return with a rebuild that finds its file again, even after a garbage collection", async () => {
  const { store, records } = await grown(5);
  const [lost, dependent] = [at(records, 2), at(records, 1)];
  expect(dependent.baseId).toBe(lost.id);
  const good = spoil(store, lost);
  await verifyStore(store.ports);
  await repairStore(store.ports);
  const report = await rebuildCatalog(store.ports);
  expect(report.checkpoints).toBe(2);
  expect(report.unreadable.map(({ ref }) => ref).toSorted()).toEqual([at(records, 0).blob, dependent.blob].toSorted());
  expect(await collectGarbage(store.ports)).toMatchObject({ blobs: 0, quarantined: 2 });
  for (const { blob } of [at(records, 0), dependent]) {
    store.disk.blobs.set(blob, store.disk.quarantine.get(`quarantine/${blob}`) as Uint8Array);
  }
  store.disk.blobs.set(lost.blob, good);
  expect(await rebuildCatalog(store.ports)).toMatchObject({ checkpoints: 5, unreadable: [] });
  for (const [index, { id }] of records.entries()) {
    expect((await store.load(id)).contextText()).toBe(JSON.stringify(contextAt(index + 1)));
  }
});

it("a delta takes no facts from a file that its base's record does not describe", async () => {
  const { store, records } = await grown(5);
  const [delta, base] = deltaAndWholeBase(records);
  // Another save under the id of the base. The delta replaces all content in which the two differ.
  const content = prepareContext({ ...contextAt(base.sequence), step: 999 }, store.ports.limits, store.ports.digests);
  const {
    exactDigest,
    canonicalDigest,
    bytes,
    bytes: { length: contextBytes },
  } = content;
  const facts = { ...base, agentId: "another", attributes: { other: true }, exactDigest, canonicalDigest, contextBytes };
  store.disk.blobs.set(base.blob, await store.ports.codec.encode(encodeEnvelope(facts, bytes, store.ports.digests)));
  await expect(store.load(delta.id)).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
});

function deltaAndWholeBase(records: readonly CheckpointRecord[]): readonly [delta: CheckpointRecord, base: CheckpointRecord] {
  for (const base of records) {
    const delta = base.baseId === null ? records.find((record) => record.baseId === base.id) : undefined;
    if (delta !== undefined) return [delta, base];
  }
  throw new Error("No delta has a whole base.");
}
