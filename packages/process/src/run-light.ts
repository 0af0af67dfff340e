import fs from "node:fs";
import module from "node:module";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { makePrivateDirectory, userCacheDirectory } from "@workrail/runtime";
import { enableCompileCache } from "./enable-compile-cache.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds. Older caches may be of versions that are gone; one of this version is made again. */
const LONGEST_KEPT_MS = 30 * DAY_MS;
/** Milliseconds from running a script without a cache until the caches are made. In a process that runs for long, V8 drops code that is not used. */
const MADE_AFTER_MS = 10_000;

/** A script of `asScripts`: a function of all that a CommonJS module gets, and of `import()`. */
// oxlint-disable-next-line eslint/max-params -- Node passes these to a CommonJS module in this order.
type Script = (exports: object, require: Require, filename: string, folder: string, importModule: ImportModule) => void;
type Require = (name: string) => unknown;
type ImportModule = (specifier: string) => Promise<unknown>;

/** The text of a script, and the file of its cache; no file where no cache is kept. */
interface Source {
  readonly text: Buffer;
  readonly cache: string | undefined;
}

/**
 * Runs a program of scripts with V8's code cache. Node's own compile cache holds only the code that runs while a module loads: every
 * other function is compiled again in each process. These caches are made when the process ends or has run for a while, so they hold each
 * function that was called. Their directory is private, because they hold code that runs.
 *
 * @param url of the program's first script.
 * @param use names the kind of run. Each kind calls other functions, so each has its own caches.
 * @param ahead names of scripts to read at once, before they are needed: later their files may be gone.
 */
export function runLight(url: string, use: string, ahead: readonly string[] = []): void {
  const folder = process.env["NODE_DISABLE_COMPILE_CACHE"] === "1" ? undefined : makePrivateDirectory(join(userCacheDirectory(), "light"));
  const sources = new Map<string, Source>();
  const loaded = new Map<string, object>();
  const compile = compiler();
  const sourceOf = (file: URL, text: Buffer): Source => {
    return { text, cache: folder === undefined ? undefined : cacheFileOf({ folder, file, use }) };
  };
  const load: Require = (name) => {
    if (!name.startsWith(".")) return process.getBuiltinModule(name) ?? module.createRequire(url)(name);
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const file = new URL(name, url);
    const source = sources.get(name) ?? sourceOf(file, fs.readFileSync(file));
    sources.delete(name);
    const exports = {};
    loaded.set(name, exports);
    const path = fileURLToPath(file);
    try {
      compile(file, source)(exports, load, path, dirname(path), importModule);
    } catch (error) {
      // The next call runs it again, instead of taking what the failed one had exported.
      loaded.delete(name);
      throw error;
    }
    return exports;
  };
  for (const name of ahead) {
    const file = new URL(name, url);
    fs.readFile(file, (error, text) => {
      // One that cannot be read is read again, and reported, when it is needed.
      if (error === null && !loaded.has(name)) sources.set(name, sourceOf(file, text));
    });
  }
  load(`./${posix.basename(new URL(url).pathname)}`);
}

function importModule(specifier: string): Promise<unknown> {
  if (!specifier.startsWith("node:")) enableCompileCache();
  return import(specifier);
}

/** Returns a function that compiles scripts. Whenever one had no cache, the caches of all are made, because more of their functions were called. */
function compiler(): (file: URL, source: Source) => Script {
  const scripts = new Map<string, vm.Script>();
  let timer: NodeJS.Timeout | undefined;
  const makeCaches = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [cache, script] of scripts) writeCache(cache, script.createCachedData());
  };
  process.once("exit", () => {
    if (timer !== undefined) makeCaches();
  });
  return (file, { text, cache }) => {
    const cachedData = cache === undefined ? undefined : readIfThere(cache);
    const script = new vm.Script(text.toString("latin1"), { filename: file.href, cachedData });
    if (cache !== undefined) {
      scripts.set(cache, script);
      if (cachedData === undefined || script.cachedDataRejected === true) timer ??= setTimeout(makeCaches, MADE_AFTER_MS).unref();
    }
    return script.runInThisContext() as Script;
  };
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
