import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerCall } from "./calls.ts";
import { DEFAULT_DEPTH, DEFAULT_TOKENS } from "./resume-defaults.ts";
import type { EnoughTokens, Resumed } from "./resume.ts";

let folder: string;
let store: Workrail;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "workrail-page-resume-"));
  store = await openWorkrail({ dataDir: join(folder, "data"), cwd: folder, env: {} });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(call: "resume" | "enough", params: object): Promise<T> {
  return (await answerCall({ store, project: undefined, mayWrite: false, now: () => new Date() }, call, {
    checkpointId: "c",
    ...params,
  })) as T;
}

const items = (what: string): string[] => Array.from({ length: 40 }, (_, at) => `${what} ${at} of the harbour office is written down here`);
const ROWS = Array.from({ length: 40 }, (_, at) => ({
  number: `step-${at}`,
  description: `write part ${at} of the manual`,
  isFinished: at < 3,
}));

describe("a resume on the page", () => {
  it("knows the depth and the budgets that an agent gets when it asks for none", async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`notes ${at}`, items(`note ${at}`)]));
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "many", context: { goal: "Write it", ...many } });
    const wish = { checkpointId: "many", isPeek: true };
    const byDefault = await store.resumeWork(wish);
    expect(byDefault).toMatchObject({ depth: DEFAULT_DEPTH, shortened: { count: 20 } });
    expect(await store.resumeWork({ ...wish, budgetTokens: DEFAULT_TOKENS.view })).toEqual(byDefault);
    const summary = await store.resumeWork({ ...wish, depth: "summary" });
    expect(await store.resumeWork({ ...wish, depth: "summary", budgetTokens: DEFAULT_TOKENS.summary })).toEqual(summary);
    expect(await store.resumeWork({ ...wish, depth: "summary", budgetTokens: 2 * DEFAULT_TOKENS.summary })).not.toEqual(summary);
  });

  it("distinguishes shortened entries from whole ones, also when the answer has no room for their names", async () => {
    const context = {
      goal: "Move the ferry timetable",
      decisions: items("decision"),
      constraints: items("constraint"),
      log: items("line"),
    };
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "c", context });
    const resumed = await ask<Resumed>("resume", { depth: "view", budgetTokens: 260 });
    const { shortened } = JSON.parse(resumed.text) as { shortened: { count: number; entries: readonly unknown[] } };
    expect(shortened.entries.length).toBeLessThan(shortened.count);
    expect(resumed).toMatchObject({ whole: ["goal"] });
    expect(resumed.shortened?.map(({ key }) => key).sort()).toEqual(["constraints", "decisions"]);
  });

  it("distinguishes rewritten entries from shortened ones, also when the answer has no room for their names", async () => {
    const others = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`notes about the harbour office, part ${at}`, items("note")]));
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { goal: "Write it", plan: ROWS, ...others } });
    const { text, shortened = [] } = await ask<Resumed>("resume", { depth: "view", budgetTokens: 3_000 });
    const named = (JSON.parse(text) as { shortened: { entries: readonly { key: string }[] } }).shortened.entries;
    expect(named.map(({ key }) => key)).not.toContain("plan");
    expect(shortened.filter(({ completeAs }) => completeAs !== undefined)).toEqual([
      { key: "plan", tokens: expect.any(Number), completeAs: "table" },
    ]);
    expect(shortened.length).toBeGreaterThan(1);
  });

  it("finds the least of some budgets that completes an entry", async () => {
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { goal: "Write it", plan: ROWS, log: items("line") } });
    const found = await ask<readonly EnoughTokens[]>("enough", { budgetTokens: 300 });
    expect(found.map(({ key }) => key).sort()).toEqual(["log", "plan"]);
    for (const { key, budgetTokens } of found) {
      const isComplete = async (tokens: number): Promise<boolean> => {
        const { whole = [], shortened = [] } = await ask<Resumed>("resume", { depth: "view", budgetTokens: tokens });
        return whole.includes(key) || shortened.some((each) => each.key === key && each.completeAs !== undefined);
      };
      expect(await isComplete(budgetTokens)).toBe(true);
      expect(await isComplete(300)).toBe(false);
    }
    expect(await ask("enough", { budgetTokens: 4_000 })).toEqual([]);
  });
});
