import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { HOSTILE_TEXTS, longLine } from "./testing/hostile-texts.ts";
import { startUi } from "./testing/ui-process.ts";
import { BROWSER, NO_BROWSER, useBrowser } from "./testing/use-browser.ts";
import { PATIENT } from "./testing/use-demo-page.ts";

const cli = useCli();
const browser = useBrowser();

const TABS = ["changes", "context", "resume", "handoff", "conversation", "raw"];
const SESSION = '<img src=x onerror=alert("session")>';

/** A session whose ids, names, tags, agents, keys and values are all hostile. */
async function fillHostileStore(): Promise<void> {
  await using store = await openWorkrail({ dataDir: cli.dataDir, cwd: cli.project, env: {} });
  const own = (texts: readonly string[]): object =>
    JSON.parse(`{${texts.map((text) => `${JSON.stringify(text)}:${JSON.stringify(text)}`).join(",")}}`) as object;
  const spoken = HOSTILE_TEXTS.map((text, index) => ({ role: index % 2 === 0 ? "user" : text, content: text }));
  const texts = own(HOSTILE_TEXTS);
  const clean = HOSTILE_TEXTS.filter((text) => text.length < 100 && !/\p{Cc}/u.test(text));
  const about = { sessionId: SESSION, agentId: "<svg onload=alert(1)>", workflowId: "</script><script>alert(1)</script>" };
  await store.saveCheckpoint({
    ...about,
    checkpointId: "first",
    context: { goal: "<b>bold</b>", list: HOSTILE_TEXTS.slice(0, 30) },
  });
  await store.saveCheckpoint({
    ...about,
    checkpointId: "second",
    context: {
      ...texts,
      goal: "<i>other</i>",
      list: HOSTILE_TEXTS,
      long: `${longLine()}<script>alert(1)</script>`,
      conversation: spoken,
      deep: { [clean[0] ?? ""]: texts },
    },
    metadata: {
      name: `<script>alert("name")</script>\u202e`,
      tags: clean.slice(0, 20),
      attributes: { note: "<img src=x onerror=alert(1)>" },
    },
  });
}

describe.skipIf(BROWSER === undefined)(`hostile texts on the timeline page (${NO_BROWSER})`, () => {
  it("run nothing, load nothing and do not break the layout", async () => {
    await fillHostileStore();
    const ui = await startUi(cli);
    const { page, faults } = await browser.open({ viewport: { width: 390, height: 844 } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(ui.link);
    const settled = async (): Promise<void> => {
      await page.waitForLoadState("networkidle");
      await expect.poll(() => page.locator(".loading").count(), PATIENT).toBe(0);
    };
    const session = encodeURIComponent(SESSION);
    const screens = [
      "#/",
      `#/s/${session}`,
      ...["first", "second"].flatMap((id) => TABS.map((tab) => `#/s/${session}/${id}/${tab}`)),
      "#/activity",
      `#/growth/${session}`,
    ];
    for (const screen of screens) {
      await page.evaluate(`location.hash = ${JSON.stringify(screen)}`);
      await settled();
      // Everything that can be opened is opened.
      await page.evaluate("for (const each of document.querySelectorAll('details:not(.menu)')) each.open = true");
      await settled();
      const seen = await page.evaluate<object>(`({
        scripts: document.scripts.length,
        foreign: document.querySelectorAll("iframe, object, embed, img, video, base, link[rel=stylesheet], form[action]").length,
        links: [...document.links].map(({ href }) => href).filter((href) => !href.startsWith(location.origin)),
        isWide: document.documentElement.scrollWidth > innerWidth,
        isPolluted: "polluted" in {} || Object.keys(Object.prototype).length > 0,
      })`);
      expect(seen, screen).toEqual({ scripts: 1, foreign: 0, links: [], isWide: false, isPolluted: false });
    }
    await page.evaluate(`location.hash = "#/s/${session}/second/context"`);
    await settled();
    expect(await page.getByText("RLO", { exact: true }).count()).toBeGreaterThan(0);
    expect(await page.getByText("ESC", { exact: true }).count()).toBeGreaterThan(0);
    expect(faults.all).toEqual([]);
    expect([...new Set(asked.map((url) => new URL(url).origin))]).toEqual([ui.origin]);
    await page.context().close();
    await ui.stop();
  });
});
