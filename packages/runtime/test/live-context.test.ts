import fs from "node:fs";
import path from "node:path";
import type { JsonValue } from "@workrail/core";
import { tokensCounted } from "@workrail/storage-conformance/builders";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Condensed, LiveContext } from "../src/live/live-context.ts";
import { foreseeable, KINDS, onDisk, refusalOf } from "./stores.ts";

/** Returns about five hundred tokens of distinct lines. */
function findings(about: string): string {
  const lines = Array.from({ length: 40 }, (_, index) => `${about} ${index}: the handler of request ${index * 37} waits ${index * 11} ms.`);
  return lines.join("\n");
}

/** A fast counter. */
const fourths = tokensCounted((text) => Math.ceil(text.length / 4));
const inMemory = KINDS[0]?.at ?? onDisk;

const GOAL = "Ship the release without breaking the login of anybody";

describe.each(KINDS)("a live context over $kind", ({ at }) => {
  it("is resumed by another process exactly as it was saved, including loops and phase", () =>
    at(async (place) => {
      const rules = { phases: ["collect", { name: "check", checkpoint: false }, "report"] };
      const first = await place.open();
      const live = first.liveContext({ sessionId: "w", context: { goal: GOAL, ["__proto__"]: { kept: 1 } }, contextRules: rules });
      expect(await live.resume()).toBeUndefined();
      await live.enterPhase("collect");
      live.set("files", ["a.ts"]);
      live.update("files", (files) => [...(files as string[]), "b.ts"]);
      live.mergeLoopState({ each: { iteration: 1, item: "b.ts" } });
      live.enterStep("read");
      const saved = await live.checkpoint({ name: "half way", tags: ["t"] });
      const then = live.enhanced;
      live.set("files", []);
      live.delete("goal");
      live.mergeLoopState({ each: null });
      expect(then.context["files"]).toEqual(["a.ts", "b.ts"]);
      await live.close();
      await first.close();

      await using second = await place.open();
      const resumed = second.liveContext({ sessionId: "w", contextRules: rules });
      expect(await resumed.resume()).toMatchObject({ checkpointId: saved.checkpointId, metadata: { name: "half way", tags: ["t"] } });
      expect(resumed.enhanced).toEqual(then);
      expect(JSON.stringify(resumed.context)).toBe(JSON.stringify(then.context));
      expect(await resumed.checkpoint()).toMatchObject({ status: "SKIPPED_UNCHANGED" });
    }));

  it("saves at the end of each phase, marked, unless the rules or the caller say otherwise", () =>
    at(async (place) => {
      await using store = await place.open();
      const contextRules = { phases: ["collect", { name: "check", checkpoint: false }, "report"] };
      const live = store.liveContext({ sessionId: "w", contextRules });
      await live.enterPhase("collect");
      live.set("found", 1);
      expect(await live.enterPhase("check")).toMatchObject({ status: "SAVED" });
      expect(await live.endPhase("check")).toBeUndefined();
      expect(live.enhanced.engine).toMatchObject({ phase: "report", completedPhases: ["collect", "check"] });
      expect(await live.endPhase("report")).toMatchObject({ status: "SAVED" });
      expect(await live.endPhase("report")).toMatchObject({ status: "SKIPPED_UNCHANGED" });
      expect((await store.listCheckpoints({ sessionId: "w" })).map(({ phase }) => phase)).toEqual(["report", "collect"]);

      const quiet = store.liveContext({ sessionId: "quiet", autoSave: false });
      await quiet.enterPhase("one");
      expect(await quiet.endPhase("one")).toBeUndefined();
      expect(await store.listCheckpoints({ sessionId: "quiet" })).toEqual([]);
      expect(await refusalOf(live.endPhase("deploy"))).toMatchObject({
        code: "INVALID_INPUT",
        hint: expect.stringContaining('"collect", "check", "report"') as string,
      });
    }));

  it("condenses in the background at 80% of its maximum, and keeps the originals", () =>
    at(async (place) => {
      await using store = await place.open();
      let live: LiveContext | undefined;
      const condensed = await new Promise<Condensed>((resolve, reject) => {
        live = store.liveContext({
          sessionId: "w",
          context: { goal: GOAL },
          contextRules: { layers: { IMPORTANT: ["notes*"] } },
          maxTokens: 4_000,
          onCondensed: resolve,
          onCondenseFailed: reject,
        });
        for (let part = 0; part < 8; part++) live.set(`notes${part}`, findings(`note ${part}`));
      });
      const open = live as LiveContext;
      expect(condensed.tokensBefore).toBeGreaterThanOrEqual(3_200);
      expect(condensed.tokensAfter).toBeLessThanOrEqual(2_300);
      expect(await open.tokens()).toBe(condensed.tokensAfter);
      expect(open.get("goal")).toBe(GOAL);
      expect(Object.keys(open.context).slice(0, 2)).toEqual(["goal", "notes0"]);
      expect(condensed.entries.length).toBeGreaterThan(0);
      for (const { key } of condensed.entries) {
        expect(open.get(key)).not.toBe(findings(`note ${key.slice(5)}`));
        expect(await open.original(key)).toBe(findings(`note ${key.slice(5)}`));
      }
      await open.checkpoint();
      await open.close();
      const later = store.liveContext({ sessionId: "w" });
      await later.resume();
      const [{ key } = { key: "" }] = condensed.entries;
      expect(await later.original(key)).toBe(findings(`note ${key.slice(5)}`));
    }));
});

