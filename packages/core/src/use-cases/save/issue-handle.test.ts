import { type CheckpointId, type CheckpointRecord, HANDLE_MS, issueHandle, saveAside } from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, S, type TestStore } from "../../../../memory/src/testing/a-store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const AT = new Date("2027-03-04T05:06:07.008Z");

function handleOf(store: TestStore, checkpointId: CheckpointId) {
  return issueHandle(store.ports, { checkpointId });
}

function pass(store: TestStore, ms: number): void {
  store.clock.set(new Date(store.clock.now().getTime() + ms));
}

function move(store: TestStore, { id }: CheckpointRecord, ends: { from: "live"; to: "trash" } | { from: "trash"; to: "nowhere" }) {
  return store.storage.catalog.commit({ move: { sessionId: S, checkpoints: [id], at: AT, reason: "test", ...ends }, audit: [] });
}

it("is valid for seven days, is reused while most of that is left, and is extended afterwards", async () => {
  const store = aStore();
  const { id } = await store.saved({ step: 1 });
  const first = await handleOf(store, id);
  const heldMs = Number(first?.validUntil) - store.clock.now().getTime();
  expect(heldMs).toBeGreaterThan(HANDLE_MS - 60_000);
  expect(heldMs).toBeLessThanOrEqual(HANDLE_MS);
  pass(store, DAY_MS / 2);
  expect(await handleOf(store, id)).toEqual(first);
  pass(store, DAY_MS);
  expect(Number((await handleOf(store, id))?.validUntil)).toBeGreaterThan(Number(first?.validUntil) + DAY_MS);
});

it("is not issued for a checkpoint that is missing or in the trash", async () => {
  const store = aStore();
  expect(await handleOf(store, "missing" as CheckpointId)).toBeUndefined();
  const record = await store.saved({ step: 1 });
  await move(store, record, { from: "live", to: "trash" });
  expect(await handleOf(store, record.id)).toBeUndefined();
});

it("reports where its checkpoint went", async () => {
  const store = aStore();
  const { record } = await saveAside(store.ports, { sessionId: S, context: { step: 1 } });
  await move(store, record, { from: "live", to: "trash" });
  await expect(store.load(record.id)).rejects.toMatchObject({
    code: "CHECKPOINT_NOT_FOUND",
    details: { checkpointId: record.id, sessionId: S, trashedAt: AT.toISOString() },
    hint: expect.stringContaining(`workrail trash restore ${S} ${record.id}`),
  });
  await move(store, record, { from: "trash", to: "nowhere" });
  await expect(store.load(record.id)).rejects.toMatchObject({
    code: "CHECKPOINT_NOT_FOUND",
    details: { checkpointId: record.id },
    hint: expect.stringContaining("removed on purpose"),
  });
});
