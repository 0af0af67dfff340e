import type { CDPSession, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { BROWSER, NO_BROWSER } from "./testing/use-browser.ts";
import { PATIENT, SHOP, useDemoPage } from "./testing/use-demo-page.ts";

const bundled = useCli();

const MANY = 10_000;
/** Live updates after which memory is compared: 1,000 in `npm run test:faults`, which takes a minute on a busy machine. */
const UPDATES = Number(process.env["WORKRAIL_TEST_UPDATES"] ?? 100);

/** A timeline as the server sends it, of one session that forks now and then. */
function manyRows(limit: number): object {
  const rows = Array.from({ length: Math.min(limit, MANY) }, (_, index) => {
    const sequence = MANY - index;
    const isFork = sequence % 50 === 0;
    const parent = isFork ? sequence - 7 : sequence - 1;
    return {
      id: `c${sequence}`,
      parentId: parent < 1 ? null : `c${parent}`,
      sequence,
      at: "2026-03-12T15:18:00.000Z",
      agent: "claude-code",
      kind: "workflow",
      bytes: 1_000,
      tags: isFork ? ["fork"] : undefined,
    };
  });
  const session = {
    id: "coupons",
    lastUsedAt: "2026-03-12T15:18:00.000Z",
    checkpoints: MANY,
    bytes: 1_000 * MANY,
    tags: [],
    pins: [],
    isKept: false,
  };
  return { session, headId: `c${MANY}`, rows, total: MANY };
}

/** Returns the numbers of rows that the page asks for. */
async function answerWithMany(page: Page): Promise<readonly number[]> {
  const asked: number[] = [];
  await page.route("**/api/timeline", (route) => {
    const { limit = MANY } = route.request().postDataJSON() as { readonly limit?: number };
    asked.push(limit);
    return route.fulfill({ json: manyRows(limit) });
  });
  await page.route("**/api/sizes", (route) => {
    const { ids } = route.request().postDataJSON() as { readonly ids: readonly string[] };
    return route.fulfill({
      json: ids.map((id) => ({ id, tokens: 900, layers: { CRITICAL: { entries: 1, tokens: 300 }, USEFUL: { entries: 2, tokens: 600 } } })),
    });
  });
  return asked;
}

const STREAM = { "content-type": "text/event-stream" };

interface Memory {
  readonly bytes: number;
  readonly nodes: number;
}

/** Bytes of the page's heap, and its nodes, after collecting garbage. */
async function memoryOf(session: CDPSession): Promise<Memory> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return { bytes: of("JSHeapUsedSize"), nodes: of("Nodes") };
}

describe.skipIf(BROWSER === undefined)(`the timeline page at scale (${NO_BROWSER})`, () => {
  const demo = useDemoPage(bundled);

  it("holds only the rows in view of 10,000 checkpoints, and reaches the last one", async () => {
    const { page, show } = demo;
    const asked = await answerWithMany(page);
    await show("#/s/many");
    const rows = page.locator(".window-list li");
    await page.getByRole("link", { name: /^#10000/u }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.window-list ol').scrollHeight"), PATIENT).toBe(64 * MANY);
    expect(await rows.count()).toBeLessThan(60);
    // Older rows are read when the user scrolls there.
    expect(new Set(asked)).toEqual(new Set([200]));
    await page.getByRole("link", { name: /^#10000/u }).focus();
    await page.keyboard.press("End");
    await page.getByRole("link", { name: /^#1 /u }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    expect(await rows.last().getAttribute("aria-posinset")).toBe(String(MANY));
    await page.unrouteAll();
  });

  it("reads the rows around a checkpoint that the address names, and those that are scrolled to", async () => {
    const { page, show } = demo;
    await answerWithMany(page);
    await show("#/s/many/c5000");
    const row = page.getByRole("link", { name: /^#5000/u });
    await row.waitFor();
    expect(await row.getAttribute("aria-current")).toBe("true");
    expect(await page.getByLabel("Compare with").locator("option").count()).toBe(200);
    await show("#/s/others");
    await page.getByRole("link", { name: /^#10000/u }).waitFor();
    await page.evaluate("document.querySelector('.window-list').scrollTop = 64 * 4000");
    await page.getByRole("link", { name: /^#6000/u }).waitFor();
    await page.unrouteAll();
  });

  it("keeps its memory over live updates", async () => {
    const { page, show } = demo;
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    let [told, goal] = [0, 0];
    // Each connection brings one change, and the browser connects again at once.
    await page.route("**/events", (route) => {
      if (told >= goal) return route.fulfill({ headers: STREAM, body: "retry: 100\n: nothing\n\n" });
      told += 1;
      const change = { sessions: [{ sessionId: "coupons", change: told % 10 === 0 ? "changed" : "extended" }] };
      return route.fulfill({ headers: STREAM, body: `retry: 1\nevent: change\ndata: ${JSON.stringify(change)}\n\n` });
    });
    const update = async (count: number): Promise<Memory> => {
      goal += count;
      await expect.poll(() => told, { timeout: 240_000, interval: 50 }).toBe(goal);
      await expect.poll(() => page.locator(".loading").count(), PATIENT).toBe(0);
      return memoryOf(session);
    };
    await show(SHOP);
    await page.reload();
    const before = await update(UPDATES / 4);
    await update(UPDATES);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    // The browser may still hold the nodes of the last update for a moment. A leak does not go away.
    const growth = async (of: keyof Memory): Promise<number> => (await memoryOf(session))[of] - before[of];
    await expect.poll(() => growth("bytes"), PATIENT).toBeLessThan(512 * 1024);
    await expect.poll(() => growth("nodes"), PATIENT).toBeLessThan(200);
  });
});
