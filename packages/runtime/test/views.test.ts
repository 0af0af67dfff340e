import { SteppingClock } from "@workrail/storage-conformance/builders";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { foreseeable, KINDS, refusalOf } from "./stores.ts";

const WORDS = "cache index router migration token queue schema handler timeout retry budget session cursor digest ledger".split(" ");

/** Returns prose of a number of words without repeated sentences. */
function longText(words: number): string {
  const word = (index: number): string => WORDS[(index * index + index * 7) % WORDS.length] ?? "";
  const sentences = Array.from({ length: Math.ceil(words / 8) }, (_, at) => {
    const [first, ...rest] = Array.from({ length: 6 }, (_, index) => word(at * 6 + index));
    return `Step ${at} of the ${first} is ${rest.join(" ")}.`;
  });
  return sentences.join(" ");
}

describe.each(KINDS)("a store in $kind", ({ at }) => {
  const withStore = (test: (workrail: Workrail) => Promise<void>): Promise<void> =>
    at(async (place) => {
      const workrail = await place.open({ project: "/project", adapters: foreseeable() });
      try {
        await test(workrail);
      } finally {
        await workrail.close();
      }
    });

  it("shortens entries that do not fit a view, and names the call that returns the original", () =>
    withStore(async (workrail) => {
      const context = { small: "kept", notes: longText(3_000) };
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context });
      const view = await workrail.viewCheckpoint({ checkpointId, budgetTokens: 2_000 });
      expect(Object.keys(view.context)).toEqual(["small", "notes"]);
      expect(view.context["small"]).toBe("kept");
      const { notes: shown } = view.context;
      const [characters, left] = [JSON.stringify(context.notes).length, JSON.stringify(shown).length];
      expect(view.shortened).toEqual({ count: 1, entries: [{ key: "notes", characters, shown: left }] });
      expect(view).not.toHaveProperty("omitted");
      expect(view.how).toContain("this checkpointId");
      expect(Date.parse(String(view.validUntil))).toBeGreaterThan(Date.parse("2026-01-02"));
      expect(JSON.stringify(view).length).toBeLessThan(10_000);
      const part = await workrail.viewCheckpoint({ checkpointId, keys: ["notes"], range: { offset: 10, limit: 5 } });
      const { notes } = context;
      expect(part.values).toEqual([
        { path: ["notes"], value: notes.slice(10, 15), offset: 10, length: notes.length, unit: "characters", nextOffset: 15 },
      ]);
      expect((await workrail.viewCheckpoint({ checkpointId, full: true })).context).toEqual(context);
    }));

  it("refuses contradictory options, which would exclude everything", () =>
    withStore(async (workrail) => {
      await workrail.saveCheckpoint({ sessionId: "session", context: { goal: "ship it" } });
      const budgets = [-1, 0, 0.5, Number.NaN, "500", null].map((budgetTokens) => ({ budgetTokens }));
      const calls: [keyof Workrail, readonly object[]][] = [
        ["viewCheckpoint", [...budgets, { keys: "goal" }, { keys: [] }, { keys: [5] }, { keys: ["goal"], range: 5 }]],
        ["compressContext", [...budgets, { layers: ["critical"] }, { layers: [] }, { layers: "CRITICAL" }, { strategy: "bogus" }]],
        ["prioritizeContext", [...budgets, { budgets: { useful: 5 } }, { budgets: { USEFUL: -1 } }, { budgets: [] }]],
      ];
      for (const [method, wishes] of calls) {
        for (const wish of wishes) {
          const call = workrail[method] as (params: object) => Promise<unknown>;
          const { code, details } = await refusalOf(call.call(workrail, { sessionId: "session", ...wish }));
          const field = Object.keys(wish).at(-1);
          expect([code, details["field"]]).toEqual(["INVALID_INPUT", expect.stringMatching(`^${field}`)]);
        }
      }
    }));

  it("returns more of the entries that match the focus", () =>
    withStore(async (workrail) => {
      const context = { notes: `${longText(800)} The password reset mails a token that expires after 17 minutes. ${longText(800)}` };
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context });
      const about = async (focus?: string): Promise<boolean> => {
        const view = await workrail.viewCheckpoint({ checkpointId, budgetTokens: 1_000, focus });
        return JSON.stringify(view.context).includes("17 minutes");
      };
      expect(await about("when does the token of a password reset expire?")).toBe(true);
    }));

  it("selects parts by the focus within a requested entry that does not fit", () =>
    withStore(async (workrail) => {
      const notes = `${longText(800)} The password reset mails a token that expires after 17 minutes. ${longText(800)}`;
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context: { goal: "ship it", notes } });
      const asked = { checkpointId, keys: ["notes"], budgetTokens: 700 };
      const view = await workrail.viewCheckpoint({ ...asked, focus: "when does the token of a password reset expire?" });
      expect(view.context["notes"]).toContain("17 minutes");
      expect(view.context).not.toHaveProperty("goal");
      expect(view.shortened?.entries).toMatchObject([{ key: "notes" }]);
      expect((await workrail.viewCheckpoint({ ...asked, focus: "x", range: { offset: 5, limit: 9 } })).values).toMatchObject([
        { value: notes.slice(5, 14) },
      ]);
    }));

  it("compresses a saved context like a given one, and keeps the given one as an aside", () =>
    withStore(async (workrail) => {
      const context = { goal: "ship it", notes: longText(3_000), debugLog: "2026-01-01T00:00:00Z DEBUG tick 1\n".repeat(40) };
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context });
      const saved = await workrail.compressContext({ sessionId: "session", budgetTokens: 900 });
      expect(saved).toMatchObject({ checkpointId, sessionId: "session", report: { kept: 1, condensed: 1, dropped: 1 } });
      const same = await workrail.compressContext({ context, sessionId: "session", budgetTokens: 900 });
      expect(same).toMatchObject({ checkpointId, context: saved.context, tokensAfter: saved.tokensAfter });
      const other = { ...context, step: 2 };
      const aside = await workrail.compressContext({ context: other, budgetTokens: 1_000 });
      expect(aside).toMatchObject({ sessionId: "session", context: { goal: "ship it", step: 2 } });
      expect(aside.checkpointId).not.toBe(checkpointId);
      expect((await workrail.loadCheckpoint({ checkpointId: aside.checkpointId })).context).toEqual(other);
      expect((await workrail.compressContext({ context: other, budgetTokens: 500 })).checkpointId).toBe(aside.checkpointId);
      // It is not the head and not listed, and an unchanged save is still recognised.
      expect((await workrail.listCheckpoints({ sessionId: "session" })).map(({ id }) => id)).toEqual([checkpointId]);
      expect(await workrail.saveCheckpoint({ sessionId: "session", context })).toMatchObject({ status: "SKIPPED_UNCHANGED" });
    }));

  it("protects originals from pruning for as long as it promises", () =>
    at(async (place) => {
      const adapters = { ...foreseeable(), clock: new SteppingClock(new Date("2026-01-01T00:00:00.000Z")) };
      await using workrail = await place.open({ limits: { maxCheckpoints: 1, maxAsides: 1 }, adapters });
      const context = { notes: longText(3_000) };
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context });
      const view = await workrail.viewCheckpoint({ checkpointId, budgetTokens: 1_000 });
      const aside = await workrail.compressContext({ context: { ...context, step: 1 }, sessionId: "session", budgetTokens: 500 });
      for (let step = 0; step < 3; step++) await workrail.saveCheckpoint({ sessionId: "session", context: { step } });
      expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual(context);
      const unkept = await workrail.compressContext({ context: { ...context, step: 2 }, sessionId: "session", budgetTokens: 500 });
      expect(unkept).toMatchObject({ report: expect.anything(), notKept: expect.stringContaining("raise the limit") });
      expect(unkept).not.toHaveProperty("checkpointId");
      expect(unkept).not.toHaveProperty("validUntil");
      adapters.clock.set(new Date(Date.parse(String(aside.validUntil)) + 1));
      await workrail.saveCheckpoint({ sessionId: "session", context: { step: 4 } });
      expect(Date.parse(String(view.validUntil))).toBeLessThanOrEqual(Date.parse(String(aside.validUntil)));
      await expect(workrail.loadCheckpoint({ checkpointId })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    }));

  it("keeps a context without a session too, and reports contradictory input", () =>
    withStore(async (workrail) => {
      const shaped = await workrail.compressContext({ context: { notes: longText(2_000) }, budgetTokens: 500 });
      expect((await workrail.loadCheckpoint({ checkpointId: shaped.checkpointId })).context).toEqual({ notes: longText(2_000) });
      for (const params of [{}, { context: {}, checkpointId: "a" }, { checkpointId: "a", sessionId: "b" }, { context: {}, cursor: "x" }]) {
        await expect(workrail.compressContext(params)).rejects.toMatchObject({ code: "INVALID_INPUT" });
      }
    }));

  it("prioritizes, and saves nothing in a dry run", () =>
    withStore(async (workrail) => {
      const context = { debugLog: "x", notes: "n", goal: "ship it" };
      const dry = await workrail.prioritizeContext({ context, dryRun: true });
      expect(dry).toMatchObject({ context: {}, report: { kept: 2, dropped: 1 } });
      expect(dry).not.toHaveProperty("checkpointId");
      expect(await workrail.findCheckpoints({ project: null, kind: "aside" })).toMatchObject({ total: 0 });
      const ordered = await workrail.prioritizeContext({ context });
      expect(JSON.stringify(ordered.context)).toBe(JSON.stringify({ goal: "ship it", notes: "n" }));
      expect(await workrail.findCheckpoints({ project: null, kind: "aside" })).toMatchObject({ total: 1 });
    }));

  it("classifies by the rules of the call, and divides the room by them", () =>
    withStore(async (workrail) => {
      const context = { debugLog: longText(1_500), notes: longText(1_500), spec: "short" };
      const contextRules = { layers: { CRITICAL: ["spec"], IMPORTANT: ["debug*"] }, budgets: { IMPORTANT: 0.8, USEFUL: 0.1 } };
      const shaped = await workrail.compressContext({ context, contextRules, budgetTokens: 1_000 });
      const after = Object.fromEntries(shaped.report.entries.map(({ key, tokensAfter }) => [key, tokensAfter]));
      expect(Number(after["debugLog"])).toBeGreaterThan(4 * Number(after["notes"]));
      const told = await workrail.prioritizeContext({ context, contextRules, dryRun: true });
      expect(told.report.entries[0]).toMatchObject({ key: "spec", layer: "CRITICAL", why: 'rule "spec"' });
      await expect(workrail.compressContext({ context, contextRules: { layers: { CRITICAL: ["/(/"] } } })).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }));
});

