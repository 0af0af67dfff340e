import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser of this machine. `undefined`: there is none, and tests that need one are skipped. */
export const BROWSER: string | undefined = process.env["WORKRAIL_TEST_BROWSER"] ?? PLACES.find((place) => existsSync(place));

/** Tests run as root in containers, where Chromium has no sandbox of its own. Emulating a graphics card takes time. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"];

/** The reason for skipped tests, for their titles. */
export const NO_BROWSER = "needs Chromium: apt-get install chromium fonts-dejavu-core";

/** Faults that a page reported: messages of its console, exceptions, dialogs, and what its content security policy stopped. */
export class PageFaults {
  readonly all: string[] = [];

  watch(page: Page): void {
    page.on("pageerror", (error) => this.all.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.all.push(`console: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      this.all.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}

export interface BrowserUnderTest {
  /** Opens a page in a fresh profile. */
  open(options?: BrowserContextOptions): Promise<{ readonly page: Page; readonly faults: PageFaults }>;
}

/** Starts the browser once for the tests of a file. */
export function useBrowser(): BrowserUnderTest {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = BROWSER === undefined ? undefined : await chromium.launch({ executablePath: BROWSER, args: ARGUMENTS });
  });
  afterAll(() => browser?.close());
  return {
    async open(options = {}) {
      if (browser === undefined) throw new Error(NO_BROWSER);
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", timezoneId: "UTC", ...options });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const faults = new PageFaults();
      faults.watch(page);
      return { page, faults };
    },
  };
}
