import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import type { CheckpointId, SearchEngine, SessionId, TextOfCheckpoint } from "@workrail/core";
import { termsOf } from "@workrail/search";
import { describeSearch } from "@workrail/storage-conformance";
import { afterAll, describe, expect, it } from "vitest";
import { loadSqliteDriver } from "../src/load-sqlite-driver.ts";
import { silentLog } from "../src/silent-log.ts";
import { SqliteSearch } from "../src/search/sqlite-search.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-search-"));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

let opened = 0;

for (const name of ["better-sqlite3", "node:sqlite"] satisfies SqliteDriverName[]) {
  const { open: openDatabase } = loadSqliteDriver(name);
  const openFile = (file: string): SqliteSearch =>
    new SqliteSearch({ file, fs: nodeFileSystem, openDatabase, journal: "WAL", lockWaitMs: 5_000, log: silentLog });
  const open = async (): Promise<SqliteSearch> => openFile(path.join(directory, `search-${++opened}.db`));
  describeSearch({ name, open });

  describe(`${name}: the file of the index`, () => {
    it("is smaller than the indexed text, and its log is empty once everything is tidied", async () => {
      const index = await open();
      const file = path.join(directory, `search-${opened}.db`);
      const textBytes = await burst(index, 2_000);
      expect(fs.statSync(`${file}-wal`).size).toBeGreaterThan(0);
      while (await index.tidy());
      expect(fs.statSync(`${file}-wal`).size).toBe(0);
      const tidied = fs.statSync(file).size;
      expect(tidied).toBeLessThan(textBytes);
      await burst(index, 2_000);
      await index.close();
      // Removed texts leave nothing behind, and free pages are given back at once.
      expect(fs.statSync(file).size).toBeLessThan(1.35 * tidied);
    });

    it("is written when something is noted, and not when it is opened", async () => {
      const index = await open();
      const file = path.join(directory, `search-${opened}.db`);
      await burst(index, 10);
      await index.close();
      const again = openFile(file);
      expect((await again.indexed("session-0" as SessionId)).checkpoints).toHaveLength(10);
      expect(fs.statSync(`${file}-wal`).size).toBe(0);
      await again.note({ sessions: [{ sessionId: SESSION, isExtended: false }] });
      expect(fs.statSync(`${file}-wal`).size).toBeGreaterThan(0);
      await again.close();
    });
  });

  describe(`${name}: of very many texts`, () => {
    it("texts with all words come first, misspelled words are found, and removed words are not", async () => {
      const index = await open();
      const ids = Array.from({ length: 10_300 }, (_, at) => `c${at}` as CheckpointId);
      const textOf = (id: CheckpointId, at: number): TextOfCheckpoint => {
        const terms = [["always", "ever"], ["gone"], ["lasting"]][at] ?? [at % 2 === 0 ? "always" : "ever"];
        return { ...ANY_TEXT, checkpointId: id, sequence: at + 1, previous: at, terms };
      };
      const change = { sessionId: SESSION, remove: [], sessionTags: [], isDone: true };
      await index.update({ ...change, version: 0, add: ids.map(textOf) });
      const both = await index.match({ terms: [term("always"), term("ever")], required: [], filter: {} });
      expect((await both.page({ limit: 2, offset: 0 }))[0]?.checkpointId).toBe("c0");
      const all = await index.match({ terms: [term("always")], required: [], filter: {} });
      expect(await all.page({ limit: 10, offset: 5_100 })).toHaveLength(10);
      const { version } = await index.indexed(SESSION);
      await index.update({ ...change, version, remove: ["c1" as CheckpointId], add: [] });
      expect([await index.termsLike("gonn", 5), await index.termsLike("lastign", 5)]).toEqual([[], ["lasting"]]);
      expect(await index.purge()).not.toBe(false);
      await index.close();
      expect(fs.readFileSync(path.join(directory, `search-${opened}.db`)).includes("gone")).toBe(false);
    });

    it("a word that was in most of them counts by its new frequency once they are removed", async () => {
      const index = await open();
      const texts = (terms: readonly string[], count: number): TextOfCheckpoint[] => {
        return Array.from({ length: count }, (_, at) => ({
          ...ANY_TEXT,
          checkpointId: `${terms.join("-")}-${at}` as CheckpointId,
          sequence: at + 1,
          previous: at,
          terms,
        }));
      };
      const change = { remove: [], sessionTags: [], isDone: true, version: 0 };
      const question = { terms: [term("always"), term("other")], required: [], filter: {} };
      await index.update({ ...change, sessionId: SESSION, add: [...texts(["always"], 5_100), ...texts(["other"], 10)] });
      expect(await (await index.match(question)).page({ limit: 1, offset: 0 })).toMatchObject([{ checkpointId: "other-9" }]);
      await index.note({ sessions: [], restart: true });
      await index.update({
        ...change,
        sessionId: SESSION,
        add: [...texts(["always", "other"], 1), ...texts(["other"], 10), ...texts(["nothing"], 20)],
      });
      expect(await (await index.match(question)).page({ limit: 1, offset: 0 })).toMatchObject([{ checkpointId: "always-other-0" }]);
      await index.close();
    });
  });
}

const SESSION = "session" as SessionId;

const ANY_TEXT = {
  stopWords: [],
  kind: "workflow" as const,
  createdAt: new Date("2026-01-01T00:00:00Z"),
  project: "/home/dev/project",
  agentId: undefined,
  workflowId: undefined,
  tags: [],
};

function term(text: string): { readonly term: string; readonly weight: number } {
  return { term: text, weight: 1 };
}

/** Replaces the texts of each session by fifty new ones, a few at a time. Resolves with the bytes of all texts. */
async function burst(index: SearchEngine, texts: number): Promise<number> {
  let bytes = 0;
  for (let at = 0; at < texts; at += 10) {
    const sessionId = `session-${Math.floor(at / 50)}` as SessionId;
    const { version, checkpoints } = await index.indexed(sessionId);
    const remove = at % 50 === 0 ? checkpoints.map(({ checkpointId }) => checkpointId) : [];
    const add = Array.from({ length: 10 }, (_, place) => {
      const text = someText(at + place);
      bytes += text.length;
      const sequence = (at % 50) + place + 1;
      return {
        ...ANY_TEXT,
        checkpointId: randomUUID() as CheckpointId,
        sequence,
        previous: sequence - 1,
        terms: termsOf(text),
      };
    });
    expect(await index.update({ sessionId, version, remove, add, sessionTags: [], isDone: true })).toBe(true);
  }
  return bytes;
}

/** Text of thirty frequent and rare words, another one for each number. */
function someText(seed: number): string {
  const words = Array.from({ length: 30 }, (_, place) => {
    const chance = ((seed * 7_919 + place * 104_729) % 65_537) / 65_537;
    return `word${Math.floor(5_000 ** chance).toString(36)}z`;
  });
  return words.join(" ");
}
