import type { Plugin } from "rolldown";

const FILE = "timeline.html";
const APP = "timeline-app.html";

/** Builds the timeline page into a file of the program, which reads it there instead of building it. */
export const ownPage: Plugin = {
  name: "own-page",
  load: (id: string) => (/[\\/]timeline[\\/]src[\\/]page-text\.ts$/u.test(id) ? reading("readPage", FILE) : null),
  async generateBundle() {
    // Loaded on demand: most of those who import this package build no page.
    const { buildPage } = await import("@workrail/timeline/build");
    this.emitFile({ type: "asset", fileName: FILE, source: await buildPage() });
  },
};

/** Does the same with the page for the hosts of agents. */
export const ownApp: Plugin = {
  name: "own-app",
  load: (id: string) => (/[\\/]timeline[\\/]src[\\/]app-text\.ts$/u.test(id) ? reading("readApp", APP) : null),
  async generateBundle() {
    const { buildApp } = await import("@workrail/timeline/build");
    this.emitFile({ type: "asset", fileName: APP, source: await buildApp() });
  },
};

function reading(name: string, file: string): string {
  return `import { readFileSync } from "node:fs";
export async function ${name}() {
  return readFileSync(new URL("./${file}", import.meta.url), "utf8");
}`;
}
