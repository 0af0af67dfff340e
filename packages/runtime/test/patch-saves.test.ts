import { randomBytes } from "node:crypto";
import fs from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StatePatch } from "../src/context-management-service.ts";
import type { Workrail } from "../src/workrail.ts";
import { obstruct, withFailingDisk } from "./failing-disk.ts";
import { KINDS, onDisk, refusalOf } from "./stores.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

const S = { sessionId: "s" };
const STATE = { goal: "ship it", constraints: ["never push to main"], plan: [1, 2, 3, 4, 5], log: ["begun"], step: 1 };

async function text(workrail: Workrail, checkpointId: string): Promise<string> {
  return JSON.stringify((await workrail.loadCheckpoint({ checkpointId })).context);
}

describe.each(KINDS)("a patch in $kind", (kind) => {
  it("stores the whole new state, and reports its effect", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      const base = await workrail.saveCheckpoint({ ...S, context: STATE });
      const patch = { set: { step: 2, plan: [4, 5] }, append: { log: ["built", "tested"] }, remove: ["nothing"] };
      const saved = await workrail.saveCheckpoint({ ...S, patch });
      expect(saved).toMatchObject({
        status: "SAVED",
        parentId: base.checkpointId,
        patched: {
          base: base.checkpointId,
          set: ["step", "plan"],
          appended: { log: 2 },
          notFound: ["nothing"],
          replaced: { plan: "5 items -> 2" },
          keptKeys: 2,
        },
      });
      const { droppedKeys, warning } = saved;
      expect({ droppedKeys, warning }).toEqual({});
      const whole = { ...STATE, plan: [4, 5], log: ["begun", "built", "tested"], step: 2 };
      expect(await text(workrail, saved.checkpointId)).toBe(JSON.stringify(whole));
      // The whole state sent afterwards is the same.
      expect(await workrail.saveCheckpoint({ ...S, context: whole })).toMatchObject({
        status: "SKIPPED_UNCHANGED",
        checkpointId: saved.checkpointId,
        contextHash: saved.contextHash,
      });
      expect(await workrail.saveCheckpoint({ ...S, patch: { set: { step: 2 } } })).toMatchObject({ status: "SKIPPED_UNCHANGED" });
    }));

  it("applies to the checkpoint of parentId, as a fork", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      const first = await workrail.saveCheckpoint({ ...S, context: STATE });
      await workrail.saveCheckpoint({ ...S, patch: { set: { step: 2 } } });
      const fork = await workrail.saveCheckpoint({ parentId: first.checkpointId, patch: { append: { log: "other way" } } });
      expect(fork).toMatchObject({ ...S, parentId: first.checkpointId, patched: { base: first.checkpointId } });
      expect(await text(workrail, fork.checkpointId)).toBe(JSON.stringify({ ...STATE, log: ["begun", "other way"] }));
      expect((await refusalOf(workrail.saveCheckpoint({ ...S, parentId: "gone", patch: { set: { a: 1 } } }))).code).toBe(
        "CHECKPOINT_NOT_FOUND",
      );
    }));

  it("never starts a session, and lists the existing ones", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      const patch = { set: { a: 1 } };
      const none = await refusalOf(workrail.saveCheckpoint({ patch }));
      expect(none).toMatchObject({
        code: "SESSION_NOT_FOUND",
        details: { sessions: [] },
        hint: expect.stringContaining("Send the whole state"),
      });
      await workrail.saveCheckpoint({ sessionId: "one", context: STATE });
      await workrail.saveCheckpoint({ sessionId: "two", workflowId: "w", context: STATE });
      for (const params of [{ sessionId: "tow" }, { workflowId: "unknown" }, { ...S, expectedParentId: null }]) {
        const { code, message, details } = await refusalOf(workrail.saveCheckpoint({ ...params, patch }));
        expect([code, details["sessions"]]).toEqual(["SESSION_NOT_FOUND", ["two", "one"]]);
        expect(message).toContain("A patch never starts a session. Sessions: two, one.");
      }
      expect(await workrail.saveCheckpoint({ workflowId: "w", patch })).toMatchObject({ sessionId: "two", sessionReason: "process" });
      expect((await workrail.listSessions()).sessions).toHaveLength(2);
    }));

  it("with a stale expectedParentId is a conflict that names the changed keys, and a repeated one is recognised", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      const base = await workrail.saveCheckpoint({ ...S, context: STATE });
      const call = { ...S, expectedParentId: base.checkpointId, patch: { append: { log: ["mine"] } } };
      const saved = await workrail.saveCheckpoint(call);
      expect(await workrail.saveCheckpoint(call)).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: saved.checkpointId });
      await workrail.saveCheckpoint({ ...S, patch: { set: { step: 9, extra: true }, remove: ["goal"] } });
      const refusal = await refusalOf(workrail.saveCheckpoint(call));
      expect(refusal).toMatchObject({ code: "CONFLICT", details: { changedKeys: ["log", "step", "extra", "goal"], changedCount: 4 } });
      expect(refusal.message).toContain("Changed since: log, step, extra, goal.");
      const whole = await refusalOf(workrail.saveCheckpoint({ ...S, expectedParentId: base.checkpointId, context: { a: 1 } }));
      expect(whole).toMatchObject({ code: "CONFLICT", details: { changedKeys: ["log", "step", "extra", "goal"] } });
    }));

  it("repeated under its own id is not applied twice", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ ...S, context: STATE });
      const call = { ...S, checkpointId: "own", patch: { append: { log: ["once"] } } };
      await workrail.saveCheckpoint(call);
      expect(await workrail.saveCheckpoint(call)).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: "own" });
      await workrail.saveCheckpoint({ ...S, patch: { set: { step: 3 } } });
      expect(await workrail.saveCheckpoint(call)).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: "own" });
      expect((await refusalOf(workrail.saveCheckpoint({ ...call, patch: { append: { log: ["other"] } } }))).code).toBe("CONFLICT");
      expect((await workrail.loadCheckpoint(S)).context).toEqual({ ...STATE, step: 3, log: ["begun", "once"] });
    }));

  it("keeps the order of simultaneous calls", () =>
    kind.at(async (place) => {
      await using workrail = await place.open();
      const calls = [
        workrail.saveCheckpoint({ ...S, context: STATE }),
        workrail.saveCheckpoint({ ...S, patch: { append: { log: ["a"] } } }),
        workrail.saveCheckpoint({ ...S, patch: { append: { log: ["b"] } } }),
        workrail.saveCheckpoint({ ...S, context: { ...STATE, log: [] } }),
        workrail.saveCheckpoint({ ...S, patch: { append: { log: ["c"] } } }),
      ];
      const saved = await Promise.all(calls);
      expect(await text(workrail, saved[2]?.checkpointId ?? "")).toContain('"log":["begun","a","b"]');
      expect((await workrail.loadCheckpoint(S)).context).toMatchObject({ log: ["c"] });
    }));

  it("applies secret rules and limits to the whole new state", () =>
    kind.at(async (place) => {
      await using workrail = await place.open({ limits: { maxKeys: 6 } });
      await workrail.saveCheckpoint({ ...S, context: STATE });
      const token = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
      const saved = await workrail.saveCheckpoint({ ...S, patch: { append: { log: [`token ${token}`] } } });
      expect(saved.secrets).toMatchObject({ count: 1, found: [{ path: 'context["log"][1]' }] });
      const refusal = await refusalOf(workrail.saveCheckpoint({ ...S, patch: { set: { a: 1, b: 2 } } }));
      expect([refusal.code, refusal.message]).toEqual(["INVALID_INPUT", expect.stringContaining("over 6 keys")]);
    }));
});

