import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { BROWSER, NO_BROWSER } from "./testing/use-browser.ts";
import { FOURTH, PATIENT, SHOP, useDemoPage } from "./testing/use-demo-page.ts";

const bundled = useCli();

interface Log {
  readonly headId: string;
  readonly session: object;
  readonly checkpoints: readonly { readonly name?: string; readonly parentId: string }[];
}

describe.skipIf(BROWSER === undefined)(`changes on the timeline page (${NO_BROWSER})`, () => {
  const demo = useDemoPage(bundled);
  const log = (): Promise<Log> => demo.cli.json<Log>(["log", "coupons"]);

  it("shows a save of another process without reloading", async () => {
    const { page, cli, show } = demo;
    await show(SHOP);
    await cli.save({ goal: "ship" }, "--session", "coupons", "--name", "saved elsewhere");
    const row = page.getByRole("list", { name: /^Checkpoints of coupons/u }).getByRole("link", { name: "saved elsewhere" });
    await row.waitFor();
    expect(await row.innerText()).toContain("latest");
  });

  it("shows a save from before it hears of changes, after its first answers", async () => {
    const { page, cli, settled } = demo;
    const save = Promise.withResolvers<void>();
    await page.route("**/events", async (route) => {
      await save.promise;
      await route.continue();
    });
    await page.reload();
    await settled();
    const rows = page.getByRole("list", { name: /^Checkpoints of coupons/u });
    await rows.getByRole("link", { name: "saved elsewhere" }).waitFor();
    await cli.save({ goal: "ship it" }, "--session", "coupons", "--name", "saved too early");
    save.resolve();
    const row = rows.getByRole("link", { name: "saved too early" });
    await row.waitFor();
    expect(await row.innerText()).toContain("latest");
    await page.unrouteAll();
  });

  it("goes back to an earlier state, from which work continues, and undoes that", async () => {
    const { page, show } = demo;
    const { headId } = await log();
    await show(FOURTH);
    await page.getByRole("button", { name: "Go back to this state…" }).click();
    expect(await page.getByLabel("Name of the new checkpoint").inputValue()).toBe("back to #4");
    await page.getByLabel("Name of the new checkpoint").fill("once more");
    await page.getByRole("button", { name: "Make it the latest" }).click();
    await page.getByRole("heading", { name: "once more" }).waitFor();
    // The new state is compared with the former latest one.
    await page.getByText("to #9", { exact: true }).waitFor();
    expect(await page.getByLabel("Compare with").inputValue()).toBe(headId);
    expect(await page.evaluate("document.activeElement.innerText")).toBe("once more");
    expect((await log()).checkpoints[0]).toMatchObject({ name: "once more", parentId: "c0001a5e-6c1b-4a52-9b1f-000000000004" });
    await page.getByRole("tab", { name: "Context" }).click();
    await page.getByRole("tab", { name: "Changes" }).click();
    expect(await page.getByLabel("Compare with").inputValue()).toBe(headId);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The previous latest state is the latest again.").waitFor();
    expect((await log()).headId).toBe(headId);
  });

  it("gives the latest state a name", async () => {
    const { page, show } = demo;
    const { headId } = await log();
    await show(`${SHOP}/${headId}`);
    await page.getByRole("button", { name: "Name…" }).click();
    await page.getByLabel("Name of the new checkpoint").fill("before the release");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "before the release" }).waitFor();
    await page.getByText(/^Saved again as #\d+ “before the release” with the same content\.$/u).waitFor();
    expect((await log()).checkpoints[0]).toMatchObject({ name: "before the release", parentId: headId });
  });

  it("has the buttons of an earlier state in one line, and says which files going back leaves alone", async () => {
    const { page, show } = demo;
    await show(FOURTH);
    const actions = page.locator(".checkpoint-pane .actions");
    const ys = await actions.locator("> button").evaluateAll((buttons) => buttons.map((each) => each.getBoundingClientRect().y));
    expect(ys).toHaveLength(5);
    expect(new Set(ys).size).toBe(1);
    await page.getByRole("button", { name: "Go back to this state…" }).click();
    await page.getByText("The files of your project stay as they are").waitFor();
    await page.keyboard.press("Escape");
  });

  it("says why an earlier state gets no name", async () => {
    const { page, show } = demo;
    await show(FOURTH);
    await page.getByRole("button", { name: "Name…" }).click();
    const menu = page.locator(".menu-body:popover-open");
    await menu.waitFor();
    expect(await menu.innerText()).toContain("Only the latest state can be named");
    await page.keyboard.press("Escape");
  });

  it("opens the lines between two changes", async () => {
    const { page, cli, show } = demo;
    const lines = Array.from({ length: 60 }, (_, line) => `line ${line}`);
    await cli.save({ notes: lines.join("\n") }, "--session", "lines");
    await cli.save({ notes: lines.with(0, "first").with(59, "last").join("\n") }, "--session", "lines");
    await show("#/s/lines");
    expect(await page.getByText("line 30", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Show 54 lines that are the same" }).click();
    await page.getByText("line 30", { exact: true }).waitFor();
  });

  it("keeps and tags a session, and pins an entry", async () => {
    const { page, show } = demo;
    await show(SHOP);
    const panes = await page.locator("main.panes").boundingBox();
    await page.getByRole("button", { name: "Protect from clean-up" }).click();
    const message = page.getByText("Nothing of this session is removed automatically.");
    await message.waitFor();
    // It covers and moves nothing.
    expect(await page.locator("main.panes").boundingBox()).toEqual(panes);
    const box = await page.locator(".told p").boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(panes?.y ?? 0);
    await page.getByRole("button", { name: "Protected" }).waitFor();
    await page.getByRole("button", { name: "Tags of the session…" }).click();
    expect(await page.getByRole("button", { name: /^Remove the tag/u }).count()).toBe(1);
    await page.getByLabel("New tag").fill("urgent");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("The tag was added.").waitFor();
    await page.keyboard.press("Escape");
    await show(`${SHOP}/${(await log()).headId}/context`);
    const entry = page.locator("summary").filter({ hasText: "goal" });
    await entry.click();
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await entry.getByText("pinned").waitFor();
    const unpin = page.getByRole("button", { name: "Unpin", exact: true });
    await unpin.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.innerText"), PATIENT).toBe("Unpin");
    await expect.poll(async () => (await unpin.boundingBox())?.y, PATIENT).toBeLessThan(900);
    expect((await log()).session).toMatchObject({ tags: ["shop", "keep", "urgent"], criticalKeys: ["decisions", "goal"] });
  });

  it("offers no pin of an entry that the latest state lacks, and reports a refusal as an error", async () => {
    const { page, show } = demo;
    await show(`${FOURTH}/context`);
    await page.locator("summary").filter({ hasText: "serverLog" }).click();
    await page.getByText("The latest state has no such entry").waitFor();
    expect(await page.getByRole("button", { name: "Pin", exact: true }).isDisabled()).toBe(true);
    await page.evaluate("document.querySelector('button[disabled]').disabled = false");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByText("Not done:").waitFor();
    await page.getByText('The latest checkpoint has no key "serverLog".').waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(demo.faults.all.splice(0)).toEqual([expect.stringContaining("422")]);
  });

  it("deletes a checkpoint to the trash, and takes it back", async () => {
    const { page, show } = demo;
    const { headId } = await log();
    await show(`${SHOP}/${headId}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^#\d+ is in the trash\. Agents now get #\d+ \S/u).waitFor();
    expect((await log()).headId).not.toBe(headId);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^#\d+ is back in its session\.$/u).waitFor();
    expect((await log()).headId).toBe(headId);
    await show(`${SHOP}/c0001a5e-6c1b-4a52-9b1f-000000000003`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("#3 deleted").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByText("#3 deleted").count(), PATIENT).toBe(0);
    expect(demo.faults.all).toEqual([]);
  });
});
