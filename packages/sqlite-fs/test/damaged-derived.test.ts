import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { type ChangePosition, type CheckpointId, isWorkrailError, type SessionId, type TextOfCheckpoint } from "@workrail/core";
import { termsOf } from "@workrail/search";
import { tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DerivedDatabaseOptions } from "../src/derived-database.ts";
import { loadSqliteDriver } from "../src/load-sqlite-driver.ts";
import { SqliteSearch } from "../src/search/sqlite-search.ts";
import { SqliteVectors } from "../src/sqlite-vectors.ts";
import { silentLog } from "../src/silent-log.ts";

const FLIPS = Number(process.env["WORKRAIL_FLIPS"] ?? 48);
const SESSIONS = 6;
const TEXTS = 20;
const SPACE = { name: "model", dimensions: 8 };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-derived-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const openDatabase = loadSqliteDriver("better-sqlite3").open;

function optionsOf(file: string): DerivedDatabaseOptions {
  return { file, fs: nodeFileSystem, openDatabase, journal: "DELETE", lockWaitMs: 1_000, log: silentLog };
}

function sessionAt(at: number): SessionId {
  return `session-${at}` as SessionId;
}

const SEARCH = path.join(folder, "search.db");
const VECTORS = path.join(folder, "vectors.db");

beforeAll(async () => {
  const search = new SqliteSearch(optionsOf(SEARCH));
  const vectors = new SqliteVectors(optionsOf(VECTORS));
  for (let session = 0; session < SESSIONS; session++) {
    await search.update({
      sessionId: sessionAt(session),
      version: 0,
      remove: [],
      sessionTags: ["tag", `tag-${session}`],
      isDone: session > 0,
      add: Array.from({ length: TEXTS }, (_, at) => textAt(session, at)),
    });
    const vectorsOf = Array.from({ length: TEXTS }, (_, at) => ({
      checkpointId: idAt(session, at),
      project: undefined,
      vector: Float32Array.from({ length: SPACE.dimensions }, (__, place) => Math.sin(session * 31 + at * 7 + place)),
    }));
    await vectors.put(SPACE, sessionAt(session), vectorsOf);
  }
  await search.note({ position: "position" as ChangePosition, sessions: [{ sessionId: sessionAt(1), isExtended: true }] });
  await search.close();
  await vectors.close();
});

function idAt(session: number, at: number): CheckpointId {
  return `checkpoint-${session}-${at}` as CheckpointId;
}

function textAt(session: number, at: number): TextOfCheckpoint {
  return {
    checkpointId: idAt(session, at),
    sequence: at + 1,
    previous: at,
    terms: termsOf(`the word${at} of plan${session} is written here ${"again ".repeat(at % 3)}`),
    stopWords: ["the"],
    kind: "workflow",
    createdAt: new Date("2026-01-01T00:00:00Z"),
    project: `/home/dev/project-${session % 2}`,
    agentId: "agent",
    workflowId: undefined,
    tags: ["of-it"],
  };
}

/** Flips one bit: number `index` of `FLIPS` bits that are spread over the file. */
function flipped(bytes: Buffer, index: number): Buffer {
  const spoilt = Buffer.from(bytes);
  const at = Math.floor(((index + 0.5) / FLIPS) * bytes.length);
  spoilt[at] = (bytes[at] ?? 0) ^ (1 << (index % 8));
  return spoilt;
}

/** All calls to a search index in their usual order. */
const SEARCH_CALLS: readonly ((search: SqliteSearch) => Promise<unknown>)[] = [
  (search) => search.state(),
  (search) => search.pending(10),
  (search) => search.termsLike("wordd", 5),
  async (search) => {
    const terms = [
      { term: "plan1", weight: 1 },
      { term: "again", weight: 1 },
    ];
    const filter = { project: "/home/dev/project-1", agentId: "agent", tags: ["tag", "of-it"], since: new Date("2025-01-01T00:00:00Z") };
    for (const each of [{}, filter]) {
      const matches = await search.match({ terms, required: [], filter: each });
      const hits = await matches.page({ limit: 10, offset: 0, related: [{ term: "word3", weight: 0.5 }] });
      for (const { checkpointId, score } of hits) expect([typeof checkpointId, score >= 0 && score <= 1]).toEqual(["string", true]);
    }
  },
  (search) => search.indexed(sessionAt(2)),
  async (search) => {
    const { version } = await search.indexed(sessionAt(2));
    const change = { remove: [idAt(2, 1)], add: [textAt(2, TEXTS)], sessionTags: [], isDone: true };
    await search.update({ sessionId: sessionAt(2), version, ...change });
  },
  (search) => search.note({ position: "another" as ChangePosition, sessions: [{ sessionId: sessionAt(3), isExtended: false }] }),
  (search) => search.tidy(),
  (search) => search.purge(),
];

const VECTOR_CALLS: readonly ((vectors: SqliteVectors) => Promise<unknown>)[] = [
  (vectors) => vectors.state(SPACE),
  async (vectors) => {
    const nearest = await vectors.nearest(SPACE, { vector: new Float32Array(SPACE.dimensions).fill(0.3), limit: 5 });
    for (const { similarity } of nearest) expect(Math.abs(similarity)).toBeLessThan(1.001);
  },
  (vectors) => vectors.forget([idAt(0, 0)]),
  (vectors) => vectors.purge(),
];

describe.for([
  ["search.db", SEARCH, (file: string) => new SqliteSearch(optionsOf(file)), SEARCH_CALLS],
  ["vectors.db", VECTORS, (file: string) => new SqliteVectors(optionsOf(file)), VECTOR_CALLS],
] as const)("with one bit flipped in %s", ([, original, open, calls]) => {
  it.each(Array.from({ length: FLIPS }, (_each, index) => index))("each call returns a result or a named error: bit %i", async (index) => {
    const file = path.join(folder, `${index}-${path.basename(original)}`);
    fs.writeFileSync(file, flipped(fs.readFileSync(original), index));
    const opened = open(file) as SqliteSearch & SqliteVectors;
    const failures: string[] = [];
    for (const call of calls) {
      try {
        await call(opened);
      } catch (error) {
        if (!isWorkrailError(error)) failures.push(error instanceof Error ? `${error.stack}` : String(error));
      }
    }
    await opened.close();
    tally({ tries: 1, wrong: failures.length });
    expect(failures).toEqual([]);
  });
});

it("an index whose files cannot be removed says which", async () => {
  const file = path.join(folder, "stuck.db");
  const unlink = (): never => {
    throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  for (const index of [SqliteSearch, SqliteVectors]) {
    fs.writeFileSync(file, "");
    const opened = new index({ ...optionsOf(file), fs: { ...nodeFileSystem, unlink } });
    await expect(opened.erase()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "input-output", path: file } });
    await opened.close();
  }
});
