import { randomBytes } from "node:crypto";
import {
  type CatalogPort,
  type CheckpointId,
  type Context,
  DEFAULT_LIMITS,
  LABEL_LIMITS,
  parseSessionId,
  type SaveInput,
} from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, digests, failure, OTHER, S, withAnswers, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { findCheckpoint, findHead } from "../../catalog/queries/query-checkpoints.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";

const MINE = "my-own-id" as CheckpointId;

describe("a first save", () => {
  it("names a session with a generated id by its goal, and looks for none in others", async () => {
    const { save } = aStore();
    const searched: Context[] = [];
    const nameSession = (context: Context): string => {
      searched.push(context);
      return "mend the login";
    };
    const sessionId = parseSessionId("5f0c7b1e-4d3a-4a53-9c1f-0123456789ab");
    expect((await save({ a: 1 }, { sessionId, nameSession })).record.attributes).toEqual({ sessionName: "mend the login" });
    expect((await save({ b: 2 }, { sessionId: OTHER, nameSession })).record.attributes).toEqual({});
    expect(searched).toEqual([{ a: 1 }]);
  });

  it("creates the session and its head, with all given data", async () => {
    const { save, storage, disk } = aStore();
    const context = { plan: "read", n: 1 };
    const labels = { name: "first", tags: ["a", "b", "a"], attributes: { mood: "good" } };
    const result = await save(context, { ...labels, agentId: "agent", workflowId: "flow", project: "/p" });
    const text = JSON.stringify(context);
    const at = new Date("2026-01-01T00:00:00.000Z");
    expect(result).toEqual({
      status: "saved",
      removed: [],
      bytes: { session: result.record.blobBytes, store: result.record.blobBytes },
      record: {
        id: "00000000-c8ec-4000-8000-000000000001",
        sessionId: S,
        parentId: null,
        kind: "workflow",
        sequence: 1,
        createdAt: at,
        lastAccessedAt: at,
        damaged: false,
        agentId: "agent",
        workflowId: "flow",
        project: "/p",
        name: "first",
        tags: ["a", "b"],
        attributes: { mood: "good" },
        exactDigest: digests.sha256(text),
        canonicalDigest: digests.sha256(`{"n":1,"plan":"read"}`),
        contextBytes: text.length,
        layers: { IMPORTANT: 1, EPHEMERAL: 1 },
        writer: "workrail/test",
        blob: "memory:s1/00000000-c8ec-4000-8000-000000000001",
        blobBytes: expect.any(Number),
        baseId: null,
        keyId: null,
      },
    });
    expect(await findHead(storage.catalog, S)).toEqual(result.record);
    expect(await findSession(storage.catalog, S)).toMatchObject({
      createdAt: at,
      checkpointCount: 1,
      totalSizeBytes: result.record.blobBytes,
    });
    expect(disk.blobs.get(result.record.blob)?.length).toBe(result.record.blobBytes);
    expect(disk.catalog.audit).toMatchObject([
      { number: 1, at, action: "save", sessionId: S, checkpointId: result.record.id, agentId: "agent" },
    ]);
  });

  it("is not affected by later changes of the caller's object", async () => {
    const { saved, load } = aStore();
    const context = { list: [1] };
    const tags = ["a"];
    const saving = saved(context, { tags });
    context.list.push(2);
    tags.push("b");
    const { id } = await saving;
    expect((await load(id)).context).toEqual({ list: [1] });
  });
});

it("continues from the head, and numbers checkpoints in call order", async () => {
  const { saved, save } = aStore();
  const first = await saved({ n: 1 });
  const second = await saved({ n: 2 });
  expect(second).toMatchObject({ parentId: first.id, sequence: 2 });
  const all = await Promise.all([3, 4, 5, 6].map((n) => save({ n })));
  expect(all.map(({ record }) => record.sequence)).toEqual([3, 4, 5, 6]);
  expect(all[1]?.record.parentId).toBe(all[0]?.record.id);
});

it("orders by position and never by a clock", async () => {
  const { saved, load, clock } = aStore();
  await saved({ n: 1 });
  clock.set(new Date("1999-01-01"));
  const second = await saved({ n: 2 });
  expect((await load(S)).record.id).toBe(second.id);
});

