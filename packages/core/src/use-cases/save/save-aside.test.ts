import { type CheckpointRecord, type Context, saveAside } from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, OTHER, S, type TestStore } from "../../../../memory/src/testing/a-store.ts";

const CONTEXT: Context = { goal: "ship", step: 2 };

async function keep(store: TestStore, context: Context = CONTEXT): Promise<CheckpointRecord> {
  return (await saveAside(store.ports, { sessionId: S, context, agentId: "agent", project: "/p" })).record;
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

it("rejects a value that is no context", async () => {
  await expect(keep(aStore(), { n: Number.NaN })).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
