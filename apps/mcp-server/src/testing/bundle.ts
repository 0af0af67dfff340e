import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import config from "../../rolldown.config.ts";

const APP = fileURLToPath(new URL("../..", import.meta.url));
const ROOT = join(APP, "..", "..");
/** Inside node_modules, so that what stays outside the bundle is found as in an installed package. */
const BUNDLES = join(APP, "node_modules", ".workrail-test");

export const BUNDLE_VERSION = "4.5.6";

/**
 * Bundles the server as it would be published, unless the sources have been bundled before. Resolves to the directory
 * `dist`, with a package.json of its own beside it. Test files may ask for it at the same time.
 */
export async function bundleServer(): Promise<string> {
  const home = join(BUNDLES, sourceDigest());
  if (!existsSync(home)) {
    const unfinished = join(BUNDLES, `unfinished-${randomUUID()}`);
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, "package.json"), JSON.stringify({ type: "module", version: BUNDLE_VERSION }));
    try {
      for (const { output, ...part } of config) {
        await build({ ...part, cwd: APP, output: Object.assign({}, output, { dir: join(unfinished, "dist") }), logLevel: "warn" });
      }
      settle(unfinished, home);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(home, "dist");
}

/** Whoever is first has made it; what others make is the same. Bundles of other sources are of no more use. */
function settle(unfinished: string, home: string): void {
  try {
    renameSync(unfinished, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
  }
  const isOld = (name: string): boolean => !name.startsWith("unfinished-") && join(BUNDLES, name) !== home;
  for (const name of readdirSync(BUNDLES).filter(isOld)) rmSync(join(BUNDLES, name), { recursive: true, force: true });
}

function sourceDigest(): string {
  const packages = readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name));
  const files = [...packages, join(ROOT, "apps/cli"), APP].flatMap(filesOf);
  const hash = createHash("sha256");
  for (const file of [join(ROOT, "pnpm-lock.yaml"), ...files]) {
    const bytes = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesOf(folder: string): string[] {
  const own = ["package.json", "rolldown.config.ts"].map((name) => join(folder, name)).filter((file) => existsSync(file));
  const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, "src", name));
  return [...own, ...sources.toSorted()];
}