describe("condensing a live context", () => {
  const wide = { maxTokens: 1_000, contextRules: { layers: { IMPORTANT: ["notes*"], EPHEMERAL: ["scratch"] } } };

  it("keeps entries that were written while the originals were being saved", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      const live = store.liveContext({ sessionId: "w", context: { notesA: findings("a") }, ...wide });
      live.set("notesB", findings("b"));
      const condensing = live.condense();
      live.set("notesB", "written meanwhile");
      live.set("new", 1);
      const condensed = await condensing;
      expect(condensed?.entries.map(({ key }) => key)).toEqual(["notesA"]);
      expect(live.get("notesB")).toBe("written meanwhile");
      expect(live.get("new")).toBe(1);
      await live.close();
    }));

  it("keeps the first original of an entry condensed twice, and each original of an entry that was written to in between", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      const live = store.liveContext({ sessionId: "w", context: { notesA: findings("a"), notesB: findings("b") }, ...wide });
      const first = await live.condense();
      expect(first?.keys).toEqual(["notesA", "notesB"]);
      const added = `${live.get("notesB") as string}\n${findings("more")}\n${findings("and more")}`;
      live.set("notesB", added);
      const second = await live.condense();
      expect(second?.keys).toContain("notesB");
      expect(await live.original("notesA")).toBe(findings("a"));
      expect(await live.original("notesB")).toBe(added);
      expect(await live.original("notesB", first?.checkpointId)).toBe(findings("b"));
      expect(await live.original("notesC")).toBeUndefined();
      await live.close();
    }));

  it("drops EPHEMERAL entries, never CRITICAL ones, and stops at entries that cannot be shortened", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      let times = 0;
      const live = store.liveContext({ sessionId: "w", ...wide, onCondensed: () => (times += 1) });
      live.merge({ goal: `${GOAL} ${findings("must")}`, scratch: findings("scratch") });
      await expect.poll(() => times, { timeout: 60_000 }).toBe(1);
      expect(live.context).toEqual({ goal: `${GOAL} ${findings("must")}` });
      expect(await live.original("scratch")).toBe(findings("scratch"));
      live.set("small", 1);
      await live.close();
      expect(times).toBe(1);
    }));

  it("follows its own maximum, whatever the limit of an answer", () =>
    onDisk(async (place) => {
      await using store = await place.open({ adapters: { tokens: fourths } });
      const notes = Array.from({ length: 60 }, (_, index) => [`notes${index}`, findings(`note ${index}`)]);
      const live = store.liveContext({ sessionId: "w", context: Object.fromEntries(notes) as object, ...wide, maxTokens: 40_000 });
      const condensed = await live.condense();
      expect(condensed?.tokensAfter).toBeGreaterThan(15_000);
      expect(condensed?.tokensAfter).toBeLessThanOrEqual(21_000);
      await live.close();
    }));

  it("can be undone for each entry, in any order of writing and condensing, and after a crash", async () => {
    const key = fc.constantFrom("notesA", "notesB", "notesC", "scratch", "goal");
    const step = fc.oneof(
      fc.record({ set: key, to: fc.integer({ min: 0, max: 99 }) }),
      fc.record({ remove: key }),
      fc.constant("condense" as const),
      fc.constant("crash" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) =>
        inMemory(async (place) => {
          await using store = await place.open({ adapters: { tokens: fourths } });
          const given = new Map<string, string>();
          const open = (): LiveContext => store.liveContext({ sessionId: "w", ...wide });
          let live = open();
          const all = ["notesA", "notesB", "notesC"].map((name) => ({ set: name, to: 100 }));
          for (const each of [...all, "condense" as const, ...steps, "condense" as const]) {
            if (each === "condense") await live.condense();
            else if (each === "crash") {
              await live.checkpoint();
              await live.close();
              live = open();
              await live.resume();
            } else if ("remove" in each) {
              live.delete(each.remove);
              given.delete(each.remove);
            } else {
              live.set(each.set, findings(`${each.set} ${each.to}`));
              given.set(each.set, findings(`${each.set} ${each.to}`));
            }
          }
          await live.close();
          for (const [name, text] of given) {
            const isWhole = live.get(name) === text;
            expect(isWhole ? text : await live.original(name)).toBe(text);
            expect(isWhole || name !== "goal").toBe(true);
          }
          for (const name of Object.keys(live.context)) expect(given.has(name)).toBe(true);
        }),
      ),
      { numRuns: 40 },
    );
  });

  it("forgets originals that no longer exist", () =>
    onDisk(async (place) => {
      const { clock } = foreseeable();
      await using store = await place.open({ adapters: { clock } });
      const live = store.liveContext({ sessionId: "w", context: { notesA: findings("a") }, ...wide });
      const first = await live.condense();
      expect(live.enhanced.engine.condensed.map(({ checkpointId }) => checkpointId)).toEqual([first?.checkpointId]);
      clock.set(new Date("2026-01-09"));
      live.set("notesA", findings("other"));
      const second = await live.condense();
      expect(live.enhanced.engine.condensed.map(({ checkpointId }) => checkpointId)).toEqual([second?.checkpointId]);
      await live.close();
    }));

  it("changes nothing when the originals cannot be saved, and reports that", () =>
    onDisk(async (place) => {
      const store = await place.open();
      const live = store.liveContext({ sessionId: "w", context: { notesA: findings("a") }, ...wide });
      await live.close();
      await store.close();
      expect(await refusalOf(live.condense())).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
      expect(live.get("notesA")).toBe(findings("a"));
      const told = await new Promise((resolve) => {
        const other = store.liveContext({ sessionId: "w", ...wide, onCondenseFailed: resolve });
        other.set("notesA", findings("a").repeat(2));
      });
      expect(told).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    }));
});