describe("unchanged content", () => {
  it("is skipped, returns the existing checkpoint, and leaves nothing behind", async () => {
    const { saved, save, disk } = aStore();
    const first = await saved({ a: 1, b: 2 });
    expect(await save({ a: 1, b: 2 })).toEqual({ status: "unchanged", record: first, ignored: [] });
    expect(disk.blobs.size).toBe(1);
    expect(disk.catalog.audit).toHaveLength(1);
  });

  it("is skipped in another key order too, and the result names the dropped inputs", async () => {
    const { saved, save } = aStore();
    await saved({ a: 1, b: 2 }, { name: "n", tags: ["t"], attributes: { x: { y: 1 } } });
    expect(await save({ b: 2, a: 1 })).toMatchObject({ status: "unchanged", ignored: ["keyOrder"] });
    expect(await save({ a: 1, b: 2 }, { name: "n", tags: ["t"], attributes: { x: { y: 1 } } })).toMatchObject({ ignored: [] });
    expect(await save({ a: 1, b: 2 }, { name: "m", tags: ["t", "u"], attributes: { x: 1 } })).toMatchObject({
      ignored: ["name", "tags", "metadata"],
    });
  });

  it("names each input of the call that the existing checkpoint lacks", async () => {
    const { saved, save } = aStore();
    const parent = await saved({ n: 0 }, { workflowId: "w", agentId: "a" });
    const { id: head } = await saved({ n: 1 }, { workflowId: "w", agentId: "a" });
    const other = await saved({ n: 2 }, { sessionId: OTHER });
    for (const parentId of [parent.id, head]) {
      expect(await save({ n: 1 }, { parentId, checkpointId: head, workflowId: "w", agentId: "a" })).toMatchObject({ ignored: [] });
    }
    const brought = { parentId: other.id, checkpointId: MINE, workflowId: "v", agentId: "b" };
    expect(await save({ n: 1 }, brought)).toMatchObject({
      status: "unchanged",
      ignored: ["checkpointId", "parentId", "workflowId", "agentId"],
    });
  });

  it("is compared only with the head", async () => {
    const { saved } = aStore();
    await saved({ n: 1 });
    await saved({ n: 2 });
    expect((await saved({ n: 1 })).sequence).toBe(3);
    expect((await saved({ n: 1 }, { sessionId: OTHER })).sequence).toBe(1);
  });

  it("is saved with force", async () => {
    const { saved } = aStore();
    const first = await saved({ n: 1 });
    expect(await saved({ n: 1 }, { force: true })).toMatchObject({ sequence: 2, parentId: first.id });
  });

  it.each(["project", "conversation", "aside"] as const)("is saved when it is of the kind %s", async (kind) => {
    const { saved } = aStore();
    await saved({ n: 1 }, { kind });
    expect((await saved({ n: 1 }, { kind })).sequence).toBe(2);
  });

  it("is detected in the transaction too, after a concurrent save", async () => {
    const store = aStore();
    const first = await store.saved({ n: 1 });
    const theirs = await store.saved({ n: 2 });
    store.ports = {
      ...store.ports,
      catalog: withAnswers(store.storage.catalog, ({ of }, answer) => (of === "checkpoints" ? [{ record: first }] : answer)),
    };
    expect(await store.save({ n: 2 })).toEqual({ status: "unchanged", record: theirs, ignored: [] });
    await store.background.idle();
    expect(store.disk.blobs.size).toBe(2);
  });
});

it("never makes an aside the head", async () => {
  const { saved, load } = aStore();
  const first = await saved({ n: 1 });
  const aside = await saved({ n: 2 }, { kind: "aside" });
  expect(aside).toMatchObject({ sequence: 2, parentId: first.id });
  expect((await load(S)).record.id).toBe(first.id);
  expect(await saved({ n: 3 })).toMatchObject({ sequence: 3, parentId: first.id });
});

