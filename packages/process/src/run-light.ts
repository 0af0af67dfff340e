import fs from "node:fs";
import { dirname, join, posix } from "node:path";
import vm from "node:vm";
import { makePrivateDirectory, userCacheDirectory } from "@workrail/runtime";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds. Older caches may be of versions that are gone; one of this version is made again. */
const LONGEST_KEPT_MS = 30 * DAY_MS;

/** A script of `lightBundle`: gets its URL, a function that loads another script of the program, and `import()`. Returns its exports. */
type Script = (url: string, load: (name: string) => unknown, importModule: (specifier: string) => Promise<unknown>) => unknown;

/**
 * Runs a small program of `lightBundle` with V8's code cache. Node's own compile cache holds only the code that runs while a module loads: every
 * other function is compiled again in each process. These caches are made when the process ends, so they hold each function that was called.
 * Their directory is private, because they hold code that runs.
 *
 * @param url of the program's first script.
 * @param use names the kind of run. Each kind calls other functions, so each has its own caches.
 */
export function runLight(url: string, use: string): void {
  const folder = process.env["NODE_DISABLE_COMPILE_CACHE"] === "1" ? undefined : makePrivateDirectory(join(userCacheDirectory(), "light"));
  const loaded = new Map<string, unknown>();
  const load = (name: string): unknown => {
    if (!loaded.has(name)) {
      const file = new URL(name, url);
      const script = scriptOf(file, folder === undefined ? undefined : cacheFileOf({ folder, file, use }));
      loaded.set(name, script(file.href, load, importModule));
    }
    return loaded.get(name);
  };
  load(`./${posix.basename(new URL(url).pathname)}`);
}

function importModule(specifier: string): Promise<unknown> {
  return import(specifier);
}

function scriptOf(file: URL, cache: string | undefined): Script {
  const cachedData = cache === undefined ? undefined : readIfThere(cache);
  const script = new vm.Script(fs.readFileSync(file, "latin1"), { filename: file.href, cachedData });
  if (cache !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    process.once("exit", () => writeCache(cache, script.createCachedData()));
  }
  return script.runInThisContext() as Script;
}

interface CachedScript {
  readonly folder: string;
  readonly file: URL;
  readonly use: string;
}

/** The name changes with every change of the script: V8 itself compares only its length. */
function cacheFileOf({ folder, file, use }: CachedScript): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = fs.statSync(file);
  const identity = [dev, ino, size, mtimeMs, ctimeMs, process.version, process.arch].join("-");
  return join(folder, `${posix.basename(file.pathname, ".cjs")}.${use.replaceAll(/[^a-z-]/gu, "")}.${identity}`);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    // Without its cache a script only starts more slowly.
    return undefined;
  }
}

/** Writes the cache, and removes old ones of other versions. */
function writeCache(file: string, data: Buffer): void {
  try {
    const temporary = `${file}.${process.pid}.tmp`;
    fs.writeFileSync(temporary, data, { mode: 0o600 });
    fs.renameSync(temporary, file);
    const folder = dirname(file);
    for (const other of fs.readdirSync(folder).map((name) => join(folder, name))) {
      if (Date.now() - fs.statSync(other).mtimeMs > LONGEST_KEPT_MS) fs.rmSync(other, { force: true });
    }
  } catch {
    // A full disk: the next run compiles again.
  }
}
