import {
  type CheckpointId,
  compactSession,
  pinEntry,
  type SessionId,
  commit,
  findSession,
  findCheckpoint,
  queryCheckpoints,
  type CatalogPort,
} from "@workrail/core";
import { describe, expect, it } from "vitest";
import { aStore, digests, failure, OTHER, S, type TestStore, withMethods } from "../../memory/src/testing/a-store.ts";
import { exportSession, noteExport } from "./export-session.ts";
import { type ImportInput, importSession, type ImportReport } from "./import-session.ts";

async function exported(store: TestStore, session: SessionId = S): Promise<string> {
  let text = "";
  for await (const piece of exportSession(store.ports, session)) text += piece;
  return text;
}

function imported(store: TestStore, source: ImportInput["source"], input: Partial<ImportInput> = {}): Promise<ImportReport> {
  return importSession(store.ports, { source, ...input });
}

/** Returns the records of all kinds of a session, oldest first. */
async function records(store: TestStore, sessionId: SessionId = S) {
  const kinds = ["workflow", "project", "conversation", "aside"] as const;
  const page = await queryCheckpoints(store.storage.catalog, { filter: { sessionId, kinds }, limit: 1_000, offset: 0 });
  return page.records.toReversed();
}

async function ns(store: TestStore, sessionId: SessionId = S): Promise<unknown[]> {
  const found = [];
  for (const { id } of await records(store, sessionId)) found.push((await store.load(id)).context["n"]);
  return found;
}

async function aSessionOf(...values: readonly number[]): Promise<TestStore> {
  const store = aStore();
  for (const n of values) await store.saved({ n }, { checkpointId: `c${n}` as CheckpointId });
  return store;
}

interface Exported {
  session: Record<string, unknown>;
  checkpoints: Record<string, unknown>[];
  [member: string]: unknown;
}

async function edited(edit: (value: Exported) => unknown): Promise<string> {
  const value = JSON.parse(await exported(await aSessionOf(1, 2, 3))) as Exported;
  return JSON.stringify(edit(value) ?? value);
}

/** Returns the context with its correct digest. */
function proven(context: object): object {
  return { context, sha256: digests.sha256(JSON.stringify(context)) };
}

/** Removes the checks from an export, as for editing its metadata by hand. */
function unchecked(text: string): string {
  return text.replaceAll(/,\s*"check": "[0-9a-f]{16}"/gu, "");
}

