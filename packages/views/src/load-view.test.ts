import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordClassifier } from "@workrail/classifier";
import { aRecord, tokensCounted } from "@workrail/storage-conformance/builders";
import {
  answered,
  type BlobStore,
  type CatalogPort,
  type CheckpointId,
  type CheckpointRecord,
  type Context,
  type Digest,
  type Digester,
  encodeEnvelope,
  type JsonValue,
  MemoryTables,
  type SessionId,
  WorkrailError,
} from "@workrail/core";
import type { ViewBudget } from "./view/build-view.ts";
import { type EntryPath, loadView, type LoadedView, type ViewPorts, type ViewRequest } from "./load-view.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../storage-conformance/test/long-form.ts";

const digests: Digester = { sha256: (data) => createHash("sha256").update(data).digest("hex") as Digest };
const tokens = tokensCounted((text) => Math.ceil(Buffer.byteLength(text) / 3));
const ID = "c1" as CheckpointId;
const SESSION = "s1" as SessionId;
/** Characters that any answer may use to report omissions and the next cursor. */
const LEAST = 330;

/** Ports of a store with one checkpoint. */
function portsFor(context: Context, pins: readonly string[] = []): ViewPorts {
  const bytes = Buffer.from(JSON.stringify(context));
  const digest = digests.sha256(bytes);
  const facts = { id: ID, sessionId: SESSION, contextBytes: bytes.length, exactDigest: digest, canonicalDigest: digest };
  const record: CheckpointRecord = {
    ...aRecord(facts),
    sequence: 1,
    lastAccessedAt: new Date(0),
    damaged: false,
    shieldedUntil: undefined,
  };
  const tables = new MemoryTables(() => true);
  const { blobBytes: totalBytes } = record;
  const counts = { lastSequence: 1, checkpointCount: 1, asideCount: 0, totalBytes };
  const session = { id: SESSION, createdAt: new Date(0), lastAccessedAt: new Date(0), tags: [], pins, oldestLive: ID, ...counts };
  const rows = [
    { table: "session", now: session } as const,
    { table: "checkpoint", now: { commit: 1, record, trashedAt: undefined } } as const,
  ];
  tables.apply({ rows, audit: [] });
  const catalog: CatalogPort = {
    read: async (reads) => answered(reads, (read) => tables.answer(read)),
    change: () => Promise.reject(new Error("A load changes nothing.")),
  };
  const blob = encodeEnvelope(record, bytes, digests);
  const alone = <T>(work: () => Promise<T>): Promise<T> => work();
  return {
    catalog,
    blobs: { get: async () => blob } as Partial<BlobStore> as BlobStore,
    codec: { id: "plain", encode: async (plain) => plain, decode: async (plain) => plain },
    digests,
    locking: { inOrder: (_, work) => alone(work), shared: alone, exclusively: alone },
    limits: { maxContextBytes: 1e9 },
    clock: { now: () => new Date(0) },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    onLoaded: () => {},
    classifier: wordClassifier,
    tokens,
  };
}

function view(
  context: Context,
  request: ViewRequest,
  options: { readonly room?: number; readonly pins?: readonly string[]; readonly budget?: ViewBudget } = {},
): Promise<LoadedView> {
  const room = { tokens: options.room ?? 10_000, characters: (options.room ?? 10_000) * 4 };
  return loadView(
    portsFor(context, options.pins),
    { checkpointId: ID, ...request },
    async () => options.budget ?? { wanted: room, ceiling: room },
  );
}

/** Drops the parts that every answer has. */
function part(view: LoadedView): Omit<LoadedView, "record" | "session"> {
  return Object.fromEntries(Object.entries(view).filter(([key]) => key !== "record" && key !== "session")) as typeof view;
}

it("returns the checkpoint and its session with the context", async () => {
  const answer = await view({ a: 1 }, {}, { pins: ["a"] });
  expect(answer).toMatchObject({ record: { id: ID }, session: { id: SESSION, pins: ["a"] }, context: { a: 1 } });
});

it("returns everything for full, regardless of the budget", async () => {
  const context = { log: "x".repeat(100_000), list: Array.from({ length: 10_000 }, () => 1) };
  expect(part(await view(context, { full: true }, { room: 10 }))).toEqual({ context });
  expect(part(await view(context, { full: true, keys: ["log", ["list"]] }, { room: 10 }))).toEqual({
    context: { log: context.log },
    values: [{ path: ["list"], value: context.list }],
  });
});

