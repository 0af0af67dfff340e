import type { Plugin } from "rolldown";

const FILE = "timeline.html";

/** Builds the timeline page into a file of the program, which reads it there instead of building it. */
export const ownPage: Plugin = {
  name: "own-page",
  load(id: string): string | null {
    if (!/[\\/]timeline[\\/]src[\\/]page-text\.ts$/u.test(id)) return null;
    return `import { readFileSync } from "node:fs";
export async function readPage() {
  return readFileSync(new URL("./${FILE}", import.meta.url), "utf8");
}`;
  },
  async generateBundle() {
    // Loaded on demand: most of those who import this package build no page.
    const { buildPage } = await import("@workrail/timeline/build");
    this.emitFile({ type: "asset", fileName: FILE, source: await buildPage() });
  },
};
