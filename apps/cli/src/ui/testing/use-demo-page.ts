import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { CliUnderTest } from "../../testing/use-cli.ts";
import { DEMO_NOW, fillDemoStore } from "./demo-store.ts";
import { startUi, type UiProcess } from "./ui-process.ts";
import { BROWSER, PageFaults, useBrowser } from "./use-browser.ts";

/** Settings that disable automatic removal: the data of the demonstration is older than the retention. */
const FOREVER = { WORKRAIL_RETENTION_DAYS: "0", WORKRAIL_TRASH_DAYS: "36500" };

/** Time limit for a busy machine. */
export const PATIENT = { timeout: 60_000 };

export const SHOP = "#/s/coupons";
export const FOURTH = `${SHOP}/c0001a5e-6c1b-4a52-9b1f-000000000004`;
export const LATEST = `${SHOP}/c0001a5e-6c1b-4a52-9b1f-000000000006`;

/** The page over the demonstration, opened once for the tests of a file. */
export interface DemoPage {
  /** The command line on the same store. */
  readonly cli: CliUnderTest;
  readonly page: Page;
  readonly faults: PageFaults;
  /** Shows a screen, and waits until it is there. */
  readonly show: (hash: string) => Promise<void>;
  readonly settled: () => Promise<void>;
}

/** @param bundled the bundled command line. */
export function useDemoPage(bundled: CliUnderTest): DemoPage {
  const browser = useBrowser();
  const cli = new CliUnderTest();
  let ui: UiProcess | undefined;
  let opened: { readonly page: Page; readonly faults: PageFaults } | undefined;
  beforeAll(async () => {
    if (BROWSER === undefined) return;
    cli.dist = bundled.dist;
    cli.folder = realpathSync(mkdtempSync(join(tmpdir(), "workrail-ui-")));
    mkdirSync(cli.project);
    await fillDemoStore(cli.dataDir, cli.project);
    ui = await startUi(cli, { args: ["--write"], env: FOREVER });
    opened = await browser.open();
    await opened.page.clock.setFixedTime(DEMO_NOW);
    await opened.page.goto(ui.link);
    await opened.page.getByRole("link", { name: "coupons work" }).waitFor();
  });
  afterAll(async () => {
    await opened?.page.context().close();
    await ui?.stop();
    if (cli.folder !== "") rmSync(cli.folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const page = (): Page => {
    if (opened === undefined) throw new Error("The page is not open.");
    return opened.page;
  };
  const settled = async (): Promise<void> => {
    await page().waitForLoadState("networkidle");
    await expect.poll(() => page().locator(".loading").count(), PATIENT).toBe(0);
  };
  return {
    cli,
    get page() {
      return page();
    },
    get faults() {
      return opened?.faults ?? new PageFaults();
    },
    settled,
    async show(hash) {
      await page().evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await settled();
    },
  };
}