describe("a save that expects a head", () => {
  it("succeeds when the expected head is the head, or when none exists and none is expected", async () => {
    const { saved } = aStore();
    const first = await saved({ n: 1 }, { expectedParentId: null });
    expect(await saved({ n: 2 }, { expectedParentId: first.id })).toMatchObject({ parentId: first.id });
  });

  it("conflicts after a save by another client", async () => {
    const { saved, save, disk } = aStore();
    const first = await saved({ n: 1 });
    const second = await saved({ n: 2 });
    const details = { sessionId: S, expectedParentId: first.id, actualParentId: second.id };
    await expect(save({ n: 3 }, { expectedParentId: first.id })).rejects.toMatchObject(failure("CONFLICT", details));
    await expect(save({ n: 3 }, { expectedParentId: null })).rejects.toMatchObject(failure("CONFLICT"));
    await expect(save({ n: 3 }, { expectedParentId: first.id, sessionId: OTHER })).rejects.toMatchObject(
      failure("CONFLICT", { actualParentId: null }),
    );
    expect(disk.blobs.size).toBe(2);
  });

  it("returns unchanged when it is a retry of a save whose answer was lost", async () => {
    const { saved, save } = aStore();
    const first = await saved({ n: 1 }, { expectedParentId: null });
    expect(await save({ n: 1 }, { expectedParentId: null })).toMatchObject({ status: "unchanged", record: first });
    const second = await saved({ a: 1, b: 2 }, { expectedParentId: first.id, force: true });
    expect(await save({ a: 1, b: 2 }, { expectedParentId: first.id, force: true })).toMatchObject({ status: "unchanged", record: second });
    // Different bytes are another save, even with the same meaning.
    await expect(save({ b: 2, a: 1 }, { expectedParentId: first.id })).rejects.toMatchObject(failure("CONFLICT"));
  });

  it("recognises a fork whose answer was lost", async () => {
    const { saved, save } = aStore();
    const first = await saved({ n: 1 });
    const second = await saved({ n: 2 });
    const input = { parentId: first.id, expectedParentId: second.id };
    const fork = await saved({ n: 3 }, input);
    expect(await save({ n: 3 }, input)).toMatchObject({ status: "unchanged", record: fork });
  });

  it("is decided in the transaction, regardless of the head before", async () => {
    const store = aStore();
    const first = await store.saved({ n: 1 });
    const second = await store.saved({ n: 2 });
    store.ports = {
      ...store.ports,
      catalog: withAnswers(store.storage.catalog, ({ of }, answer) => (of === "checkpoints" ? [{ record: first }] : answer)),
    };
    await expect(store.save({ n: 3 }, { expectedParentId: first.id })).rejects.toMatchObject(
      failure("CONFLICT", { actualParentId: second.id }),
    );
    expect(await store.save({ n: 2 }, { expectedParentId: first.id })).toMatchObject({ status: "unchanged", record: second });
    await store.background.idle();
    expect(store.disk.blobs.size).toBe(2);
  });
});

describe("a caller's own id", () => {
  it("names the checkpoint", async () => {
    const { saved, load } = aStore();
    expect((await saved({ n: 1 }, { checkpointId: MINE })).id).toBe(MINE);
    expect((await load(MINE)).context).toEqual({ n: 1 });
  });

  it("makes repeated saves idempotent, even after others", async () => {
    const { saved, save, disk } = aStore();
    const first = await saved({ n: 1 }, { checkpointId: MINE });
    await saved({ n: 2 });
    expect(await save({ n: 1 }, { checkpointId: MINE })).toEqual({ status: "unchanged", record: first, ignored: [] });
    expect(await save({ n: 1 }, { checkpointId: MINE, force: true, expectedParentId: null })).toMatchObject({ status: "unchanged" });
    expect(disk.blobs.size).toBe(2);
  });

  it("conflicts with other content or another session", async () => {
    const { saved, save, load } = aStore();
    await saved({ n: 1 }, { checkpointId: MINE });
    const conflict = failure("CONFLICT", { checkpointId: MINE });
    await expect(save({ n: 2 }, { checkpointId: MINE })).rejects.toMatchObject(conflict);
    await expect(save({ n: 1 }, { checkpointId: MINE, sessionId: OTHER })).rejects.toMatchObject(conflict);
    expect((await load(MINE)).context).toEqual({ n: 1 });
  });

  it("conflicts too with a concurrent save", async () => {
    const store = aStore();
    await store.saved({ n: 1 }, { checkpointId: MINE });
    store.ports = {
      ...store.ports,
      catalog: withAnswers(store.storage.catalog, ({ of }, answer) => (of === "checkpoint" ? undefined : answer)),
    };
    await expect(store.save({ n: 2 }, { checkpointId: MINE })).rejects.toMatchObject(failure("CONFLICT", { checkpointId: MINE }));
    await expect(store.save({ n: 2 }, { checkpointId: MINE, sessionId: OTHER })).rejects.toMatchObject(failure("CONFLICT"));
    expect(await store.save({ n: 1 }, { checkpointId: MINE, force: true })).toMatchObject({ status: "unchanged" });
    await store.background.idle();
    expect((await aStore({ disk: store.disk }).load(MINE)).context).toEqual({ n: 1 });
    expect(store.disk.blobs.size).toBe(1);
  });
});

