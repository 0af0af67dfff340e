import fs from "node:fs";
import path from "node:path";
import type { SearchEngine } from "@workrail/core";
import { describe, expect, it, vi } from "vitest";
import type { ListSessionsResult } from "../src/overview.ts";
import type { OpenOptions } from "../src/open-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { withSearch } from "./changed-search.ts";
import { onDisk, type Place } from "./stores.ts";

const WITHIN = { timeout: 60_000, interval: 20 };

/** Records the calls of an index. */
class Watch {
  readonly asked: string[][] = [];
  /** Number of times that the index had nothing left to do. */
  tidied = 0;
  /** Awaited before a query is answered. */
  gate: Promise<void> = Promise.resolve();
  engine: SearchEngine | undefined;

  /** Opens a store whose index is watched. */
  open(place: Place, options: OpenOptions = {}): Promise<Workrail> {
    const storage = withSearch((search) => {
      this.engine = search;
      return {
        match: async (query) => {
          this.asked.push(query.terms.map(({ term }) => term));
          await this.gate;
          return search.match(query);
        },
        tidy: async () => {
          const hasMore = await search.tidy();
          if (!hasMore) this.tidied += 1;
          return hasMore;
        },
      };
    });
    return place.open({ warmUp: "pause", ...options, adapters: { ...options.adapters, storage } });
  }
}

async function saveNote(place: Place, note: string): Promise<void> {
  await using workrail = await place.open();
  await workrail.saveCheckpoint({ sessionId: "a", context: { note } });
}

const NOTE = "tariffs of lighthouses";
const WORDS = ["tariff", "lighthous", "note"];

// The tests mostly wait for pauses.
describe.concurrent("the rehearsal of a search", () => {
  it("searches for words of the newest checkpoint, once, in the first pause, and changes nothing", () =>
    onDisk(async (place) => {
      await saveNote(place, NOTE);
      const watch = new Watch();
      await using workrail = await watch.open(place);
      const before = await workrail.listSessions();
      await vi.waitFor(() => expect(watch.asked).toEqual([WORDS]), WITHIN);
      expect(await workrail.listSessions()).toEqual(before);
      await workrail.saveCheckpoint({ sessionId: "b", context: { note: "another" } });
      const tidied = watch.tidied;
      await vi.waitFor(() => expect(watch.tidied).toBeGreaterThan(tidied), WITHIN);
      await workrail.close();
      expect(watch.asked).toHaveLength(1);
    }));

  it("is skipped after a search, and in a short-lived program", () =>
    onDisk(async (place) => {
      await saveNote(place, NOTE);
      const [watch, passing] = [new Watch(), new Watch()];
      await using looking = await passing.open(place, { upkeep: false });
      await looking.loadCheckpoint({ sessionId: "a" });
      await using workrail = await watch.open(place);
      await workrail.searchCheckpoints({ query: "lighthouses" });
      await vi.waitFor(() => expect(watch.tidied).toBeGreaterThan(0), WITHIN);
      await workrail.close();
      expect([watch.asked, passing.asked]).toEqual([[["lighthous"]], []]);
    }));

  it("reads no large checkpoint, and creates nothing in an empty store", () =>
    onDisk(async (place) => {
      for (const note of [undefined, "lighthouse ".repeat(100_000)]) {
        if (note !== undefined) await saveNote(place, note);
        const watch = new Watch();
        await using workrail = await watch.open(place);
        await vi.waitFor(() => expect(watch.tidied).toBeGreaterThan(0), WITHIN);
        await workrail.close();
        expect(watch.asked).toEqual([]);
      }
    }));

  it("leaves an unreadable checkpoint to be reported by its readers", () =>
    onDisk(async (place) => {
      await saveNote(place, NOTE);
      const blobs = path.join(place.dataDir, "contexts");
      for (const file of fs.readdirSync(blobs, { recursive: true, encoding: "utf8" })) {
        if (file.endsWith(".gz")) fs.writeFileSync(path.join(blobs, file), "nothing");
      }
      const told: string[] = [];
      const tell = (message: string): number => told.push(message);
      const log = { debug: () => {}, info: () => {}, warn: tell, error: tell };
      const watch = new Watch();
      await using workrail = await watch.open(place, { adapters: { log } });
      await vi.waitFor(() => expect(watch.tidied).toBeGreaterThan(0), WITHIN);
      await expect(workrail.loadCheckpoint({ sessionId: "a" })).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
      expect(watch.asked).toEqual([]);
      expect(told.filter((message) => message.includes("background"))).toEqual([]);
    }));

  it("does not delay the indexing of saves, nor the closing of the store", () =>
    onDisk(async (place) => {
      await saveNote(place, NOTE);
      const watch = new Watch();
      const gate = Promise.withResolvers<void>();
      watch.gate = gate.promise;
      await using workrail = await watch.open(place);
      await vi.waitFor(() => expect(watch.asked).toHaveLength(1), WITHIN);
      await workrail.saveCheckpoint({ sessionId: "b", context: { note: "somebody else's umbrella" } });
      // Longer than the store waits for a pause: indexing must not run now, and no event reports that.
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      gate.resolve();
      await vi.waitFor(async () => expect(await watch.engine?.termsLike("umbrell", 1)).toEqual(["umbrella"]), WITHIN);
    }));
});

