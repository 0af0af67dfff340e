import { type CheckpointRecord, type Context, HANDLE_MS, saveAside } from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, OTHER, S, type TestStore } from "../../../../memory/src/testing/a-store.ts";

const CONTEXT: Context = { goal: "ship", step: 2 };

async function keep(store: TestStore, context: Context = CONTEXT): Promise<CheckpointRecord> {
  return (await saveAside(store.ports, { sessionId: S, context, agentId: "agent", project: "/p" })).record;
}

function moved(store: TestStore, { sessionId, id }: CheckpointRecord) {
  const move = { sessionId, checkpoints: [id], from: "live", to: "trash", at: new Date(0), reason: "test" } as const;
  return store.storage.catalog.commit({ move, audit: [] });
}

it("stores a context as an aside of its session, exactly, and not as the head", async () => {
  const store = aStore();
  const head = await store.saved({ step: 1 });
  const aside = await keep(store);
  expect(aside).toMatchObject({ kind: "aside", sessionId: S, agentId: "agent", project: "/p", parentId: head.id });
  expect((await store.load(aside.id)).contextText()).toBe(JSON.stringify(CONTEXT));
  expect((await store.load(S)).record.id).toBe(head.id);
  expect((await store.saved({ step: 3 })).parentId).toBe(head.id);
});

it("stores the same context only once, despite saves in between", async () => {
  const store = aStore();
  const aside = await keep(store);
  await store.saved({ step: 1 });
  expect((await keep(store)).id).toBe(aside.id);
  const other = await keep(store, { step: 2, goal: "ship" });
  expect(other.id).not.toBe(aside.id);
});

it("stores no aside for a context that equals the head to the byte", async () => {
  const store = aStore();
  const head = await store.saved(CONTEXT);
  expect(await keep(store)).toEqual(head);
  expect(store.disk.catalog.audit).toHaveLength(1);
});

it("uses another id when its own is taken", async () => {
  const { id } = await keep(aStore());
  const store = aStore();
  await store.saved({ other: true }, { sessionId: OTHER, checkpointId: id });
  const aside = await keep(store);
  expect(aside.id).not.toBe(id);
  expect((await store.load(aside.id)).context).toEqual(CONTEXT);
});

it("shields the aside, or the head that has its content, for as long as the handle is valid", async () => {
  const store = aStore();
  const first = await saveAside(store.ports, { sessionId: S, context: CONTEXT });
  expect(first.record.shieldedUntil).toEqual(first.validUntil);
  const head = await store.saved({ step: 1 });
  const { record, validUntil } = await saveAside(store.ports, { sessionId: S, context: { step: 1 } });
  expect(record.id).toBe(head.id);
  expect((await store.storage.catalog.find(head.id))?.shieldedUntil).toEqual(validUntil);
  const other = await saveAside(store.ports, { sessionId: OTHER, context: CONTEXT });
  expect(other.record.id).not.toBe(first.record.id);
});

it("uses another id while the first aside is in the trash", async () => {
  const store = aStore();
  const first = await keep(store);
  await moved(store, first);
  const second = await keep(store);
  expect(second.id).not.toBe(first.id);
  expect((await store.load(second.id)).context).toEqual(CONTEXT);
});

it("is refused while handles hold as many asides as there may be, until the first runs out", async () => {
  const store = aStore({ limits: { maxAsides: 2 } });
  const [first, second] = [await keep(store, { step: 0 }), await keep(store, { step: 1 })];
  await expect(keep(store, { step: 2 })).rejects.toMatchObject({
    code: "STORAGE_QUOTA_EXCEEDED",
    details: { limit: "maxAsides", maxAsides: 2 },
  });
  expect((await keep(store, { step: 0 })).id).toBe(first.id);
  store.clock.set(new Date(store.clock.now().getTime() + HANDLE_MS));
  await keep(store, { step: 2 });
  await expect(store.load(first.id)).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
  expect((await store.load(second.id)).context).toEqual({ step: 1 });
});

it("rejects a value that is no context", async () => {
  await expect(keep(aStore(), { n: Number.NaN })).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