describe("exportSession", () => {
  it("writes readable JSON, oldest first", async () => {
    const store = aStore();
    const first = await store.saved({ goal: "ship", list: [1, { a: null }] }, { name: "one", tags: ["t"], attributes: { by: "hand" } });
    await store.saved({}, { agentId: "agent", workflowId: "flow", project: "/p", kind: "project", parentId: first.id });
    await pinEntry(store.ports, { sessionId: S, key: "goal" });
    expect(await exported(store)).toMatchInlineSnapshot(`
      "{
        "format": "workrail-session",
        "version": 1,
        "session": {
          "id": "s1",
          "createdAt": "2026-01-01T00:00:00.000Z",
          "tags": [],
          "pins": [],
          "check": "d2bfe75127ec5c5f"
        },
        "checkpoints": [
          {
            "id": "00000000-c8ec-4000-8000-000000000001",
            "parentId": null,
            "kind": "workflow",
            "createdAt": "2026-01-01T00:00:00.000Z",
            "name": "one",
            "tags": [
              "t"
            ],
            "attributes": {
              "by": "hand"
            },
            "layers": {
              "CRITICAL": 1,
              "USEFUL": 1
            },
            "writer": "workrail/test",
            "sha256": "88dbc28b4b5be8972e1b223a1712ac67b7e85b4daf8ae26d49c2b8b1a9ddd75e",
            "check": "f40000069386fdd3",
            "context": {
              "goal": "ship",
              "list": [
                1,
                {
                  "a": null
                }
              ]
            }
          },
          {
            "id": "00000000-c8ec-4000-8000-000000000002",
            "parentId": "00000000-c8ec-4000-8000-000000000001",
            "kind": "project",
            "createdAt": "2026-01-01T00:00:01.000Z",
            "agentId": "agent",
            "workflowId": "flow",
            "project": "/p",
            "tags": [],
            "attributes": {
              "sessionProject": null
            },
            "layers": {},
            "writer": "workrail/test",
            "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
            "check": "ecbe123d2a25ba97",
            "context": {}
          }
        ]
      }
      "
    `);
  });

  it("writes a large or deeply nested context on one line", async () => {
    const store = aStore();
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], Array.from({ length: 5_000 }).fill(1));
    await store.saved({ text: "x".repeat(1_100_000) });
    await store.saved({ deep } as never);
    const text = await exported(store);
    expect(text.match(/^ {6}"context": .*\}$/gmu)?.length).toBe(2);
    expect(text.length).toBeLessThan(1_200_000);
    const other = aStore();
    await imported(other, text);
    expect(await exported(other)).toBe(text);
  });

  it("rejects for an unknown session", async () => {
    await expect(exported(aStore())).rejects.toMatchObject(failure("SESSION_NOT_FOUND", { sessionId: S }));
  });

  it("is noted in the audit log by noteExport, including failures", async () => {
    const store = aStore();
    await store.saved({});
    await noteExport(store.ports, S, { isWhole: true });
    await noteExport(store.ports, S, { isWhole: false });
    await noteExport({ ...store.ports, isReadOnly: true }, S, { isWhole: true });
    const noted = store.disk.catalog.audit.filter(({ action }) => action === "export");
    expect(noted.map(({ sessionId, reason }) => [sessionId, reason])).toEqual([
      [S, undefined],
      [S, "failed"],
    ]);
  });

  it("leaves out only checkpoints that are pruned meanwhile", async () => {
    const store = aStore({ limits: { maxCheckpoints: 2 } });
    await store.saved({ n: 1 });
    await store.saved({ n: 2 });
    let text = "";
    for await (const piece of exportSession(store.ports, S)) {
      if (text === "") await store.saved({ n: 3 });
      text += piece;
    }
    expect((JSON.parse(text) as Exported).checkpoints.map(({ context }) => context)).toEqual([{ n: 2 }]);
  });

  it("does not count as an access", async () => {
    const store = await aSessionOf(1, 2);
    await exported(store);
    expect(store.loaded).toEqual([]);
  });

  it.each([
    ["the first", [1]],
    ["the last, and one between", [2, 4]],
    ["all", [1, 2, 3, 4]],
  ])("has what is good when %s cannot be read, and names what is not, in a file that can be imported", async (_, damaged) => {
    const store = await aSessionOf(1, 2, 3, 4);
    for (const n of damaged) {
      const { blob } = await found(store, `c${n}`);
      store.disk.blobs.set(blob, new Uint8Array([1]));
    }
    const told: unknown[] = [];
    let text = "";
    for await (const piece of exportSession(store.ports, S, { onUnreadable: (each) => told.push(each) })) text += piece;
    const good = [1, 2, 3, 4].filter((n) => !damaged.includes(n));
    const parsed = JSON.parse(text) as Exported;
    expect(parsed.checkpoints.map(({ context }) => context)).toEqual(good.map((n) => ({ n })));
    expect(parsed["unreadable"]).toEqual(damaged.map((n) => ({ id: `c${n}`, code: "CHECKPOINT_CORRUPT" })));
    const unreadable = damaged.map((n) => ({ checkpointId: `c${n}`, code: "CHECKPOINT_CORRUPT" }));
    expect(told).toEqual(unreadable);
    const other = aStore();
    expect(await imported(other, text)).toMatchObject({ checkpoints: good.length, added: good.length, unreadable });
    expect(await ns(other)).toEqual(good);
    if (good.length === 0) return;
    expect(await exported(other)).toBe(text.replace(/,\n {2}"unreadable": [^]*\]\n\}/u, "\n}"));
  });
});

async function found(store: TestStore, id: string) {
  const record = await findCheckpoint(store.storage.catalog, id as CheckpointId);
  if (record === undefined) throw new Error(`${id} is not there.`);
  return record;
}

