// Writes the pictures of the page in docs/images, from the demonstration. Needs Chromium and the fonts DejaVu. Run it with the workspace's Node
// and --conditions=@workrail/source after the page changes.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkrail } from "@workrail/runtime";
import { chromium, type Page } from "playwright-core";
import { serveUi } from "../serve-ui.ts";
import { DEMO_NOW, fillDemoStore } from "./demo-store.ts";

const IMAGES = fileURLToPath(new URL("../../../../../docs/images", import.meta.url));
const FOURTH = "#/s/coupons/c0001a5e-6c1b-4a52-9b1f-000000000004";
const LATEST = "#/s/coupons/c0001a5e-6c1b-4a52-9b1f-000000000006";

interface Picture {
  readonly file: string;
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
  readonly prepare?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { file: "timeline-changes.png", hash: LATEST, width: 1280, height: 800, colorScheme: "light" },
  {
    file: "timeline-resume.png",
    hash: `${FOURTH}/resume`,
    width: 1280,
    height: 800,
    colorScheme: "dark",
    async prepare(page) {
      await page.getByRole("spinbutton").fill("400");
      await page.getByRole("spinbutton").press("Enter");
      await page
        .getByRole("button", { name: /^Raise the budget/u })
        .first()
        .waitFor();
    },
  },
  { file: "timeline-narrow.png", hash: "#/s/coupons", width: 390, height: 620, colorScheme: "light" },
];

const folder = mkdtempSync(join(tmpdir(), "workrail-images-"));
const project = join(folder, "shop");
mkdirSync(project);
mkdirSync(IMAGES, { recursive: true });
process.chdir(project);
await fillDemoStore(join(folder, "data"), project);
const store = await openWorkrail({ dataDir: join(folder, "data"), project, env: {}, upkeep: false });
const ui = await serveUi({ store, mayWrite: true, port: 0, json: false });
const browser = await chromium.launch({
  executablePath: process.env["WORKRAIL_TEST_BROWSER"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ locale: "en-US", timezoneId: "UTC" });
await page.clock.setFixedTime(DEMO_NOW);
await page.goto(ui.link);
for (const { file, hash, width, height, colorScheme, prepare } of PICTURES) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.waitForLoadState("networkidle");
  await page.getByText("1.3k tok").first().waitFor();
  await prepare?.(page);
  await page.screenshot({ path: join(IMAGES, file) });
}
await browser.close();
await ui.close();
await store.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