describe("preparing a search while a store is opened", () => {
  /** Simulates a process that has opened no store yet. */
  async function inNewProcess(test: (place: Place, other: Place) => Promise<void>): Promise<void> {
    vi.resetModules();
    const { onDisk: inPlace } = await import("./stores.ts");
    await inPlace((place) => inPlace((other) => test(place, other)));
  }

  async function saveIndexed(place: Place): Promise<ListSessionsResult> {
    await using workrail = await place.open({ warmUp: "pause" });
    await workrail.saveCheckpoint({ sessionId: "a", context: { note: NOTE } });
    await workrail.finishIndex({});
    return workrail.listSessions();
  }

  /** Returns the queries made until opening resolves. */
  async function askedByOpening(place: Place, options: OpenOptions = { warmUp: "opening" }): Promise<string[][]> {
    const watch = new Watch();
    await using workrail = await watch.open(place, options);
    const asked = [...watch.asked];
    await workrail.loadCheckpoint({ sessionId: "a" });
    return asked;
  }

  it("runs a short query once, in any store, and changes nothing", () =>
    inNewProcess(async (place, other) => {
      const sessions = await saveIndexed(place);
      await saveIndexed(other);
      const watch = new Watch();
      await using workrail = await watch.open(place, { warmUp: "opening" });
      expect(watch.asked).toEqual([WORDS.slice(0, 2)]);
      expect(await workrail.listSessions()).toEqual(sessions);
      expect([await askedByOpening(place), await askedByOpening(other)]).toEqual([[], []]);
    }));

  it("is on unless the program turns it off", () =>
    inNewProcess(async (place) => {
      await saveIndexed(place);
      expect(await askedByOpening(place, { warmUp: "pause" })).toEqual([]);
      expect(await askedByOpening(place, { upkeep: false })).toEqual([]);
      expect(await askedByOpening(place, { readOnly: true })).toEqual([]);
      expect(await askedByOpening(place, { warmUp: undefined })).toEqual([WORDS.slice(0, 2)]);
    }));

  it("does nothing after a search", () =>
    inNewProcess(async (place) => {
      await saveIndexed(place);
      await using workrail = await place.open({ warmUp: "pause" });
      await workrail.searchCheckpoints({ query: "lighthouses" });
      expect(await askedByOpening(place)).toEqual([]);
    }));

  it("skips a store without a complete index, and an empty one", () =>
    inNewProcess(async (place) => {
      const watch = new Watch();
      await using empty = await watch.open(place, { warmUp: "opening" });
      await empty.saveCheckpoint({ sessionId: "a", context: { note: NOTE } });
      expect(await askedByOpening(place)).toEqual([]);
      await empty.finishIndex({});
      expect(await askedByOpening(place)).toEqual([WORDS.slice(0, 2)]);
      expect(watch.asked).toEqual([]);
    }));

  it("never fails the opening, and reports a failure", () =>
    inNewProcess(async (place) => {
      await saveIndexed(place);
      const told: string[] = [];
      const tell = (message: string): number => told.push(message);
      const log = { debug: () => {}, info: () => {}, warn: tell, error: tell };
      const storage = withSearch(() => ({ match: () => Promise.reject(new Error("The index is not in the mood.")) }));
      await using workrail = await place.open({ adapters: { log, storage } });
      expect(told).toEqual(["background work failed: warm up search"]);
      expect((await workrail.loadCheckpoint({ sessionId: "a" })).context).toEqual({ note: NOTE });
    }));

  it("refuses an unknown moment", async () => {
    const options = { warmUp: "never" } as unknown as OpenOptions;
    await onDisk((place) => expect(place.open(options)).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "warmUp" } }));
  });
});