describe("importSession", () => {
  it("restores every fact in an empty store", async () => {
    const store = aStore({ limits: { maxCheckpoints: 3 } });
    await store.saved({ n: 0 });
    const first = await store.saved({ n: 1, z: 1, a: 2 }, { name: "one", tags: ["b", "a"], attributes: { z: 1, a: { __proto: [1] } } });
    await store.saved({ n: 2 }, { kind: "project", agentId: "agent", workflowId: "flow", project: "/p" });
    await store.saved({ n: 3 }, { kind: "aside" });
    await store.saved({ n: 4 }, { parentId: first.id });
    await store.saved({ n: 5 });
    await pinEntry(store.ports, { sessionId: S, key: "n" });
    await compactSession(store.ports, S);
    const text = await exported(store);
    const other = aStore();
    expect(await imported(other, text)).toEqual({
      sessionId: S,
      exportedSessionId: S,
      checkpoints: 5,
      added: 5,
      present: 0,
      leftOut: 0,
      unreadable: [],
    });
    const essential = async (each: TestStore) =>
      (await records(each)).map(({ sequence, lastAccessedAt, blobBytes, baseId, ...facts }) => ({
        ...facts,
        isOrdered: sequence > 0 && lastAccessedAt >= facts.createdAt && blobBytes > 0 && baseId !== undefined,
      }));
    expect(await essential(other)).toEqual(await essential(store));
    const { createdAt, tags, pins } = (await findSession(store.storage.catalog, S)) ?? {};
    expect(await findSession(other.storage.catalog, S)).toMatchObject({ createdAt, tags, pins });
    expect(await exported(other)).toBe(text);
    expect(other.disk.catalog.audit.filter(({ action }) => action === "import").length).toBe(5);
  });

  it("reads chunks of any size, twice", async () => {
    const store = await aSessionOf(1, 2);
    await store.saved({ text: 'a "quote", a \\ and a brace { \ud800', 'key\n"': [[], {}, "", -1.5e-7] });
    const text = await exported(store);
    for (const size of [1, 7, 100_000]) {
      const other = aStore();
      let readings = 0;
      await imported(other, async function* () {
        readings += 1;
        for (let index = 0; index < text.length; index += size) yield text.slice(index, index + size);
      });
      expect(readings).toBe(2);
      expect(await exported(other)).toBe(text);
    }
  });

  it("accepts the layout of other JSON writers", async () => {
    const other = aStore();
    await imported(other, JSON.stringify(JSON.parse(await exported(await aSessionOf(1, 2)))));
    expect(await ns(other)).toEqual([1, 2]);
  });

  it("accepts manual edits when the check is removed", async () => {
    const text = (await exported(await aSessionOf(1, 2))).replace(
      '"writer": "workrail/test"',
      '"name": "by hand",\n      "writer": "workrail/test"',
    );
    await expect(imported(aStore(), text)).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "check" } });
    const store = aStore();
    await imported(store, unchecked(text));
    expect((await records(store)).map(({ name }) => name)).toContain("by hand");
  });

  it("writes nothing in a dry run, and reports the same", async () => {
    const text = await exported(await aSessionOf(1, 2));
    const other = aStore();
    const report = await imported(other, text, { dryRun: true });
    expect(other.disk.blobs.size).toBe(0);
    expect(await findSession(other.storage.catalog, S)).toBeUndefined();
    expect(await imported(other, text)).toEqual(report);
  });

  it("counts as an access", async () => {
    const text = await exported(await aSessionOf(1, 2));
    const other = aStore();
    other.clock.set(new Date("2031-01-01"));
    await imported(other, text);
    expect((await findSession(other.storage.catalog, S))?.lastAccessedAt.getUTCFullYear()).toBe(2031);
  });
});