describe("keys", () => {
  const context: Context = {
    plan: "read",
    files: { "src/a.ts": { text: "abc" }, list: ["zero", "one"] },
    "files.list": "not a path",
    __proto__x: 0,
    empty: null,
  };

  it("name entries, returned in the context, and paths, returned as values", async () => {
    const keys = ["empty", "plan", ["files", "src/a.ts", "text"], ["files", "list", 1], ["files", "list", "0"], ["empty"]];
    expect(part(await view(context, { keys }))).toEqual({
      context: { empty: null, plan: "read" },
      values: [
        { path: ["files", "src/a.ts", "text"], value: "abc" },
        { path: ["files", "list", 1], value: "one" },
        { path: ["files", "list", "0"], value: "zero" },
        { path: ["empty"], value: null },
      ],
    });
  });

  it("are taken literally: dots and slashes have no meaning", async () => {
    expect(part(await view(context, { keys: ["files.list"] }))).toEqual({ context: { "files.list": "not a path" } });
  });

  it("that do not exist are reported", async () => {
    const keys: EntryPath[] = [
      "toString",
      ["files", "list", 2],
      ["files", "list", "length"],
      ["files", "list", -1],
      ["plan", 0],
      ["plan", "length"],
      ["empty", "x"],
      ["__proto__"],
      "plan",
    ];
    expect(part(await view(context, { keys }))).toEqual({ context: { plan: "read" }, nearest: ["__proto__x"], missing: keys.slice(0, -1) });
    expect(part(await view(context, { keys: ["nothing"] }))).toEqual({ context: {}, missing: ["nothing"] });
    expect(part(await view(context, { keys: [["nothing"]] }))).toEqual({ context: {}, missing: [["nothing"]] });
  });

  it("may name a key __proto__", async () => {
    const hostile = JSON.parse(`{"__proto__":{"a":1}}`) as Context;
    const answer = await view(hostile, { keys: ["__proto__", ["__proto__", "a"]] });
    expect(JSON.stringify([answer.context, answer.values])).toBe(`[{"__proto__":{"a":1}},[{"path":["__proto__","a"],"value":1}]]`);
  });

  it("may name the context itself, by the empty path, and page through its members", async () => {
    expect(part(await view({ a: 1, b: 2, c: 3 }, { keys: [[]], range: { offset: 1, limit: 1 } }))).toEqual({
      context: {},
      values: [{ path: [], value: { b: 2 }, offset: 1, length: 3, unit: "members", nextOffset: 2 }],
    });
  });

  it("omit and name whole entries when several do not fit", async () => {
    const large = { a: "x".repeat(3_000), b: "y", c: "z".repeat(2_000) };
    const answer = part(await view(large, { keys: ["a", "b", "c"] }, { room: 500 }));
    expect(answer).toEqual({
      context: { b: "y" },
      omitted: {
        count: 2,
        entries: [
          { key: "a", characters: 3_002 },
          { key: "c", characters: 2_002 },
        ],
      },
    });
  });

  it("report the sizes of values that do not fit beside others", async () => {
    const large = { a: "x".repeat(3_000), b: "y" };
    const answer = part(await view(large, { keys: [["b"], ["a"]] }, { room: 500 }));
    expect(answer).toEqual({
      context: {},
      values: [
        { path: ["b"], value: "y" },
        { path: ["a"], omitted: true, characters: 3_002 },
      ],
    });
  });

  it("report the number of values that do not fit at all", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, index]));
    const keys = Object.keys(many).map((key) => [key]);
    const { values, valuesLeft } = await view(many, { keys }, { room: 600 });
    expect(values?.length).toBeGreaterThan(10);
    expect(valuesLeft).toBe(300 - (values?.length ?? 0));
    expect(values?.map(({ path }) => path)).toEqual(keys.slice(0, values?.length));
  });

  it("report the number of missing keys when not all can be listed", async () => {
    const keys = Array.from({ length: 500 }, (_, index) => `missing-${index}`);
    const { missing, missingCount } = await view({}, { keys }, { room: 1_000 });
    expect(missing?.length).toBeGreaterThan(5);
    expect(missing).toEqual(keys.slice(0, missing?.length));
    expect(missingCount).toBe(500);
  });
});