describe("entries that a save drops", () => {
  it("are compared with the parent, with a warning when they are pinned or CRITICAL, and again at every load", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ ...S, context: { ...STATE, scratch: "tmp", pinned: 1 } });
      await workrail.markCritical({ ...S, contextKey: "pinned" });
      const saved = await workrail.saveCheckpoint({ ...S, context: { step: 2 } });
      expect(saved.droppedKeys).toEqual(["pinned", "goal", "constraints", "plan", "log", "scratch"]);
      expect(saved.warning).toMatch(/pinned: pinned; CRITICAL: goal, constraints/u);
      const loaded = await workrail.loadCheckpoint(S);
      expect(loaded.droppedKeys).toEqual(saved.droppedKeys);
      expect(loaded.metadata).not.toHaveProperty("droppedKeys");
      expect(await workrail.viewCheckpoint({ ...S, budgetTokens: 1_000 })).toMatchObject({ droppedKeys: saved.droppedKeys });
      for (const depth of ["summary", "view", "full"] as const) {
        expect(await workrail.resumeWork({ ...S, depth })).toMatchObject({ depth, droppedKeys: saved.droppedKeys });
      }
      // A word of a removed key does not find the checkpoint.
      expect((await workrail.findCheckpoints({ ...S, query: "constraints" })).total).toBe(0);
      expect(await workrail.saveCheckpoint({ ...S, context: { step: 3 } })).not.toHaveProperty("droppedKeys");
      expect(await workrail.loadCheckpoint(S)).not.toHaveProperty("droppedKeys");
    }));

  it("are counted when numerous, with long names truncated", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`${index} ${"k".repeat(200)}`, index]));
      await workrail.saveCheckpoint({ ...S, context: { ...many, step: 1 } });
      const saved = await workrail.saveCheckpoint({ ...S, context: { step: 1 } });
      expect(saved).toMatchObject({ droppedKeysCount: 120 });
      expect(saved.droppedKeys).toHaveLength(50);
      expect(JSON.stringify(saved.droppedKeys).length).toBeLessThan(6_000);
      expect(await workrail.loadCheckpoint(S)).toMatchObject({ droppedKeysCount: 120 });
    }));

  it("are not determined when the parent cannot be read: the save continues", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const { blobPath } = await workrail.saveCheckpoint({ ...S, context: STATE });
      fs.writeFileSync(`${place.dataDir}/${blobPath}`, "damaged");
      expect(await workrail.saveCheckpoint({ ...S, context: { step: 2 } })).not.toHaveProperty("droppedKeys");
    }));

  it("must not be all entries, unless it is forced; a first state may be empty", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ ...S, context: {} });
      expect(await workrail.saveCheckpoint({ ...S, context: {} })).toMatchObject({ status: "SKIPPED_UNCHANGED" });
      await workrail.saveCheckpoint({ ...S, context: STATE });
      const refusal = await refusalOf(workrail.saveCheckpoint({ ...S, context: {} }));
      expect(refusal).toMatchObject({ code: "INVALID_INPUT", hint: expect.stringContaining("Send changes as patch") });
      expect(await workrail.saveCheckpoint({ ...S, context: {}, force: true })).toMatchObject({ droppedKeys: Object.keys(STATE) });
    }));
});

