// Packages that a program brings along in its `dist`, so that installing it fetches little else: the SQLite driver without its C sources,
// and the one encoding of the tokenizer that is used.
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Plugin, RolldownOptions } from "rolldown";
import { thirdParty } from "./third-party.ts";

/** The driver, as the program's files in `dist` name it. It finds its binaries in the folder `prebuilds` beside its own folder. */
const DRIVER = "./sqlite/better-sqlite3.cjs";
const TOKENIZER = "gpt-tokenizer/encoding/o200k_base";

/** Modules outside of the bundles. The keychain is optional, and installed beside the program. */
export const external: readonly string[] = [TOKENIZER, "@napi-rs/keyring"];

/** The tokenizer, as the program's files in `dist` name it. */
export const paths: Readonly<Record<string, string>> = { [TOKENIZER]: "./o200k.mjs" };

/** Makes a program load the driver that it brings along. */
export const ownDriver: Plugin = {
  name: "own-driver",
  load(id: string): string | null {
    return /[\\/]better-sqlite3-module\.ts$/u.test(id) ? `export const BETTER_SQLITE3 = ${JSON.stringify(DRIVER)};` : null;
  },
};

/** Bundles of the driver and of the tokenizer, which the app must have among its dependencies. @param app its folder. */
export function broughtAlong(app: string): readonly RolldownOptions[] {
  const driver = dirname(createRequire(join(app, "package.json")).resolve("better-sqlite3/package.json"));
  const binaries: Plugin = {
    name: "binaries",
    writeBundle({ dir = "dist" }) {
      cpSync(join(driver, "prebuilds"), join(resolve(app, dir), "prebuilds"), { recursive: true });
    },
  };
  return [
    {
      input: { "sqlite/better-sqlite3": join(driver, "lib", "index.js") },
      platform: "node",
      plugins: [binaries, thirdParty],
      output: { dir: "dist", format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false },
    },
    {
      input: { o200k: TOKENIZER },
      platform: "node",
      plugins: [thirdParty],
      output: { dir: "dist", entryFileNames: "[name].mjs", codeSplitting: false },
    },
  ];
}