describe("a blob that a crash left under the caller's own id", () => {
  it("is reused by a retry of the same save, with the time of the first attempt", async () => {
    const store = aStore();
    await store.leaveBlob({ context: { n: 1 }, checkpointId: MINE, name: "n", tags: ["t"] });
    store.clock.set(new Date("2027-01-01"));
    const record = await store.saved({ n: 1 }, { checkpointId: MINE, name: "n", tags: ["t"] });
    expect(record.createdAt).toEqual(new Date("2026-01-01"));
    expect((await store.load(MINE)).context).toEqual({ n: 1 });
  });

  it.each<[string, Partial<SaveInput> & { readonly context: Context }]>([
    ["another content", { context: { n: 2 } }],
    ["the same content and another name", { context: { n: 1 }, name: "other" }],
    ["the same content and another parent", { context: { n: 1 }, parentId: "p" as CheckpointId }],
  ])("gives way when it holds %s", async (_, left) => {
    const store = aStore();
    await store.saved({ n: 0 }, { checkpointId: "p" as CheckpointId, sessionId: OTHER });
    await store.leaveBlob({ ...left, checkpointId: MINE });
    await store.saved({ n: 1 }, { checkpointId: MINE, name: "mine" });
    const { context, record } = await store.load(MINE);
    expect([context, record.name, record.parentId]).toEqual([{ n: 1 }, "mine", null]);
  });

  it("is replaced when damaged", async () => {
    const store = aStore();
    await store.leaveBlob({ context: { n: 1 }, checkpointId: MINE });
    const ref = store.storage.blobs.refOf({ sessionId: S, checkpointId: MINE });
    store.disk.blobs.set(ref, Buffer.from("half a bl"));
    await store.saved({ n: 1 }, { checkpointId: MINE });
    expect((await store.load(MINE)).context).toEqual({ n: 1 });
  });

  it("stays, and makes the save fail, when a newer version wrote it", async () => {
    const store = aStore();
    const ref = store.storage.blobs.refOf({ sessionId: S, checkpointId: MINE });
    const newer = await store.ports.codec.encode(Buffer.from(`{"workrail":99,"x":1}\n`));
    store.disk.blobs.set(ref, newer);
    await expect(store.save({ n: 1 }, { checkpointId: MINE })).rejects.toMatchObject(failure("UNSUPPORTED_VERSION"));
    expect(store.disk.blobs.get(ref)).toEqual(newer);
  });

  it("is not taken for ours when another process writes it just before our commit", async () => {
    const store = aStore();
    const theirs = aStore();
    await theirs.saved({ n: 2 }, { checkpointId: MINE });
    const change: CatalogPort["change"] = async (rule) => {
      for (const [ref, bytes] of theirs.disk.blobs) store.disk.blobs.set(ref, bytes);
      return store.storage.catalog.change(rule);
    };
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
    await store.saved({ n: 1 }, { checkpointId: MINE });
    expect((await store.load(MINE)).context).toEqual({ n: 1 });
  });
});