it("a patch of a damaged base is refused, and changes nothing", () =>
  onDisk(async (place) => {
    await using workrail = await place.open();
    const { blobPath } = await workrail.saveCheckpoint({ ...S, context: STATE });
    fs.writeFileSync(`${place.dataDir}/${blobPath}`, "damaged");
    expect((await refusalOf(workrail.saveCheckpoint({ ...S, patch: { set: { a: 1 } } }))).code).toBe("CHECKPOINT_CORRUPT");
    expect(await workrail.listCheckpoints(S)).toHaveLength(1);
  }));

it("JSON texts are parsed, and the answer reports that", () =>
  onDisk(async (place) => {
    await using workrail = await place.open();
    expect(await workrail.saveCheckpoint({ ...S, context: JSON.stringify(STATE) })).toMatchObject({ parsedFromText: ["context"] });
    const saved = await workrail.saveCheckpoint({ ...S, patch: { set: '{"step":"{}"}', remove: ["log"] } });
    expect(saved).toMatchObject({ parsedFromText: ["patch.set"], droppedKeys: ["log"], patched: { removed: ["log"] } });
    expect((await workrail.loadCheckpoint(S)).context).toMatchObject({ step: "{}" });
  }));

it("patches of two processes to different keys all survive", () =>
  onDisk(async (place) => {
    await using one = await place.open();
    await using two = await place.open();
    await one.saveCheckpoint({ ...S, context: { left: [], right: [], other: true } });
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    await Promise.all(
      rounds.flatMap((round) => [
        one.saveCheckpoint({ ...S, patch: { append: { left: round } } }),
        two.saveCheckpoint({ ...S, patch: { append: { right: round } } }),
      ]),
    );
    expect((await one.loadCheckpoint(S)).context).toEqual({ left: rounds, right: rounds, other: true });
  }));