describe("one value", () => {
  it("that does not fit is returned in part, and can be paged to its end", async () => {
    const text = "The quick brown 🦊 jumps. ".repeat(300);
    for (const key of ["text", ["text"]]) {
      let read = "";
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const { values }: LoadedView = await view({ text, other: 1 }, { keys: [key], range: { offset } }, { room: 300 });
        const [page] = values as unknown as [{ value: string; nextOffset?: number }];
        expect(page.value.length).toBeGreaterThan(0);
        read += page.value;
        offset = page.nextOffset;
      }
      expect(read).toBe(text);
    }
  });

  it("that is pinned is returned whole, beyond the budget", async () => {
    const context = { goal: "g".repeat(900) };
    const budget = { wanted: { tokens: 50, characters: 8_000 }, ceiling: { tokens: 2_000, characters: 8_000 } };
    const answer = await view(context, { keys: ["goal"] }, { pins: ["goal"], budget });
    expect(answer).toMatchObject({ context, budgetExceededBy: expect.any(Number) as number });
  });
});

describe("a cursor", () => {
  it("continues the report of the same request without repeating values", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, "x".repeat(500)]));
    const request = { keys: [...Object.keys(many), ["key1"]] };
    const first = await view(many, request, { room: 400 });
    const next = await view(many, { ...request, cursor: first.omitted?.nextCursor }, { room: 400 });
    expect(part(next)).toEqual({ context: {}, omitted: expect.objectContaining({ count: first.omitted?.count }) as object });
    expect(next.omitted?.entries[0]).not.toEqual(first.omitted?.entries[0]);
  });
});

it.each<[string, ViewRequest]>([
  ["range", { range: { offset: 1 } }],
  ["range", { range: {}, keys: ["a", "b"] }],
  ["range.last", { range: { last: -1 }, keys: ["a"] }],
  ["range.last", { range: { last: 1, offset: 1 }, keys: ["a"] }],
  ["range.limit", { range: { limit: 1.5 }, keys: ["a"] }],
  ["cursor", { cursor: "next" }],
  ["cursor", { cursor: "-1" }],
  ["cursor", { cursor: "" }],
  ["cursor", { cursor: "0", keys: ["a"] }],
  ["cursor", { cursor: "0", keys: ["a"], range: { offset: 0 } }],
])("refuses an invalid %s: %j", async (field, request) => {
  await expect(view({ a: 1, b: 2 }, request)).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field } });
});

it("reserves room to report omitted values beside an entry that fits exactly", async () => {
  const context = { b: "x".repeat(2_000), c: { d: 1 } };
  const room = { tokens: 674, characters: JSON.stringify({ context: { b: context.b } }).length };
  const json = JSON.stringify(part(await view(context, { keys: [[], "b"] }, { budget: { wanted: room, ceiling: room } })));
  expect(json.length).toBeLessThanOrEqual(room.characters);
});

it("never exceeds the ceiling for any request", async () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 200 });
  const key = fc.oneof(fc.constantFrom("a", "b", "c", "list", "__proto__"), text);
  const value = fc.oneof(fc.jsonValue(), text, fc.constant("x".repeat(2_000))) as fc.Arbitrary<JsonValue>;
  const context = fc.array(fc.tuple(key, value), { maxLength: 15 }).map((members) => Object.fromEntries(members));
  const path = fc.oneof(key, fc.array(fc.oneof(key, fc.nat(3)), { maxLength: 3 }));
  const request = fc.record({
    keys: fc.option(fc.array(path, { maxLength: 20 }), { nil: undefined }),
    cursor: fc.option(fc.nat(20).map(String), { nil: undefined }),
  });
  const size = fc.record({ tokens: fc.integer({ min: -50, max: 2_000 }), characters: fc.integer({ min: -100, max: 6_000 }) });
  const given = fc.record({ wanted: size, ceiling: size, hasPins: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(context, request, given, async (context, request, { wanted, ceiling, hasPins }) => {
      const pins = hasPins ? ["a", "list"] : [];
      const viewed = await view(context, request, { pins, budget: { wanted, ceiling } }).catch((error: unknown) => error);
      // The random cursor is refused when nothing is omitted.
      if (viewed instanceof WorkrailError && viewed.details["field"] === "cursor") return;
      const json = JSON.stringify(part(viewed as LoadedView));
      expect(json.length).toBeLessThanOrEqual(Math.max(ceiling.characters, LEAST));
      expect(await tokens.count(json)).toBeLessThanOrEqual(Math.max(ceiling.tokens, LEAST / 3));
    }),
    { numRuns: runsOf(1_000) },
  );
});
