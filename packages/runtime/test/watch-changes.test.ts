import path from "node:path";
import { type CatalogPort, WorkrailError } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { describe, expect, it } from "vitest";
import type { StoreChanges, WatchChangesParams } from "../src/changes/store-changes.ts";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, refusalOf } from "./stores.ts";

/** A watch whose beginning is over. */
class Watch {
  readonly #iterator: AsyncIterator<StoreChanges>;

  private constructor(iterator: AsyncIterator<StoreChanges>) {
    this.#iterator = iterator;
  }

  static async begin(workrail: Workrail, params?: WatchChangesParams): Promise<Watch> {
    const watch = new Watch(workrail.watchChanges(params)[Symbol.asyncIterator]());
    if ((await watch.next())?.sessions.length !== 0) throw new Error("The first item is not empty.");
    return watch;
  }

  async next(): Promise<StoreChanges | undefined> {
    const { done = false, value } = await this.#iterator.next();
    return done ? undefined : (value as StoreChanges);
  }
}

const save = (workrail: Workrail, sessionId: string, step: number) => workrail.saveCheckpoint({ sessionId, context: { step } });

describe("a watch of changes", () => {
  it.each(KINDS)("reports each kind of change of a session: $kind", ({ at }) =>
    at(async (place) => {
      await using workrail = await place.open();
      await save(workrail, "old", 1);
      const watch = await Watch.begin(workrail);
      await save(workrail, "new", 1);
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "new", change: "added" }] });
      await workrail.loadCheckpoint({ sessionId: "old" });
      await save(workrail, "old", 2);
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "old", change: "extended" }] });
      const { checkpointId } = await save(workrail, "old", 3);
      await workrail.deleteCheckpoint({ checkpointId });
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "old", change: "changed" }] });
      await workrail.erase({ sessionId: "old" });
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "old", change: "removed" }] });
    }),
  );

  it("reports saves of another opener, and merges the changes before a request", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await using other = await place.open();
      const watch = await Watch.begin(workrail);
      for (let step = 1; step <= 3; step += 1) await save(other, "theirs", step);
      await save(other, "more", 1);
      const sessions = [
        { sessionId: "theirs", change: "added" },
        { sessionId: "more", change: "added" },
      ];
      expect(await watch.next()).toEqual({ sessions });
    }));

  it("is limited to a project, also when a session is removed", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ settings: { isolation: "strict" }, project: path.resolve("/ours") });
      await using other = await place.open({ project: path.resolve("/theirs") });
      await save(other, "theirs", 1);
      await save(workrail, "ours", 1);
      const watch = await Watch.begin(workrail);
      await save(other, "theirs", 2);
      await save(other, "secret", 1);
      await other.erase({ sessionId: "theirs" });
      await workrail.erase({ sessionId: "ours" });
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "ours", change: "removed" }] });
      const all = workrail.watchChanges({ project: null })[Symbol.asyncIterator]();
      expect(await refusalOf(all.next())).toMatchObject({ code: "INVALID_INPUT", details: { field: "project" } });
    }));

  it("reports an unknown change after a rebuild", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await save(workrail, "kept", 1);
      const watch = await Watch.begin(workrail);
      await workrail.rebuildCatalog();
      expect(await watch.next()).toEqual({ sessions: [], isUnknown: true });
      await save(workrail, "kept", 2);
      expect(await watch.next()).toEqual({ sessions: [{ sessionId: "kept", change: "extended" }] });
    }));

  it("continues when the catalog is readable again, and rejects when it is wrong", async () => {
    const storage = openMemoryStorage();
    let failure: WorkrailError | undefined;
    const read: CatalogPort["read"] = (reads) => {
      failures += failure === undefined ? 0 : 1;
      return failure === undefined ? storage.catalog.read(reads) : Promise.reject(failure);
    };
    let failures = 0;
    const catalog: CatalogPort = { read, change: (rule) => storage.catalog.change(rule) };
    const adapters = {
      storage: async () => ({ ...storage, catalog }),
    };
    await using workrail = await openWorkrail({ env: {}, project: null, upkeep: false, dataDir: "/nowhere", adapters });
    const watch = await Watch.begin(workrail);
    failure = new WorkrailError("STORAGE_UNAVAILABLE", "The disk is away.");
    const next = watch.next();
    await expect.poll(() => failures).toBeGreaterThan(2);
    failure = undefined;
    await save(workrail, "back", 1);
    expect(await next).toEqual({ sessions: [{ sessionId: "back", change: "added" }] });
    failure = new WorkrailError("INTERNAL", "The catalog is wrong.");
    expect(await refusalOf(watch.next())).toMatchObject({ code: "INTERNAL" });
    failure = undefined;
  });

  it("ends with its signal, and with the store", () =>
    onDisk(async (place) => {
      const workrail = await place.open();
      const controller = new AbortController();
      const stopped = await Watch.begin(workrail, { signal: controller.signal });
      const closed = await Watch.begin(workrail);
      const ends = [stopped.next(), closed.next()];
      controller.abort();
      expect(await ends[0]).toBeUndefined();
      await workrail.close();
      expect(await ends[1]).toBeUndefined();
    }));
});
