import { external, ownDriver, paths } from "./bring-along.ts";
import { thirdParty } from "./third-party.ts";

/**
 * Removes two imports from the command-line library. It can start subcommands that are separate programs, of which there are none here, and
 * imports `node:process`, which is global anyway.
 *
 * Loading the two takes a third of the time that Node itself needs to start: `child_process` for sockets and streams, `process` because an
 * import evaluates all its exports, standard input included.
 */
export const withoutPrograms = {
  name: "without-programs",
  transform(code: string, id: string): string | null {
    if (!/[\\/]commander[\\/]/u.test(id)) return null;
    return code
      .replace(/^import childProcess from ['"]node:child_process['"];$/mu, "const childProcess = {};")
      .replace(/^import process from ['"]node:process['"];$/mu, "");
  },
};

type Files = Readonly<Record<string, { readonly type: string; code?: string }>>;

/** Escapes non-ASCII letters: a single one makes the engine store the whole file with two bytes per letter. */
export const inAscii = {
  name: "in-ascii",
  generateBundle(_options: unknown, files: Files): void {
    for (const file of Object.values(files)) if (file.code !== undefined) file.code = escaped(file.code);
  },
};

/**
 * Makes the bundle start faster without changing its behaviour:
 * - Built-in modules are read from `process` instead of imported. An import reads every export, and so loads modules that nobody needs,
 *   such as workers and streams.
 * - Built-in modules that load slowly are read when one of their functions is first called.
 * - Non-ASCII letters are escaped, as by `inAscii`.
 */
export const quickToLoad = {
  name: "quick-to-load",
  generateBundle(_options: unknown, files: Files): void {
    for (const file of Object.values(files)) if (file.code !== undefined) file.code = escaped(withoutBuiltInImports(file.code));
  },
};

/** Built-in modules that take milliseconds to load and that many commands do not need. */
const LOADED_BY_CALLS: ReadonlySet<string> = new Set(["node:crypto", "node:tty", "node:zlib"]);

/** @param names as in `{ one, two: another }`; all must be functions. */
function takenByCalls(id: string, names: string): string {
  const builtIn = process.getBuiltinModule(id) as Readonly<Record<string, unknown>>;
  const pairs = names
    .slice(1, -1)
    .split(",")
    .map((pair) => pair.trim().split(":"));
  return pairs
    .map(([name = "", own = name]) => {
      if (!/^[a-z]/u.test(name) || typeof builtIn[name] !== "function")
        throw new Error(`${name} of ${id} is no function that can be taken when it is called.`);
      return `const ${own}=(...given)=>process.getBuiltinModule("${id}").${name}(...given);`;
    })
    .join("");
}

/** Replaces the imports, which all stand at the beginning of a bundle. */
function withoutBuiltInImports(code: string): string {
  const [imports = ""] = /^(?:import\b[^;]*;\s*)*/u.exec(code) ?? [];
  const replaced = imports.replaceAll(
    /import\s*(?:([\w$]+)\s*,?)?\s*(\{[^}]*\})?\s*from\s*"(node:[\w/]+)";/gu,
    (_all, whole: string | undefined, named: string | undefined, id: string) => {
      const names = [whole, named?.replaceAll(/\s+as\s+/gu, ":")].filter((name) => name !== undefined);
      if (LOADED_BY_CALLS.has(id)) return names.map((name) => takenByCalls(id, name)).join("");
      return names.map((name) => `const ${name}=process.getBuiltinModule("${id}");`).join("");
    },
  );
  if (/\bfrom\s*"node:/u.test(replaced)) throw new Error(`An import of what is built in was not understood: ${replaced}`);
  return replaced + code.slice(imports.length);
}

function escaped(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Code that every command needs is one file, and code that opens a store another: each file takes half a millisecond to find and read. The
 * code that waits for the process to end is a separate file, because modules loaded meanwhile must not wait for it.
 */
export const inFewFiles = {
  groups: [
    { name: "base", tags: ["$initial" as const], test: (id: string) => !/[\\/](?:main|command-line)\.ts$/u.test(id), priority: 2 },
    { name: "opening", test: /[\\/]runtime[\\/]src[\\/]open-workrail\.ts$/u, priority: 1 },
  ],
};

/** Removes whitespace, for less to read. Names stay, so that stack traces are useful. */
export const withoutWhitespace = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

export const resolve = {
  // `import` or `require` is added, whichever a module does.
  conditionNames: ["@workrail/source", "node", "default"],
  alias: {
    // Its entry for Node cannot be bundled.
    "jsonc-parser": "jsonc-parser/lib/esm/main.js",
    // The entries for Node would be bundled whole, with decorators and their helpers.
    tsyringe: "tsyringe/dist/esm2015/index.js",
    tslib: "tslib/tslib.es6.js",
  },
};

/**
 * Bundle of a small program. Hooks start on each turn of an agent, and status lines more often. The entry file loads no part of the
 * store; calls that read, save or compose load further files.
 */
export const lightBundle = (input: string, file: string) => ({
  input: { [file]: input },
  platform: "node" as const,
  external: [...external],
  plugins: [ownDriver, quickToLoad, thirdParty],
  resolve,
  output: {
    dir: "dist",
    entryFileNames: "[name].mjs",
    chunkFileNames: `${file}-[name].mjs`,
    paths,
    codeSplitting: {
      groups: [{ name: "base", tags: ["$initial" as const], test: (id: string) => !/[\\/](?:hook|statusline)\.ts$/u.test(id) }],
    },
    minify: withoutWhitespace,
    sourcemap: false,
  },
});

/** The launcher loads this file first. */
export const compileCacheBundle = {
  input: { "compile-cache": "@workrail/process/compile-cache" },
  platform: "node" as const,
  plugins: [quickToLoad, thirdParty],
  resolve,
  output: { dir: "dist", entryFileNames: "[name].mjs", codeSplitting: false, minify: withoutWhitespace, sourcemap: false },
};