it("equal items that two processes append are both stored", () =>
  onDisk(async (place) => {
    await using one = await place.open();
    await using two = await place.open();
    await one.saveCheckpoint({ ...S, context: { log: [] } });
    await Promise.all([one, two, one, two].map((each) => each.saveCheckpoint({ ...S, patch: { append: { log: "done" } } })));
    expect((await two.loadCheckpoint(S)).context).toEqual({ log: ["done", "done", "done", "done"] });
  }));

describe("while memory replaces the disk, a patch", () => {
  it("is applied to the state on the disk or in memory, and written whole when the disk is back", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await workrail.saveCheckpoint({ ...S, context: STATE });
      disk.writing = "ENOSPC";
      for (const item of ["a", "b"]) {
        const refusal = await refusalOf(workrail.saveCheckpoint({ ...S, patch: { append: { log: [item] } } }));
        expect(refusal).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { retained: "memory" } });
      }
      expect((await workrail.loadCheckpoint(S)).context).toMatchObject({ log: ["begun", "a", "b"] });
      disk.writing = undefined;
      expect(await workrail.saveCheckpoint({ ...S, patch: { append: { log: ["c"] } } })).toMatchObject({ durability: "disk" });
      expect((await workrail.loadCheckpoint(S)).context).toEqual({ ...STATE, log: ["begun", "a", "b", "c"] });
    }));

  it("is not kept when its base cannot be read, and the error gives advice", () =>
    withFailingDisk(async (disk) => {
      const clear = obstruct(disk.place.dataDir);
      await using workrail = await disk.open();
      const refusal = await refusalOf(workrail.saveCheckpoint({ ...S, patch: { set: { a: 1 } } }));
      expect(refusal).toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        details: { retained: "none" },
        hint: expect.stringContaining("Send the whole state as context"),
      });
      clear();
    }));
});

it("works in a sealed store as in any other, and stores no key in clear", () =>
  onDisk(
    async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ ...S, context: { ...STATE, verySecretKey: 1 } });
      const saved = await workrail.saveCheckpoint({ ...S, patch: { append: { log: ["x"] }, remove: ["verySecretKey"] } });
      expect(saved).toMatchObject({ droppedKeys: ["verySecretKey"] });
      expect(await text(workrail, saved.checkpointId)).toBe(JSON.stringify({ ...STATE, log: ["begun", "x"] }));
      for (const name of fs.readdirSync(place.dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
        expect(fs.readFileSync(`${name.parentPath}/${name.name}`, "latin1")).not.toContain("verySecretKey");
      }
    },
    { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: randomBytes(32).toString("hex") },
  ));

/** `npm run test:faults` runs many more. */
const RUNS = Number(process.env["WORKRAIL_RUNS"] ?? 40);

type Json = Readonly<Record<string, unknown>>;

