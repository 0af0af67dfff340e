import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { BROWSER, NO_BROWSER } from "./testing/use-browser.ts";
import { FOURTH, SHOP, useDemoPage } from "./testing/use-demo-page.ts";

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

  it("forks from an earlier checkpoint, so that work continues from there", async () => {
    const { page, show } = demo;
    await show(FOURTH);
    await page.getByText("Fork from here…").click();
    await page.getByLabel("Name of the new checkpoint").fill("once more");
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.getByRole("heading", { name: "once more" }).waitFor();
    expect((await log()).checkpoints[0]).toMatchObject({ name: "once more", parentId: "c0001a5e-6c1b-4a52-9b1f-000000000004" });
  });

  it("gives the latest state a name", async () => {
    const { page, show } = demo;
    const { headId } = await log();
    await show(`${SHOP}/${headId}`);
    await page.getByText("Name…").click();
    await page.getByLabel("Name of the new checkpoint").fill("before the release");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "before the release" }).waitFor();
    expect((await log()).checkpoints[0]).toMatchObject({ name: "before the release", parentId: headId });
  });

  it("keeps and tags a session, and pins an entry", async () => {
    const { page, show } = demo;
    await show(SHOP);
    await page.getByRole("button", { name: "Keep" }).click();
    await page.getByText("Nothing of this session is removed automatically.").waitFor();
    await page.getByText("Tags…").click();
    await page.getByLabel("New tag").fill("urgent");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("The session has the tag.").waitFor();
    await show(`${SHOP}/${(await log()).headId}/context`);
    const entry = page.locator("summary").filter({ hasText: "findings" });
    await entry.click();
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await entry.getByText("pinned").waitFor();
    expect((await log()).session).toMatchObject({ tags: ["shop", "keep", "urgent"], criticalKeys: ["decisions", "findings"] });
  });

  it("deletes a checkpoint to the trash, and takes it back", async () => {
    const { page, show } = demo;
    const { headId } = await log();
    await show(`${SHOP}/${headId}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("is in the trash.").waitFor();
    expect((await log()).headId).not.toBe(headId);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("It is back in its place.").waitFor();
    expect((await log()).headId).toBe(headId);
    expect(demo.faults.all).toEqual([]);
  });
});
