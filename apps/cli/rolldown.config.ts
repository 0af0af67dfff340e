import { defineConfig } from "rolldown";

/**
 * The library for commands can run commands that are programs of their own, of which there are none here, and asks `node:process` for what is
 * global anyway. To load the two takes a third of the time that Node itself needs to start: the one for sockets and streams, the other because
 * everything that it has is made for its module, standard input too.
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

/**
 * Has the bundle start faster, without changing what it does:
 *
 * - What is built into Node is taken from `process` rather than imported. For an import Node reads every export there is, which
 *   has it load what nobody asked for, workers and streams among it.
 * - Of what takes Node long to load itself, each function is only taken when it is called for the first time.
 * - Letters beyond ASCII are escaped: a single one has the engine keep all of a file in two bytes a letter.
 */
export const quickToLoad = {
  name: "quick-to-load",
  generateBundle(_options: unknown, files: Readonly<Record<string, { readonly type: string; code?: string }>>): void {
    for (const file of Object.values(files)) if (file.code !== undefined) file.code = inAscii(withoutBuiltInImports(file.code));
  },
};

/** Modules of Node that take it milliseconds to load, and that much of what a command does can do without. */
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

/** All imports of a bundle stand at its beginning. */
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

function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * What every command needs is one file, and what opens a store another: each file takes half a millisecond to be found and read. Where the program
 * waits for its own end is a file by itself, since what is loaded meanwhile must not wait for that file.
 */
export const inFewFiles = {
  groups: [
    { name: "base", tags: ["$initial" as const], test: (id: string) => !/[\\/](?:main|command-line)\.ts$/u.test(id), priority: 2 },
    { name: "opening", test: /[\\/]library[\\/]opening\.ts$/u, priority: 1 },
  ],
};

/** What is not there need not be read. Names stay, so that a stack tells something. */
export const withoutWhitespace = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

/** Native code and a vocabulary of some megabytes: installed beside the bundle, loaded when first used. */
export const external = ["better-sqlite3", /^gpt-tokenizer(\/|$)/];

export const resolve = {
  conditionNames: ["@workrail/source", "node", "import", "default"],
  alias: {
    // Its entry for Node is of a kind that cannot be bundled.
    "jsonc-parser": "jsonc-parser/lib/esm/main.js",
    // Of the entries for Node all would be bundled, decorators and their helpers too.
    tsyringe: "tsyringe/dist/esm2015/index.js",
    tslib: "tslib/tslib.es6.js",
  },
};

/** Hooks start on each turn of an agent, and status lines more often. The entry file loads no part of the store; calls that read, save or compose load further files. */
export const lightBundle = (input: string, file: string) => ({
  input: { [file]: input },
  platform: "node" as const,
  external,
  plugins: [quickToLoad],
  resolve,
  output: {
    dir: "dist",
    entryFileNames: "[name].mjs",
    chunkFileNames: `${file}-[name].mjs`,
    codeSplitting: {
      groups: [{ name: "base", tags: ["$initial" as const], test: (id: string) => !/[\\/](?:hook|statusline)\.ts$/u.test(id) }],
    },
    minify: withoutWhitespace,
    sourcemap: false,
  },
});

/** The launcher loads it before anything else. */
export const compileCacheBundle = (input: string) => ({
  input: { "compile-cache": input },
  platform: "node" as const,
  plugins: [quickToLoad],
  resolve,
  output: { dir: "dist", entryFileNames: "[name].mjs", codeSplitting: false, minify: withoutWhitespace, sourcemap: false },
});

// The program, a part of it for the store that is loaded when a command needs it, a launcher that looks at the Node version before
// anything else is loaded, the hooks, and the status line.
export default defineConfig([
  {
    input: { cli: "src/main.ts", "take-in": "src/take-in.ts" },
    platform: "node",
    external,
    plugins: [withoutPrograms, quickToLoad],
    resolve,
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name].mjs",
      codeSplitting: inFewFiles,
      minify: withoutWhitespace,
      sourcemap: false,
      cleanDir: true,
    },
  },
  {
    input: { workrail: "src/launcher.ts" },
    platform: "node",
    resolve,
    output: { dir: "dist", entryFileNames: "[name].mjs", banner: "#!/usr/bin/env node" },
  },
  compileCacheBundle("src/compile-cache.ts"),
  lightBundle("src/hook.ts", "hook"),
  lightBundle("src/statusline.ts", "statusline"),
]);
