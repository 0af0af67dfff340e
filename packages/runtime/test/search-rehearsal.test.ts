import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IndexQuery, SearchEngine, Storage } from "@workrail/core";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { describe, expect, it } from "vitest";
import type { OpenOptions } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place } from "./stores.ts";

/** Longer than a store waits for a pause before it begins with what no answer needs. */
const PAUSE_MS = 1_700;

/** Opens a store whose index notes what it is asked. */
async function openWatched(place: Place, asked: IndexQuery[], options: OpenOptions = {}): Promise<Workrail> {
  const storage = async (settings: { readonly dataDir: string }): Promise<Storage> => {
    const opened = await openSqliteFs(settings);
    const { search } = opened;
    if (search === undefined) throw new Error("There is no index.");
    const match: SearchEngine["match"] = (query) => {
      asked.push(query);
      return search.match(query);
    };
    const watched = new Proxy(search, {
      get(target, name) {
        const member: unknown = name === "match" ? match : Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    return { ...opened, search: watched };
  };
  return place.open({ ...options, adapters: { ...options.adapters, storage } });
}

async function saveNote(place: Place, note: string): Promise<void> {
  await using workrail = await place.open();
  await workrail.saveCheckpoint({ sessionId: "a", context: { note } });
}

function termsOf(asked: readonly IndexQuery[]): string[][] {
  return asked.map(({ terms }) => terms.map(({ term }) => term));
}

describe("the rehearsal of a search", () => {
  it("asks what the newest checkpoint is found by, once, in the first pause", () =>
    onDisk(async (place) => {
      await saveNote(place, "tariffs of lighthouses");
      const asked: IndexQuery[] = [];
      await using workrail = await openWatched(place, asked);
      const before = await workrail.listSessions();
      await sleep(PAUSE_MS);
      expect(termsOf(asked)).toEqual([["tariff", "lighthous", "note"]]);
      expect(await workrail.listSessions()).toEqual(before);
      await workrail.saveCheckpoint({ sessionId: "b", context: { note: "another" } });
      await sleep(PAUSE_MS);
      expect(asked).toHaveLength(1);
    }));

  it("is left out by a program that looks something up and is gone", () =>
    onDisk(async (place) => {
      await saveNote(place, "tariffs of lighthouses");
      const asked: IndexQuery[] = [];
      await using workrail = await openWatched(place, asked, { upkeep: false });
      await workrail.loadCheckpoint({ sessionId: "a" });
      await sleep(PAUSE_MS);
      expect(asked).toEqual([]);
    }));

  it("reads nothing that is large, and makes nothing of an empty store", () =>
    onDisk(async (place) => {
      const asked: IndexQuery[] = [];
      await using workrail = await openWatched(place, asked);
      await sleep(PAUSE_MS);
      expect(asked).toEqual([]);
      await saveNote(place, "lighthouse ".repeat(100_000));
      await using other = await openWatched(place, asked);
      await sleep(PAUSE_MS);
      expect(asked).toEqual([]);
      expect((await other.searchCheckpoints({ query: "lighthouses" })).hits).toHaveLength(1);
      await workrail.close();
    }));

  it("says nothing of a checkpoint that cannot be read: that is for whoever asks for it", () =>
    onDisk(async (place) => {
      await saveNote(place, "tariffs of lighthouses");
      const blobs = path.join(place.dataDir, "contexts");
      for (const file of fs.readdirSync(blobs, { recursive: true, encoding: "utf8" })) {
        if (file.endsWith(".gz")) fs.writeFileSync(path.join(blobs, file), "nothing");
      }
      const asked: IndexQuery[] = [];
      const told: string[] = [];
      const tell = (message: string): number => told.push(message);
      const log = { debug: () => {}, info: () => {}, warn: tell, error: tell };
      await using workrail = await openWatched(place, asked, { adapters: { log } });
      await sleep(PAUSE_MS);
      expect({ asked, told }).toEqual({ asked: [], told: [] });
      await expect(workrail.loadCheckpoint({ sessionId: "a" })).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
    }));
});
