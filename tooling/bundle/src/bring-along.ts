// Files that a program brings along in its `dist`, so that installing it fetches little else: the SQLite driver without its C sources, and
// the table of the tokenizer.
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin, RolldownOptions } from "rolldown";
import { thirdParty } from "./third-party.ts";

/** The driver, as the program's files in `dist` name it. It finds its binaries in the folder `prebuilds` beside its own folder. */
const DRIVER = "./sqlite/better-sqlite3.cjs";
/** Table of the tokenizer, which its module looks for beside its own file. */
const TABLE = fileURLToPath(new URL("../../../packages/o200k/src/o200k.bin", import.meta.url));

/** Modules outside of the bundles. The keychain is optional, and installed beside the program. */
export const external: readonly string[] = ["@napi-rs/keyring"];

/** Makes a program load the driver that it brings along. */
export const ownDriver: Plugin = {
  name: "own-driver",
  load(id: string): string | null {
    return /[\\/]better-sqlite3-module\.ts$/u.test(id) ? `export const BETTER_SQLITE3 = ${JSON.stringify(DRIVER)};` : null;
  },
};

/** Bundles of the driver, which the app must have among its dependencies, beside the table. @param app its folder. */
export function broughtAlong(app: string): readonly RolldownOptions[] {
  const driver = dirname(createRequire(join(app, "package.json")).resolve("better-sqlite3/package.json"));
  const files: Plugin = {
    name: "files",
    writeBundle({ dir = "dist" }) {
      cpSync(join(driver, "prebuilds"), join(resolve(app, dir), "prebuilds"), { recursive: true });
      cpSync(TABLE, join(resolve(app, dir), basename(TABLE)));
    },
  };
  return [
    {
      input: { "sqlite/better-sqlite3": join(driver, "lib", "index.js") },
      platform: "node",
      plugins: [files, thirdParty],
      output: { dir: "dist", format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false },
    },
  ];
}