describe("a conflict of an import", () => {
  it.each(["skip", "rename", "newer"] as const)("does not occur under %s in an empty store", async (onConflict) => {
    const text = await exported(await aSessionOf(1, 2));
    const other = aStore();
    expect(await imported(other, text, { onConflict })).toMatchObject({ sessionId: S, added: 2 });
    expect(await exported(other)).toBe(text);
  });

  it("is skipped: existing checkpoints stay, later ones are added", async () => {
    const text = await exported(await aSessionOf(1, 2, 3));
    const other = aStore();
    await imported(other, await exported(await aSessionOf(1, 2)));
    expect(await imported(other, text)).toMatchObject({ added: 1, present: 2, leftOut: 0 });
    expect(await exported(other)).toBe(text);
    expect(await imported(other, text)).toMatchObject({ added: 0, present: 3, leftOut: 0 });
  });

  it("is skipped in a session that has continued: its head stays the head", async () => {
    const text = await exported(await aSessionOf(1, 2, 3));
    const other = await aSessionOf(1, 2);
    await other.saved({ n: "mine" });
    expect(await imported(other, text)).toMatchObject({ added: 0, present: 2, leftOut: 1 });
    expect(await ns(other)).toEqual([1, 2, "mine"]);
  });

  it("does not restore checkpoints that were pruned here", async () => {
    const other = aStore({ limits: { maxCheckpoints: 2 } });
    for (const n of [1, 2, 3]) await other.saved({ n }, { checkpointId: `c${n}` as CheckpointId });
    expect(await imported(other, await exported(await aSessionOf(1, 2, 3, 4)))).toMatchObject({ added: 1, present: 2, leftOut: 1 });
    expect(await ns(other)).toEqual([2, 3, 4]);
  });

  it("is won by the newer one", async () => {
    const older = await aSessionOf(1, 2);
    older.clock.set(new Date("2026-06-01"));
    await older.saved({ n: "mine" });
    const newer = await aSessionOf(1, 2);
    newer.clock.set(new Date("2026-07-01"));
    await newer.saved({ n: "newer" }, { checkpointId: "theirs" as CheckpointId });
    const [olderText, newerText] = [await exported(older), await exported(newer)];
    expect(await imported(newer, unchecked(olderText).replaceAll(/00000000-c8ec[^"]+/gu, "ours"), { onConflict: "newer" })).toMatchObject({
      added: 0,
      present: 2,
      leftOut: 1,
    });
    expect(await imported(older, newerText, { onConflict: "newer" })).toMatchObject({ added: 1, present: 2, leftOut: 0 });
    expect(await ns(older)).toEqual([1, 2, "mine", "newer"]);
    expect((await older.load(S)).context).toEqual({ n: "newer" });
  });

  it("is renamed to another session with the same lineage", async () => {
    const store = await aSessionOf(1, 2);
    const far = await store.saved({ n: 0 }, { sessionId: OTHER });
    await store.saved({ n: 3 }, { parentId: far.id });
    await pinEntry(store.ports, { sessionId: S, key: "n" });
    const text = await exported(store);
    const report = await imported(store, text, { onConflict: "rename" });
    expect(report).toMatchObject({ exportedSessionId: S, added: 3, present: 0, leftOut: 0 });
    expect(report.sessionId).not.toBe(S);
    const copies = await records(store, report.sessionId);
    expect(copies.map(({ parentId }) => parentId)).toEqual([null, copies[0]?.id, far.id]);
    expect(await ns(store, report.sessionId)).toEqual([1, 2, 3]);
    expect(await findSession(store.storage.catalog, report.sessionId)).toMatchObject({ pins: ["n"] });
    expect(await exported(store)).toBe(text);
  });

  it("of ids is rejected, unless it is renamed", async () => {
    const text = await exported(await aSessionOf(1, 2));
    const other = aStore();
    await other.saved({ n: "other" }, { checkpointId: "c2" as CheckpointId, sessionId: OTHER });
    await expect(imported(other, text)).rejects.toMatchObject(failure("CONFLICT", { checkpointId: "c2", sessionId: OTHER }));
    expect(await findSession(other.storage.catalog, S)).toBeUndefined();
    const { sessionId } = await imported(other, text, { onConflict: "rename" });
    expect(await ns(other, sessionId)).toEqual([1, 2]);
  });

  it("with a concurrent save is reported, and a repeated import decides again", async () => {
    const text = await exported(await aSessionOf(1, 2, 3));
    const store = aStore();
    let commits = 0;
    const { catalog } = store.storage;
    const ports = {
      ...store.ports,
      catalog: withMethods<CatalogPort>(catalog, {
        async change(rule) {
          commits += 1;
          // Commits like another process: within one process, the gate keeps the work of a session in order.
          if (commits === 2) await store.storage.catalog.change(commit(await appendOf("mine")));
          return catalog.change(rule);
        },
      }),
    };
    const appendOf = async (name: string) => {
      await store.leaveBlob({ context: { n: name }, checkpointId: name as CheckpointId, sessionId: OTHER });
      const [record] = await records(store);
      if (record === undefined) throw new Error("Nothing was imported.");
      const blob = store.storage.blobs.refOf({ sessionId: OTHER, checkpointId: name as CheckpointId });
      const append = { record: { ...record, id: name as CheckpointId, blob }, unlessHeadIs: undefined };
      return { append: { ...append, expectedHead: undefined, keepNewest: undefined }, audit: [] };
    };
    await expect(importSession(ports, { source: text })).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await records(store)).map(({ id }) => id)).toEqual(["c1", "mine"]);
    expect(store.disk.blobs.size).toBe(2);
    expect(await imported(store, text)).toMatchObject({ added: 0, present: 1, leftOut: 2 });
  });
});

