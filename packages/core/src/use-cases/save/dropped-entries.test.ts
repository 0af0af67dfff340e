import { expect, it } from "vitest";
import { aStore, OTHER, withMethods } from "../../../../memory/src/testing/a-store.ts";
import type { JsonValue } from "../../model/context.ts";
import { droppedSince, RecentKeys } from "./dropped-entries.ts";

/** A store that counts the blobs it reads. */
function aCountingStore(): ReturnType<typeof aStore> & { reads: number } {
  const store = aStore();
  const counting = { ...store, reads: 0 };
  const { blobs } = store.ports;
  const get: typeof blobs.get = (ref) => {
    counting.reads += 1;
    return blobs.get(ref);
  };
  Object.assign(store.ports, { recentKeys: new RecentKeys(), blobs: withMethods(blobs, { get }) });
  return counting;
}

it("a save that keeps all keys of a known parent does not read it", async () => {
  const store = aCountingStore();
  await store.saved({ goal: "g", n: 1 });
  expect(await store.save({ goal: "h", n: 2, more: true })).not.toHaveProperty("dropped");
  expect(store.reads).toBe(0);
});

it("a save that lacks a key of a known parent reads it, and reports the key", async () => {
  const store = aCountingStore();
  await store.saved({ goal: "g", n: 1 });
  expect(await store.save({ n: 2 })).toMatchObject({ dropped: { keys: ["goal"], critical: ["goal"] } });
  expect(store.reads).toBe(1);
});

it("a save reads a parent that is not known", async () => {
  const store = aCountingStore();
  const earlier = await store.saved({ goal: "g" }, { sessionId: OTHER });
  Object.assign(store.ports, { recentKeys: new RecentKeys() });
  expect(await store.save({ n: 1 }, { parentId: earlier.id })).toMatchObject({ dropped: { keys: ["goal"] } });
  expect(await store.save({ n: 2, goal: "g" })).not.toHaveProperty("dropped");
  expect(store.reads).toBe(1);
});

it("a save reports a key that the caller removed from the parent's context during the parent's save", async () => {
  const store = aCountingStore();
  const context: Record<string, JsonValue> = { goal: "g", n: 1 };
  const saving = store.saved(context);
  delete context["goal"];
  await saving;
  expect(await store.save({ n: 2 })).toMatchObject({ dropped: { keys: ["goal"] } });
});

it("loads of one checkpoint read its parent once, when the parent has no more keys", async () => {
  const store = aCountingStore();
  await store.saved({ goal: "g" });
  const record = await store.saved({ goal: "h", n: 2 });
  Object.assign(store.ports, { recentKeys: new RecentKeys() });
  const loaded = { record, context: { goal: "h", n: 2 }, session: undefined };
  for (let load = 0; load < 3; load++) expect(await droppedSince(store.ports, loaded)).toBeUndefined();
  expect(store.reads).toBe(1);
});

it("forgets the oldest, and does not keep the keys of very wide contexts", () => {
  const keys = new RecentKeys();
  const digests = Array.from({ length: 101 }, (_, index) => index.toString(16).padStart(64, "0"));
  for (const digest of digests) keys.add(digest as never, { a: 1 });
  expect(digests.filter((digest) => !keys.areAllIn({ a: 2 }, digest as never))).toEqual(digests.slice(0, 1));
  keys.add("w" as never, Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, index])));
  expect(keys.areAllIn({}, "w" as never)).toBe(false);
});
