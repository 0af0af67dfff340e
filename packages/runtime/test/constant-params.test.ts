import { expect, it } from "vitest";
import { onDisk } from "./stores.ts";

/** Deeply readonly parameters are accepted: this file tests that by compiling. */
const TAGGED = { sessionId: "s", add: ["b"], remove: ["c"] } as const;
const SAVED = { sessionId: "s", context: { key: { of: ["a", "list"] } }, metadata: { tags: ["a"] } } as const;
const FOUND = { sessionId: "s", tags: ["a"] } as const;
const SEARCHED = { query: "list", project: null, kinds: ["workflow"], tags: ["a"] } as const;
const VIEWED = { sessionId: "s", keys: ["key", ["key", "of", 0]] } as const;
const COMPRESSED = { sessionId: "s", layers: ["USEFUL"] } as const;
const PRIORITIZED = { sessionId: "s", budgets: { USEFUL: 1_000 }, dryRun: true } as const;
const REMOVED = { checkpointIds: ["one"], dryRun: true } as const;

it("accepts readonly parameters", () =>
  onDisk(async (place) => {
    await using store = await place.open();
    await store.saveCheckpoint({ ...SAVED, checkpointId: "one" });
    await store.saveCheckpoint(SAVED);
    expect((await store.tagSession(TAGGED)).tags).toEqual(["b"]);
    expect((await store.findCheckpoints(FOUND)).total).toBe(1);
    await store.searchCheckpoints(SEARCHED);
    expect((await store.viewCheckpoint(VIEWED)).missing).toBeUndefined();
    await store.compressContext(COMPRESSED);
    await store.prioritizeContext(PRIORITIZED);
    await store.cleanUp(REMOVED);
    expect((await store.erase(REMOVED)).erased).toHaveLength(1);
  }));