describe("an import that is interrupted", () => {
  it.each([1, 2, 3])("before commit %i leaves complete checkpoints, and continues when repeated", async (last) => {
    const source = await aSessionOf(1, 2, 3);
    await pinEntry(source.ports, { sessionId: S, key: "n" });
    const text = await exported(source);
    const store = aStore();
    let commits = 0;
    const catalog = withMethods<CatalogPort>(store.storage.catalog, {
      change: (rule) => (++commits === last ? Promise.reject(new Error("killed")) : store.storage.catalog.change(rule)),
    });
    await expect(importSession({ ...store.ports, catalog }, { source: text })).rejects.toThrow("killed");
    expect(await ns(store)).toEqual([1, 2, 3].slice(0, last - 1));
    expect(store.disk.blobs.size).toBe(last);
    expect(await imported(store, text)).toMatchObject({ added: 4 - last, present: last - 1 });
    expect(await exported(store)).toBe(text);
  });

  it("replaces garbage under its ids", async () => {
    const text = await exported(await aSessionOf(1, 2));
    const store = aStore();
    await store.leaveBlob({ context: { n: "garbage" }, checkpointId: "c1" as CheckpointId });
    store.disk.blobs.set(store.storage.blobs.refOf({ sessionId: S, checkpointId: "c2" as CheckpointId }), new Uint8Array([1]));
    await imported(store, text);
    expect(await exported(store)).toBe(text);
  });

  it("by a change of the file is reported", async () => {
    const [before, after] = [await exported(await aSessionOf(1, 2)), await exported(await aSessionOf(1))];
    const store = aStore();
    let readings = 0;
    const source = async function* () {
      yield readings++ === 0 ? before : after;
    };
    await expect(imported(store, source)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await ns(store)).toEqual([1]);
  });
});