describe("the listener of condensing", () => {
  it("may throw or reject: the error is logged, and a condensed context counts as condensed", () =>
    onDisk(async (place) => {
      const logged: unknown[] = [];
      const ignore = (): void => undefined;
      const log = { debug: ignore, info: ignore, warn: ignore, error: (_: string, fields?: object) => void logged.push(fields) };
      const store = await place.open({ adapters: { log } });
      const contextRules = { layers: { IMPORTANT: ["notes*"] } };
      const params = { sessionId: "w", context: { goal: GOAL, notesA: findings("a") }, maxTokens: 1_000, contextRules };
      const fault = new Error("a fault of the listener");
      const live = store.liveContext({
        ...params,
        onCondensed: () => {
          throw fault;
        },
      });
      expect(await live.condense()).toMatchObject({ entries: [{ key: "notesA" }] });
      await live.close();
      await store.close();
      const called = new Promise<void>((resolve) => {
        const onCondenseFailed = (): unknown => {
          resolve();
          return Promise.reject(fault);
        };
        const other = store.liveContext({ ...params, onCondenseFailed });
        other.set("notesB", findings("b").repeat(2));
      });
      await called;
      await vi.waitFor(() => expect(logged).toMatchObject([{ error: fault }, { error: fault }]), { timeout: 60_000 });
    }));
});