const key = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "0", "10", "2", "-", "a/b", "a~b", "/", "/a", "/a/0", "~1", "", "a"),
);
const members = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(key, values), { maxLength: 6 }).map((entries) => Object.fromEntries(entries) as Json);
const leaf = fc.jsonValue({ maxDepth: 2 });
const value = fc.oneof(leaf, members(leaf), fc.array(leaf, { maxLength: 4 }), fc.array(members(leaf), { maxLength: 3 }));
const state = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 6 }).map((entries) => Object.fromEntries(entries) as Json);
const change = fc.record({
  what: fc.constantFrom("set", "append", "remove"),
  isDeep: fc.boolean(),
  at: fc.nat(9),
  fresh: fc.option(key),
  value,
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const pointer = (...path: readonly string[]): string =>
  path.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** A patch that changes each top-level entry at most once, so that its parts can also be applied one after the other. */
function patchOf(
  base: Json,
  changes: readonly Change[],
): { readonly patch: StatePatch; readonly paths: ReadonlyMap<string, readonly string[]> } {
  const paths = new Map<string, readonly string[]>();
  const tops = new Set<string>();
  const parts = { set: [] as [string, unknown][], append: [] as [string, unknown][], remove: [] as string[] };
  for (const { what, isDeep, at, fresh, value: given } of changes) {
    const top = fresh ?? nth(Object.keys(base), at);
    const inside = Object.hasOwn(base, top) ? base[top] : undefined;
    const keys = typeof inside === "object" && inside !== null ? Object.keys(inside) : [];
    const path = isDeep && keys.length > 0 ? [top, nth(keys, at)] : [top];
    const isKey = path.length === 1 && (Object.hasOwn(base, top) || !top.startsWith("/"));
    const name = isKey ? top : pointer(...path);
    const old = path.length === 1 ? inside : (inside as Json)[path[1] ?? ""];
    const isWrong = (!isKey && Object.hasOwn(base, name)) || (what === "append" && old !== undefined && !Array.isArray(old));
    if (tops.has(top) || isWrong) continue;
    tops.add(top);
    paths.set(name, path);
    if (what === "remove") parts.remove.push(name);
    else parts[what as "set"].push([name, given]);
  }
  return { patch: { set: Object.fromEntries(parts.set), append: Object.fromEntries(parts.append), remove: parts.remove }, paths };
}

function nth(keys: readonly string[], at: number): string {
  return keys[at % keys.length] ?? "";
}

/** Applies the patch by hand. */
function byHand(base: Json, { patch, paths }: ReturnType<typeof patchOf>): Json {
  const made = JSON.parse(JSON.stringify(base)) as Record<string, unknown>;
  const place = (name: string): [holder: Record<string, unknown>, key: string] => {
    const [top = "", inner] = paths.get(name) ?? [];
    return inner === undefined ? [made, top] : [made[top] as Record<string, unknown>, inner];
  };
  const put = (name: string, given: unknown): void => {
    const [holder, at] = place(name);
    Object.defineProperty(holder, at, { value: given, enumerable: true, configurable: true, writable: true });
  };
  for (const [name, given] of Object.entries(patch.set ?? {})) put(name, given);
  for (const [name, given] of Object.entries(patch.append ?? {})) {
    const [holder, at] = place(name);
    const items = Object.hasOwn(holder, at) ? (holder[at] as unknown[]) : [];
    put(name, [...items, ...(Array.isArray(given) ? (given as unknown[]) : [given])]);
  }
  for (const name of patch.remove ?? []) {
    const [holder, at] = place(name);
    if (Array.isArray(holder)) holder.splice(Number(at), 1);
    else delete holder[at];
  }
  return made;
}

it(`stores byte for byte what the whole state would have been, for ${RUNS} random states and patches`, { timeout: 300_000 }, () =>
  onDisk(async (place) => {
    await using workrail = await place.open({ limits: { maxCheckpoints: RUNS * 10 } });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(state, fc.array(change, { maxLength: 6 }), fc.boolean(), async (base, changes, asText) => {
        const made = patchOf(base, changes);
        const whole = byHand(base, made);
        number += 1;
        const [patched, sent] = [{ sessionId: `patched-${number}` }, { sessionId: `whole-${number}` }];
        await workrail.saveCheckpoint({ ...patched, context: base });
        const patch = asText ? JSON.stringify(made.patch) : made.patch;
        const one = await workrail.saveCheckpoint({ ...patched, patch, force: true });
        const other = await workrail.saveCheckpoint({ ...sent, context: whole, force: true });
        expect(await text(workrail, one.checkpointId)).toBe(JSON.stringify(whole));
        expect(await text(workrail, other.checkpointId)).toBe(JSON.stringify(whole));
        expect(one.contextHash).toBe(other.contextHash);
      }),
      { numRuns: RUNS },
    );
  }),
);