describe("an import refuses, and imports nothing:", () => {
  const NEWER = failure("UNSUPPORTED_VERSION", { version: 2, supported: 1 });
  const invalid = (place: string, field?: string): object =>
    failure("INVALID_INPUT", expect.objectContaining({ place, ...(field === undefined ? {} : { field }) }) as object);

  const cases: readonly (readonly [string, (value: Exported) => unknown, object])[] = [
    ["a newer version", (value) => ({ ...value, version: 2, checkpoints: "otherwise" }), NEWER],
    ["another format", (value) => ({ ...value, format: "x" }), invalid("format")],
    ["no version", (value) => ({ ...value, version: "1" }), invalid("version")],
    ["another order", ({ session, ...value }) => ({ ...value, session }), invalid("session")],
    ["another member", (value) => ({ ...value, more: 1 }), invalid("unreadable")],
    ["one more", (value) => ({ ...value, unreadable: [], more: 1 }), invalid("the end")],
    ["unreadable ones that are no list", (value) => ({ ...value, unreadable: {} }), invalid("unreadable")],
    ["an unreadable one without a code", (value) => ({ ...value, unreadable: [{ id: "x" }] }), invalid("unreadable", "code")],
    ["an unreadable one with more", (value) => ({ ...value, unreadable: [{ id: "x", code: "X", y: 1 }] }), invalid("unreadable", "y")],
    ["no list", (value) => ({ ...value, checkpoints: {} }), invalid("checkpoints")],
    ["no object", () => [], invalid("the beginning")],
    ["a session without an id", (value) => void delete value.session["id"], invalid("session", "id")],
    ["an id of control characters", (value) => void (value.session["id"] = "a\u0000b"), invalid("session", "id")],
    ["pins that are no texts", (value) => void (value.session["pins"] = [1]), invalid("session", "pins")],
    ["too many pins", (value) => void (value.session["pins"] = Array.from({ length: 201 }, String)), invalid("session", "pins")],
    [
      "a wrong digest",
      (value) => void (value.checkpoints[1] = { ...value.checkpoints[1], context: {} }),
      invalid("checkpoints[1]", "sha256"),
    ],
    ["a session with another pin", (value) => void (value.session["pins"] = ["other"]), invalid("session", "check")],
    [
      "another name",
      (value) => void (value.checkpoints[1] = { ...value.checkpoints[1], name: "other" }),
      invalid("checkpoints[1]", "check"),
    ],
    ["another check", (value) => void (value.checkpoints[1] = { ...value.checkpoints[1], check: "" }), invalid("checkpoints[1]", "check")],
    ["an id twice", (value) => void (value.checkpoints[2] = { ...value.checkpoints[1] }), invalid("checkpoints[2]", "id")],
    ["no context", (value) => void delete value.checkpoints[0]?.["context"], invalid("checkpoints[0]", "context")],
    ["an unknown kind", (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], kind: "x" }), invalid("checkpoints[2]", "kind")],
    [
      "no time",
      (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], createdAt: "now" }),
      invalid("checkpoints[2]", "createdAt"),
    ],
    ["a number as name", (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], name: 1 }), invalid("checkpoints[2]", "name")],
    ["an unknown field", (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], x: 1 }), invalid("checkpoints[2]", "x")],
    [
      "an unknown layer",
      (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], layers: { X: 1 } }),
      invalid("checkpoints[2]", "layers"),
    ],
    ["a checkpoint that is none", (value) => void (value.checkpoints[1] = null as never), invalid("checkpoints[1]")],
    [
      "attributes that are too long",
      (value) => void (value.checkpoints[2] = { ...value.checkpoints[2], attributes: { a: "x".repeat(20_000) } }),
      invalid("checkpoints[2]", "attributes"),
    ],
  ];

  it.each(cases)("%s", async (_name, edit, error) => {
    const store = aStore();
    await expect(imported(store, await edited(edit))).rejects.toMatchObject(error);
    expect(store.disk.blobs.size).toBe(0);
    expect(store.disk.catalog.audit).toEqual([]);
  });

  it("text truncated at any position", async () => {
    const text = (await exported(await aSessionOf(1, 2))).trimEnd();
    const store = aStore();
    for (let end = 0; end < text.length; end++) {
      await expect(imported(store, text.slice(0, end))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    expect(store.disk.blobs.size).toBe(0);
  });

  it("a fault in the middle of the text, naming its line", async () => {
    const text = await exported(await aSessionOf(1, 2));
    const faulty = text.replace('"n": 2', '"n": 2,,');
    const line = text.split("\n").findIndex((each) => each.includes('"c2"'));
    await expect(imported(aStore(), faulty)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: `In checkpoints[1], line ${line}: It is not JSON.`,
      details: { place: "checkpoints[1]", line },
    });
  });

  it("JSON that is too deep, without reading further", async () => {
    const [before] = (await exported(await aSessionOf(1))).split('"n": 1');
    let read = 0;
    const source = async function* () {
      yield `${before}"n":`;
      for (; read < 1_000; read++) yield "[".repeat(10_000);
    };
    await expect(imported(aStore(), source)).rejects.toMatchObject(
      failure("INVALID_INPUT", expect.objectContaining({ place: "checkpoints[0]" }) as object),
    );
    expect(read).toBeLessThan(2);
  });

  it("a checkpoint that is too large, before it is held in memory", async () => {
    const [before] = (await exported(await aSessionOf(1))).split('"n": 1');
    let read = 0;
    const source = async function* () {
      yield `${before}"n":"`;
      for (; read < 1_000; read++) yield "x".repeat(1024 * 1024);
    };
    await expect(imported(aStore({ limits: { maxContextBytes: 1_000 } }), source)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(read).toBeLessThan(40);
  });

  it("contexts over the limits", async () => {
    const text = await exported(await aSessionOf(1));
    await expect(imported(aStore({ limits: { maxContextBytes: 3 } }), text)).rejects.toMatchObject({ code: "TOO_LARGE" });
    const store = aStore({ limits: { maxCheckpointBytes: 10 } });
    await expect(imported(store, text)).rejects.toMatchObject({ code: "STORAGE_QUOTA_EXCEEDED" });
    expect(store.disk.blobs.size).toBe(0);
  });

  it("but keeps keys such as __proto__ unchanged", async () => {
    const context = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object;
    const text = await edited((value) => void (value.checkpoints[0] = { ...value.checkpoints[0], ...proven(context), check: undefined }));
    const store = aStore();
    await imported(store, text);
    expect((await store.load("c1" as CheckpointId)).contextText()).toBe(JSON.stringify(context));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    await expect(imported(aStore(), text.replace('"id":"c1"', '"__proto__":{"id":"c1"},"id":"c1"'))).rejects.toMatchObject(
      failure("INVALID_INPUT", expect.objectContaining({ place: "checkpoints[0]", field: "__proto__" }) as object),
    );
  });
});
