import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type App, bundleApp } from "./bundle-app.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Parts of every bundle besides the packages. */
const ALWAYS = ["apps/cli", "tooling/bundle", "tooling/programs"].map((folder) => join(ROOT, folder));

export interface Bundled extends App {
  /** Folder of the app's `node_modules` for the bundles. Another config of the app needs another folder. Default: `.workrail-test`. */
  readonly folder?: string;
  /** True when the bundle may have modules of the folders `test` of packages. Default `false`. */
  readonly hasTests?: boolean;
  /** Adds files beside the bundle, in the folder that holds `dist`. */
  readonly furnish?: (home: string) => void;
}

/**
 * Bundles an app as its config tells, unless these sources are bundled already. Resolves to the folder `dist`. Test files may call
 * this concurrently.
 */
export async function bundleOnce({ app, config, folder = ".workrail-test", hasTests = false, furnish }: Bundled): Promise<string> {
  // Inside node_modules, so that external packages are found as in an installed package.
  const bundles = join(app, "node_modules", folder);
  const home = join(bundles, digestOnce(app, hasTests));
  if (!existsSync(home)) {
    const unfinished = join(bundles, `unfinished-${randomUUID()}`);
    mkdirSync(unfinished, { recursive: true });
    furnish?.(unfinished);
    try {
      await bundleApp({ app, config }, join(unfinished, "dist"));
      settle(unfinished, home, bundles);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(home, "dist");
}

/** Moves the bundle into place. The first process wins; the bundles of others are equal. Bundles of other sources are removed. */
function settle(unfinished: string, home: string, bundles: string): void {
  try {
    renameSync(unfinished, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
  }
  const isOld = (name: string): boolean => !name.startsWith("unfinished-") && join(bundles, name) !== home;
  for (const name of readdirSync(bundles).filter(isOld)) rmSync(join(bundles, name), { recursive: true, force: true });
}

const digests = new Map<string, string>();

/** Sources do not change while tests run, and many test files of a process ask. */
function digestOnce(app: string, hasTests: boolean): string {
  const key = `${app} ${String(hasTests)}`;
  const digest = digests.get(key) ?? sourceDigest(app, hasTests);
  digests.set(key, digest);
  return digest;
}

/** Returns a digest of the sources. */
function sourceDigest(app: string, hasTests: boolean): string {
  const packages = readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name));
  const files = [...new Set([...packages, ...ALWAYS, app])].flatMap((folder) => filesOf(folder));
  if (hasTests) files.push(...packages.flatMap((folder) => sourcesIn(join(folder, "test"))));
  const hash = createHash("sha256");
  for (const file of [join(ROOT, "pnpm-lock.yaml"), ...files]) {
    const bytes = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesOf(folder: string): string[] {
  const own = ["package.json", "rolldown.config.ts"].map((name) => join(folder, name)).filter((file) => existsSync(file));
  return [...own, ...sourcesIn(join(folder, "src"))];
}

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|tsx|css|html|bin)$/u.test(name) && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .toSorted();
}