describe("a parent", () => {
  it("may be any checkpoint, of any session", async () => {
    const { saved } = aStore();
    const first = await saved({ n: 1 });
    await saved({ n: 2 });
    expect(await saved({ n: 3 }, { parentId: first.id })).toMatchObject({ parentId: first.id, sequence: 3 });
    expect(await saved({ n: 3 }, { parentId: first.id, sessionId: OTHER })).toMatchObject({ parentId: first.id, sequence: 1 });
  });

  it("must exist", async () => {
    const { save, disk } = aStore();
    await expect(save({ n: 1 }, { parentId: "nowhere" as CheckpointId })).rejects.toMatchObject(
      failure("CHECKPOINT_NOT_FOUND", { checkpointId: "nowhere", field: "parentId" }),
    );
    expect(disk.blobs.size).toBe(0);
  });
});

describe("the limit of checkpoints", () => {
  it("removes the oldest with their blobs, and reports that", async () => {
    const { saved, save, storage, disk, background } = aStore({ limits: { maxCheckpoints: 2 } });
    const [first, second] = [await saved({ n: 1 }), await saved({ n: 2 })];
    const result = await save({ n: 3 }, { agentId: "agent" });
    expect(result).toMatchObject({ status: "saved", removed: [first] });
    await background.idle();
    expect([...disk.blobs.keys()]).toEqual([second.blob, result.record.blob]);
    expect(await findCheckpoint(storage.catalog, first.id)).toBeUndefined();
    expect(disk.catalog.audit.slice(-2)).toMatchObject([
      { action: "prune", sessionId: S, checkpointId: first.id },
      { action: "save", sessionId: S, checkpointId: result.record.id },
    ]);
    expect(await findSession(storage.catalog, S)).toMatchObject({ checkpointCount: 2 });
    expect((await saved({ n: 4 })).sequence).toBe(4);
  });

  it("neither counts nor removes other kinds", async () => {
    const { saved, storage } = aStore({ limits: { maxCheckpoints: 2 } });
    const kept = [await saved({ n: 1 }, { kind: "project" }), await saved({ n: 2 }, { kind: "conversation" })];
    for (let n = 3; n < 8; n++) await saved({ n });
    for (let n = 8; n < 11; n++) await saved({ n }, { kind: "project" });
    for (const { id } of kept) expect(await findCheckpoint(storage.catalog, id)).toBeDefined();
    expect(await findSession(storage.catalog, S)).toMatchObject({ checkpointCount: 7 });
  });

  it("applies to each session separately", async () => {
    const { saved, storage } = aStore({ limits: { maxCheckpoints: 1 } });
    const other = await saved({ n: 1 }, { sessionId: OTHER });
    await saved({ n: 1 });
    await saved({ n: 2 });
    expect(await findCheckpoint(storage.catalog, other.id)).toBeDefined();
  });
});

describe("excess input is rejected before any write", () => {
  it.each<[string, Partial<SaveInput>]>([
    ["name", { name: "x".repeat(LABEL_LIMITS.nameLength + 1) }],
    ["agentId", { agentId: "" }],
    ["workflowId", { workflowId: "\ud800" }],
    ["tags", { tags: ["t".repeat(LABEL_LIMITS.tagLength + 1)] }],
    ["metadata", { attributes: { a: "x".repeat(LABEL_LIMITS.attributesLength) } }],
    ["context", { context: [] as unknown as Context }],
    [`context["a"]`, { context: { a: () => 1 } as unknown as Context }],
  ])("%s", async (field, input) => {
    const { save, disk } = aStore();
    await expect(save({ n: 1 }, input)).rejects.toMatchObject(failure("INVALID_INPUT", { field }));
    expect(disk.blobs.size).toBe(0);
  });

  it("a context of too many bytes", async () => {
    const { save, disk } = aStore({ limits: { maxContextBytes: 100 } });
    await expect(save({ text: "x".repeat(100) })).rejects.toMatchObject(failure("TOO_LARGE", { limit: "maxContextBytes" }));
    expect(disk.blobs.size).toBe(0);
  });

  it("a checkpoint with too many compressed bytes, of any context size", async () => {
    const { saved, save, disk, load } = aStore({ limits: { maxCheckpointBytes: 2_000 } });
    await saved({ text: "x".repeat(100_000) });
    await expect(save({ text: randomBytes(2_000).toString("hex") })).rejects.toMatchObject(
      failure("STORAGE_QUOTA_EXCEEDED", {
        limit: "maxCheckpointBytes",
        maxCheckpointBytes: 2_000,
        sizeBytes: expect.any(Number) as number,
      }),
    );
    expect(disk.blobs.size).toBe(1);
    expect((await load(S)).record.sequence).toBe(1);
  });
});