describe("the values of a live context", () => {
  it("cannot be changed from outside, and values that are not JSON are refused whole", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      const given = { deep: [{ a: 1 }] };
      const live = store.liveContext({ sessionId: "w", context: given });
      given.deep.push({ a: 2 });
      expect(live.get("deep")).toEqual([{ a: 1 }]);
      expect(() => (live.get("deep") as JsonValue[]).push(3)).toThrow(TypeError);
      expect(() => live.merge({ fine: 1, bad: () => 0 })).toThrow('context["bad"] is function');
      expect(() => live.set("workrailEngineState", 1)).toThrow("reserved for the engine's state");
      expect(live.context).toEqual({ deep: [{ a: 1 }] });
      expect(() => store.liveContext({ sessionId: "w", maxTokens: 10 })).toThrow("maxTokens must be a whole number from 500.");
      expect(() => store.liveContext({ sessionId: "no\u0007id" })).toThrow("sessionId");
      expect(await refusalOf(live.condense())).toMatchObject({ code: "INVALID_INPUT" });
    }));

  it("follows the setting and the project's file when the caller states nothing", () =>
    onDisk(async (place) => {
      await using store = await place.open({ env: { WORKRAIL_CHECKPOINT_AUTO_SAVE: "false" } });
      const live = store.liveContext({ sessionId: "w" });
      await live.enterPhase("one");
      expect(await live.endPhase("one")).toBeUndefined();
      const loud = store.liveContext({ sessionId: "w", autoSave: true });
      await loud.enterPhase("one");
      expect(await loud.endPhase("one")).toMatchObject({ status: "SAVED" });

      const project = path.dirname(place.dataDir);
      fs.mkdirSync(path.join(project, ".workrail"));
      fs.writeFileSync(path.join(project, ".workrail", "context-rules.yaml"), "phases: [plan, build]");
      await using inProject = await place.open({ project });
      const ruled = inProject.liveContext({ sessionId: "r" });
      expect(await ruled.endPhase("plan")).toMatchObject({ status: "SAVED" });
      expect(ruled.enhanced.engine.phase).toBe("build");
      expect(await refusalOf(ruled.endPhase("one"))).toMatchObject({ code: "INVALID_INPUT" });
    }));
});

describe("a save that marks the end of a phase", () => {
  it("is made once, even without changes", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      const context = { goal: GOAL };
      await store.saveCheckpoint({ sessionId: "s", context });
      expect(await store.saveCheckpoint({ sessionId: "s", context, phase: "plan", metadata: { attributes: { ticket: 7 } } })).toMatchObject(
        {
          status: "SAVED",
        },
      );
      expect(await store.saveCheckpoint({ sessionId: "s", context, phase: "plan" })).toMatchObject({ status: "SKIPPED_UNCHANGED" });
      const { metadata } = await store.loadCheckpoint({ sessionId: "s" });
      expect(metadata).toMatchObject({ phase: "plan", attributes: { ticket: 7 } });
      expect(await store.saveCheckpoint({ sessionId: "s", context: { goal: "other" }, metadata })).toMatchObject({
        ignoredMetadata: expect.arrayContaining(["phase"]) as string[],
      });
      expect((await store.loadCheckpoint({ sessionId: "s" })).metadata).not.toHaveProperty("phase");
      expect(await refusalOf(store.saveCheckpoint({ context, phase: "" }))).toMatchObject({ details: { field: "phase" } });
    }));
});
