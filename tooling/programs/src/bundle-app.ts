import { build, type RolldownOptions } from "rolldown";

/** An app's folder, and the content of its `rolldown.config.ts` or another config. */
export interface App {
  readonly app: string;
  readonly config: readonly RolldownOptions[];
}

/** Bundles an app as its config tells, into the folder `dir`. */
export async function bundleApp({ app, config }: App, dir: string): Promise<void> {
  for (const { output, ...part } of config) {
    await build({ ...part, cwd: app, output: Object.assign({}, output, { dir }), logLevel: "warn" });
  }
}