it("classifies by the project's file of rules, also in loads, and reports when the file is unusable", async () => {
  const project = fs.mkdtempSync(path.join(tmpdir(), "workrail-rules-"));
  const file = path.join(project, ".workrail", "context-rules.json");
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, JSON.stringify({ layers: { EPHEMERAL: ["notes"] } }));
  try {
    await using workrail = await openWorkrail({ project, env: {}, adapters: foreseeable(), dataDir: path.join(project, "data") });
    const context = { notes: longText(100), plan: longText(3_000) };
    await workrail.saveCheckpoint({ sessionId: "session", context });
    const view = await workrail.viewCheckpoint({ sessionId: "session", budgetTokens: 1_000 });
    expect(view.shortened?.entries).toMatchObject([{ key: "plan" }]);
    expect(view.omitted?.entries).toMatchObject([{ key: "notes" }]);
    fs.writeFileSync(file, "{ no rules");
    const without = await workrail.viewCheckpoint({ sessionId: "session", budgetTokens: 1_000 });
    expect(without.contextRulesWarning).toContain("context-rules.json is ignored");
    const shaped = await workrail.compressContext({ sessionId: "session", budgetTokens: 1_000 });
    expect(shaped.contextRulesWarning).toContain("context-rules.json is ignored");
  } finally {
    fs.rmSync(project, { recursive: true, force: true });
  }
});