describe("a store that fails", () => {
  it("writes the blob again when garbage collection removed it", async () => {
    const store = aStore();
    let times = 2;
    const change: CatalogPort["change"] = async (rule) => {
      if (times-- > 0) store.disk.blobs.clear();
      return store.storage.catalog.change(rule);
    };
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
    await store.saved({ n: 1 });
    expect((await store.load(S)).context).toEqual({ n: 1 });
  });

  it("fails as unavailable when the blob vanishes each time", async () => {
    const store = aStore();
    const change = async <Out>(): Promise<Out> => ({ status: "blob-missing" }) as Out;
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
    await expect(store.save({ n: 1 })).rejects.toMatchObject(failure("STORAGE_UNAVAILABLE", { reason: "blob-missing" }));
  });

  it("keeps the blob when the commit failed: its outcome may be unknown", async () => {
    const store = aStore();
    await store.saved({ n: 1 });
    const change = (): Promise<never> => Promise.reject(new Error("disk full"));
    const { catalog } = store.storage;
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(catalog, { change }) };
    await expect(store.save({ n: 2 })).rejects.toThrow("disk full");
    await store.background.idle();
    expect(store.disk.blobs.size).toBe(2);
    expect((await store.load(S)).context).toEqual({ n: 1 });
  });

  it("lets the next save of the session through", async () => {
    const store = aStore();
    const put = store.storage.blobs.put.bind(store.storage.blobs);
    let fails = true;
    store.ports = {
      ...store.ports,
      blobs: withMethods(store.ports.blobs, {
        put: async (...args) => {
          if (!fails) return put(...args);
          fails = false;
          throw new Error("no space");
        },
      }),
    };
    const [failed, next] = await Promise.allSettled([store.save({ n: 1 }), store.save({ n: 2 })]);
    expect(failed.status).toBe("rejected");
    expect(next).toMatchObject({ status: "fulfilled", value: { status: "saved", record: { sequence: 1 } } });
  });

  it("causes an internal error when it commits a save and has no record of it", async () => {
    const store = aStore();
    const change = async <Out>(): Promise<Out> => ({ status: "committed", record: undefined, removed: [], bytes: undefined }) as Out;
    store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
    await expect(store.save({ n: 1 })).rejects.toMatchObject(failure("INTERNAL"));
  });
});

it("accepts a context exactly at the limits", async () => {
  let deep: Context = { end: true };
  for (let level = 1; level < DEFAULT_LIMITS.maxDepth; level++) deep = { in: deep };
  const { saved, load } = aStore();
  const { id } = await saved(deep);
  expect((await load(id)).context).toEqual(deep);
});

describe("a save", () => {
  it.each([
    ["session", "maxSessionBytes"],
    ["store", "maxTotalBytes"],
  ])("is refused when the %s would hold more than it may, and says how much that is", async (_, limit) => {
    const { blobBytes } = await aStore().saved({ n: 1 });
    const most = blobBytes + 1;
    const store = aStore({ limits: { [limit]: most } });
    await store.saved({ n: 1 });
    const error = { code: "STORAGE_QUOTA_EXCEEDED", details: { limit, [limit]: most, usageBytes: blobBytes } };
    await expect(store.save({ n: 2 })).rejects.toMatchObject({ ...error, hint: expect.stringMatching(/remove/u) });
    await store.background.idle();
    expect(store.disk.blobs.size).toBe(1);
    expect(await store.load(S)).toMatchObject({ context: { n: 1 } });
  });

  it("is rejected under the id of a checkpoint in the trash", async () => {
    const store = aStore();
    const checkpointId = "mine" as CheckpointId;
    await store.save({ n: 1 }, { checkpointId });
    const moving = { sessionId: S, checkpoints: [checkpointId], at: new Date(), reason: "request", from: "live", to: "trash" } as const;
    await store.storage.catalog.change(commit({ move: moving, audit: [] }));
    await expect(store.save({ n: 1 }, { checkpointId })).rejects.toMatchObject({
      code: "CONFLICT",
      hint: expect.stringMatching(/Restore/u),
    });
  });
});
