import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { BROWSER, NO_BROWSER } from "./testing/use-browser.ts";
import { FOURTH, LATEST, PATIENT, SHOP, useDemoPage } from "./testing/use-demo-page.ts";
import { IS_LONG } from "../../../../packages/storage-conformance/test/long-form.ts";

const bundled = useCli();

/** Colours and widths of the page. */
const FORMS = [
  ["light", 1280],
  ["dark", 390],
  ...(IS_LONG
    ? ([
        ["light", 390],
        ["dark", 1280],
      ] as const)
    : []),
] as const;

/** Names controls that a finger misses, and parts that scroll sideways. A radio button's label is pressed too. */
const NARROW_FAULTS = `[
  ...[...document.querySelectorAll("main a, main button, main summary, main select, main input:not([type=radio])")]
    .filter((each) => each.checkVisibility() && each.closest("p:not(.line), td") === null)
    .filter((each) => each.getBoundingClientRect().height < 44 || each.getBoundingClientRect().width < 44),
  ...[...document.querySelectorAll("main *")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && /auto|scroll/u.test(getComputedStyle(each).overflowX)),
].map((each) => each.outerHTML.slice(0, 200))`;

/** True when the focused element is within the window and within the panel that scrolls. */
const IS_FOCUS_IN_VIEW = `(() => {
  const own = document.activeElement.getBoundingClientRect();
  const panel = document.querySelector("#panel").getBoundingClientRect();
  return own.top >= Math.max(0, panel.top) && own.bottom <= Math.min(innerHeight, panel.bottom);
})()`;

