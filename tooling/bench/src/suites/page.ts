import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { type BrowserContext, chromium } from "playwright-core";
import { type Bench, LARGE_SESSION } from "../bench.ts";
import { type Summary, summarize } from "../statistics.ts";
import { CLI } from "./programs.ts";

const BROWSER: string = process.env["WORKRAIL_TEST_BROWSER"] ?? "/usr/bin/chromium";

const ONE_WORD = "data:text/html,<p>word";

/** Milliseconds from the start of the navigation, in a browser that has opened the page before. */
export interface PageResult {
  /** The first paint of anything. */
  readonly first: Summary;
  /** The paint of the first checkpoints of a session of 10,000. */
  readonly rows: Summary;
  /** The first paint of a page of one word. */
  readonly floor: Summary;
}

/** Returns why the page cannot be measured. `undefined` when it can. */
export function whyNoBrowser(): string | undefined {
  return fs.existsSync(BROWSER) ? undefined : "the page needs Chromium: apt-get install chromium, or WORKRAIL_TEST_BROWSER";
}

/** Opens the timeline of 10,000 checkpoints with `workrail ui` in a real browser, alternating with a page of one word. */
export async function measurePage(bench: Bench): Promise<PageResult> {
  const { dataDir } = await bench.largeStore();
  bench.say("page: the timeline of 10,000 checkpoints");
  const child = spawn(process.execPath, [CLI, "ui", "--no-open", "--json", "--data-dir", dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  try {
    const link = await linkOf(child);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    // The tab stays, and later pages are tabs beside it: in each new window, Chromium first loads its own page for the address bar.
    await signIn(context, link);
    const { origin } = new URL(link);
    const times = { first: [] as number[], rows: [] as number[], floor: [] as number[] };
    for (let round = -2; round < (bench.quick ? 8 : 30); round++) {
      const floor = await paintsOf(context, ONE_WORD, undefined);
      const own = await paintsOf(context, `${origin}/#/s/${LARGE_SESSION}`, ".window-list li");
      if (round < 0) continue;
      times.floor.push(floor.first);
      times.first.push(own.first);
      times.rows.push(own.wanted);
    }
    return { first: summarize(times.first), rows: summarize(times.rows), floor: summarize(times.floor) };
  } finally {
    await browser.close();
    child.kill("SIGINT");
    await once(child, "exit");
  }
}

async function linkOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("workrail ui has no output.");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return (JSON.parse(line) as { readonly url: string }).url;
}

/** Opens the link once: later pages of this profile have its cookie. */
async function signIn(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  await page.goto("about:blank");
}

interface Paints {
  readonly first: number;
  /** When the wanted element was painted; the first paint when none is wanted. */
  readonly wanted: number;
}

async function paintsOf(context: BrowserContext, url: string, wanted: string | undefined): Promise<Paints> {
  const page = await context.newPage();
  await page.addInitScript(watchFor, wanted);
  await page.goto(url);
  const handle = await page.waitForFunction(() => (globalThis as { paints?: Paints }).paints);
  const paints = (await handle.jsonValue()) as Paints;
  await page.close();
  return paints;
}

/** The part of the browser that the script of the page uses. */
interface BrowserScope {
  readonly document: { querySelector(selector: string): unknown };
  requestAnimationFrame(call: () => void): void;
  paints?: Paints;
}

/** Runs in the page: notes when an element with the selector was painted, which is in the frame after the one that it appears in. */
function watchFor(selector: string | undefined): void {
  const scope = globalThis as unknown as BrowserScope;
  const look = (): void => {
    const first = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const isThere = selector === undefined || scope.document.querySelector(selector) !== null;
    if (first === undefined || !isThere) scope.requestAnimationFrame(look);
    else scope.requestAnimationFrame(() => Object.assign(scope, { paints: { first, wanted: performance.now() } }));
  };
  scope.requestAnimationFrame(look);
}