/** Returns the faults that axe, which is loaded, finds on a page. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

describe.skipIf(BROWSER === undefined)(`the timeline page (${NO_BROWSER})`, () => {
  const demo = useDemoPage(bundled);

  afterEach(() => {
    // oxlint-disable-next-line vitest/no-standalone-expect -- Holds for every test.
    expect(demo.faults.all).toEqual([]);
  });

  /** The tree that a screen reader gets. Stored sizes depend on the length of paths. */
  async function treeOf(selector: string): Promise<string> {
    const tree = await demo.page.locator(selector).ariaSnapshot();
    return `${tree.replaceAll(/\b\d+(?:\.\d)? (?:Ki)?B\b/gu, "<size>")}\n`;
  }

  it("leads from the sessions over the timeline to what changed, by mouse", async () => {
    const { page } = demo;
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: "coupons work" }).click();
    const rows = page.getByRole("list", { name: /^Checkpoints of coupons/u });
    await expect.poll(() => rows.getByRole("link").count(), PATIENT).toBe(6);
    await rows.getByRole("link", { name: "where prices are added up" }).click();
    await page.getByRole("tabpanel").locator("summary", { hasText: "serverLog" }).waitFor();
    // The bars come after the rows.
    await expect.poll(() => rows.getByRole("img").count(), PATIENT).toBe(6);
    await expect(await treeOf("body")).toMatchFileSnapshot("expected/changes.txt");
    await page.getByLabel("Compare with").selectOption({ label: "#1 the plan, today 14:00" });
    await page.getByText("136 → 1,230 tokens").waitFor();
    await page.getByLabel("Compare with").selectOption({ label: "#6 coupons work, today 15:18" });
    // From the older one to the newer one, whichever is looked at.
    await page.getByText("1,230 → 266 tokens").waitFor();
    expect(await page.locator(".base").innerText()).toContain("From #3 to");
  });

  it("keeps the base of a comparison while the user views another checkpoint, until another base is chosen", async () => {
    const { page, show } = demo;
    const base = page.getByLabel("Compare with");
    const rows = page.getByRole("list", { name: /^Checkpoints of coupons/u });
    const seeAnother = async (): Promise<void> => {
      await rows.getByRole("link", { name: /^#2 / }).click();
      await page.getByText("to #2", { exact: true }).waitFor();
      await rows.getByRole("link", { name: /^#4 / }).click();
      await page.getByText("to #4", { exact: true }).waitFor();
    };
    await show(FOURTH);
    const parent = await base.inputValue();
    await base.selectOption({ label: "#1 the plan, today 14:00" });
    await page.getByText(/^From$/u).waitFor();
    await seeAnother();
    expect(await base.inputValue()).toBe("c0001a5e-6c1b-4a52-9b1f-000000000001");
    await base.selectOption(parent);
    await seeAnother();
    expect(await base.inputValue()).toBe(parent);
  });

  it("moves through checkpoints and tabs by keyboard", async () => {
    const { page, show } = demo;
    const focused = (): Promise<string> =>
      page.evaluate<string>(String.raw`document.activeElement.innerText.trim().replaceAll(/\s+/gu, " ")`);
    await show("#/");
    await page.getByRole("link", { name: "Skip to the content" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("checkpoint");
    await page.getByRole("link", { name: "coupons work" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /#6 coupons work/u }).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused, PATIENT).toContain("tried decimals");
    await page.keyboard.press("End");
    await expect.poll(focused, PATIENT).toContain("the plan");
    await page.getByText("The session begins here.").waitFor();
    await page.getByRole("tab", { name: "Changes" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused, PATIENT).toBe("Context");
    await page.getByRole("tabpanel", { name: "Context" }).getByText("openQuestions").waitFor();
  });

  it.each([
    ["renames", LATEST],
    ["context", `${FOURTH}/context`],
    ["conversation", `${LATEST}/conversation`],
    ["storage", "#/storage"],
    ["growth", "#/growth/coupons"],
  ])("shows %s", async (name, hash) => {
    await demo.show(hash);
    await expect(await treeOf("#checkpoint")).toMatchFileSnapshot(`expected/${name}.txt`);
  });

  it("shows the exact text of a resume, its omissions, and the reasons", async () => {
    const { page, show } = demo;
    await show(`${FOURTH}/resume`);
    await page.getByText("All 10 entries are whole").waitFor();
    await page.getByRole("spinbutton").fill("400");
    await page.getByRole("spinbutton").press("Enter");
    await page.getByRole("heading", { name: /left out$/u }).waitFor();
    const left = page.getByRole("listitem").filter({ has: page.locator("strong", { hasText: "serverLog" }) });
    expect(await left.innerText()).toContain("left out: all 1,021 tokens");
    expect(await left.innerText()).toMatch(
      /Alone it has more tokens than the budget of 400\. It is EPHEMERAL, because of the key word "log": CRITICAL, IMPORTANT, USEFUL came first and took \d+ tokens\./u,
    );
    await page.getByText(/^Tokens were used for CRITICAL \d+, IMPORTANT \d+, .*keys, ids and hints \d+\./u).waitFor();
    const plan = page.getByRole("listitem").filter({ has: page.locator("strong", { hasText: "plan" }) });
    await plan.getByText(/^\d of \d (?:rows|items) kept, in \d+ of \d+ tokens$/u).waitFor();
    await plan.getByText(/^What is missing: \d/u).click();
    await plan.locator("pre").getByText('"step"').waitFor();
    const shown = JSON.parse(await page.locator("pre.boxed").last().innerText()) as { readonly context: object };
    expect(Object.keys(shown.context)).toContain("goal");
    expect(Object.keys(shown.context)).not.toContain("serverLog");
    await page.getByRole("spinbutton").fill("1100");
    await page.getByRole("spinbutton").press("Enter");
    await left.getByText(/The budget of 1,100 is used up|\d of 1,100 tokens are free, too few for (?:it|more of it)\./u).waitFor();
    await left.getByRole("button", { name: "Raise the budget to 1,500" }).click();
    await page.getByText("All 10 entries are whole").waitFor();
    expect(await page.getByRole("spinbutton").inputValue()).toBe("1500");
    const note = page.getByText("The focus has no effect here");
    await page.getByRole("spinbutton").fill("400");
    await page.getByRole("spinbutton").press("Enter");
    expect(await left.getByRole("button", { name: "Focus on it" }).count()).toBe(0);
    await page.getByRole("button", { name: "Focus on it" }).first().click();
    expect(await page.getByLabel("Focus").inputValue()).toMatch(/^[a-zA-Z]+$/u);
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await page.getByText("All 10 entries are whole").waitFor();
    await note.waitFor();
    await page.getByLabel("Focus").fill("");
    await expect.poll(() => note.count(), PATIENT).toBe(0);
  });

  it("starts with an agent's default form and budget, names the call for others, and leads back", async () => {
    const { page, show } = demo;
    const tab = page.getByRole("tabpanel", { name: "What the agent gets" });
    await show(`${FOURTH}/resume`);
    const back = tab.getByRole("button", { name: "Show the default" });
    if ((await back.count()) > 0) await back.click();
    await tab.getByText("By default an agent gets this: workflow_resume answers with JSON of at most 4,000 tokens.").waitFor();
    expect(await tab.getByRole("radio", { name: "(default)" }).isChecked()).toBe(true);
    expect(await page.getByRole("spinbutton").inputValue()).toBe("4000");
    await tab.getByRole("radio", { name: "Summary" }).check();
    await tab.getByText('workflow_resume with depth: "summary", and a person by workrail resume').waitFor();
    expect(await page.getByRole("spinbutton").inputValue()).toBe("800");
    // Without Enter.
    await page.getByRole("spinbutton").fill("900");
    await tab.getByText('workflow_resume with depth: "summary", budgetTokens: 900.').waitFor();
    await back.click();
    await tab.getByText("By default an agent gets this").waitFor();
    expect(await page.getByRole("spinbutton").inputValue()).toBe("4000");
  });

  it("keeps the budget, the form and the focus for the next checkpoint, and the tab on a narrow screen", async () => {
    const { page, show } = demo;
    await page.setViewportSize({ width: 390, height: 844 });
    await show(`${FOURTH}/resume`);
    await page.getByRole("spinbutton").fill("1234");
    await page.getByRole("spinbutton").press("Enter");
    await page.getByLabel("Focus").fill("taxes");
    await page.getByRole("radio", { name: "Summary" }).check();
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("link", { name: /#6 coupons work/u }).click();
    await page.getByRole("tab", { name: "What the agent gets", selected: true }).waitFor();
    expect(await page.getByRole("spinbutton").inputValue()).toBe("1234");
    expect(await page.getByLabel("Focus").inputValue()).toBe("taxes");
    expect(await page.getByRole("radio", { name: "Summary" }).isChecked()).toBe(true);
    await page.getByRole("radio", { name: "JSON (default)" }).check();
    await page.getByLabel("Focus").fill("");
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("leads from the changed keys to each change, and shows the first lines of many", async () => {
    const { page, show } = demo;
    await show(`${SHOP}/c0001a5e-6c1b-4a52-9b1f-000000000003`);
    const log = page.locator("details.change").filter({ has: page.locator("strong", { hasText: "serverLog" }) });
    await expect.poll(() => page.locator("details.change").last().innerText(), PATIENT).toContain("serverLog");
    expect(await log.locator("ins").count()).toBeLessThan(10);
    await log.getByRole("button", { name: "Show 52 more added lines" }).click();
    expect(await log.locator("ins").count()).toBe(60);
    await log.locator("summary").click();
    await page.getByRole("list", { name: "Changed entries" }).getByRole("button", { name: "serverLog" }).click();
    await log.getByText("GET /cart/1000 200 3 ms").waitFor();
    expect(await page.evaluate("document.activeElement.innerText")).toContain("serverLog");
  });

  it("shows one menu at a time within the window, and closes it by Esc, a click outside and going back", async () => {
    const { page, show } = demo;
    const open = page.locator(".menu-body:popover-open");
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await show(FOURTH);
      const button = page.getByRole("button", { name: "Go back to this state…" });
      await button.click();
      await expect.poll(() => page.evaluate("document.activeElement.value"), PATIENT).toBe("back to #4");
      await page.keyboard.press("Escape");
      await expect.poll(() => open.count(), PATIENT).toBe(0);
      expect(await page.evaluate("document.activeElement.innerText")).toBe("Go back to this state…");
      await button.click();
      await page.getByRole("button", { name: "Continue in an agent…" }).click();
      await page.getByText("Copy the command for your agent:").waitFor();
      expect(await open.count()).toBe(1);
      const box = await open.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
      expect(await open.getByText("workrail resume --checkpoint").innerText()).toContain(`--data-dir ${demo.cli.dataDir}`);
      await page.mouse.click(width - 4, 840);
      await expect.poll(() => open.count(), PATIENT).toBe(0);
      await button.click();
      await page.goBack();
      await expect.poll(() => open.count(), PATIENT).toBe(0);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("finds checkpoints by the words in them, and marks the words", async () => {
    const { page } = demo;
    const box = page.getByRole("searchbox", { name: "Search everything" });
    const results = page.getByRole("region", { name: "Results" });
    await box.fill("ledger");
    const hit = results.getByRole("link").first();
    await hit.waitFor();
    expect(await hit.innerText()).toMatch(/^#\d+ /u);
    await page.getByText("Each text is listed at the checkpoint that added or changed it").waitFor();
    expect(await hit.locator("mark").first().innerText()).toMatch(/ledger/iu);
    expect(await hit.innerText()).toMatch(/in decisions\s+…counts once for an order, because the ledger has one line for it/u);
    await page.getByRole("link", { name: "Workrail" }).click();
    expect(await box.inputValue()).toBe("");
    await box.fill("qqqq");
    await page.getByText("No text has this word or a similar one.").waitFor();
    await box.fill("");
  });

  it("leads from a result to its words: on the tab, in the open entry, in view and with the focus", async () => {
    const { page } = demo;
    const box = page.getByRole("searchbox", { name: "Search everything" });
    const results = page.getByRole("region", { name: "Results" });
    const focused = (): Promise<unknown> => page.evaluate("[document.activeElement.tagName, document.activeElement.innerText]");
    const inView = (): Promise<unknown> => page.evaluate(IS_FOCUS_IN_VIEW);
    await box.fill("1413");
    await results.getByRole("link", { name: "in serverLog" }).click();
    await page.getByRole("tabpanel", { name: "Context" }).waitFor();
    await expect.poll(focused, PATIENT).toEqual(["MARK", "1413"]);
    expect(await page.locator("details.entry[open]").count()).toBe(1);
    await expect.poll(inView, PATIENT).toBe(true);
    // Once more, after scrolling away and looking elsewhere.
    await page.getByRole("tab", { name: "Context" }).focus();
    await page.evaluate("document.querySelector('#panel').scrollTop = 0");
    await results.getByRole("link", { name: "in serverLog" }).click();
    await expect.poll(focused, PATIENT).toEqual(["MARK", "1413"]);
    await expect.poll(inView, PATIENT).toBe(true);

    await box.fill("reduce");
    await results.getByRole("link", { name: "in the conversation" }).click();
    await page.getByRole("tabpanel", { name: "Conversation" }).waitFor();
    await expect.poll(focused, PATIENT).toEqual(["MARK", "reduce"]);
    await expect.poll(inView, PATIENT).toBe(true);

    await box.fill("decimals");
    await results.getByRole("link", { name: "in status" }).click();
    await expect.poll(focused, PATIENT).toEqual(["MARK", "decimals"]);
    await box.fill("dead-end");
    await results.getByRole("link", { name: "in the tags" }).click();
    await expect.poll(focused, PATIENT).toEqual(["H2", "tried decimals"]);
    await box.fill("");
  });

  it.each(FORMS)("has no fault that axe finds, %s at %i pixels", async (colorScheme, width) => {
    const { page, show } = demo;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(axe.source);
    const tabs = ["context", "resume", "handoff", "conversation", "raw"].map((tab) => `${LATEST}/${tab}`);
    const few = [SHOP, `${LATEST}/resume`, "#/storage"];
    const all = ["#/", SHOP, FOURTH, ...tabs, "#/storage", "#/activity", "#/growth/coupons"];
    const search = page.getByRole("searchbox", { name: "Search everything" });
    const results = page.getByRole("region", { name: "Results" });
    const steps = ["a resume with missing entries", "results of a search", "the place of a result"];
    // The dark page differs in colours only, and most rules of axe see no width.
    const judged = new Set([...(colorScheme === "light" ? all : few), ...steps]);
    for (const screen of [...(colorScheme === "light" || width < 720 ? all : few), ...steps]) {
      if (screen === "a resume with missing entries") {
        await show(`${FOURTH}/resume`);
        await page.getByRole("spinbutton").fill("400");
        await page
          .getByRole("button", { name: /^Raise the budget/u })
          .first()
          .waitFor();
      } else if (screen === "results of a search") {
        await show("#/");
        await search.fill("coupon ledger");
        await results.getByRole("link").first().waitFor();
      } else if (screen === "the place of a result") {
        await results.getByRole("link", { name: "in decisions" }).first().click();
        await page.locator("mark.hit:focus").waitFor();
      } else await show(screen);
      expect(judged.has(screen) ? await violationsOn(page) : [], screen).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth"), `${screen} fits the window`).toBeLessThanOrEqual(width);
      expect(width < 720 ? await page.evaluate<string[]>(NARROW_FAULTS) : [], screen).toEqual([]);
    }
    await show("#/");
    await search.fill("");
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
