import { external, ownDriver } from "./bring-along.ts";
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
 * - The time is read from `process`: the global `performance` loads all measuring when it is first used.
 * - Non-ASCII letters are escaped, as by `inAscii`.
 */
export const quickToLoad = {
  name: "quick-to-load",
  generateBundle(_options: unknown, files: Files): void {
    for (const file of Object.values(files))
      if (file.code !== undefined)
        file.code = escaped(withoutBuiltInImports(file.code).replaceAll("performance.now()", "(process.uptime()*1e3)"));
  },
};

/** Built-in modules that take milliseconds to load and that many commands do not need. */
const LOADED_BY_CALLS: ReadonlySet<string> = new Set(["node:crypto", "node:timers/promises", "node:tty", "node:zlib"]);

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
    // oxlint-disable-next-line eslint/max-params -- replaceAll passes each group in this order.
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

/** For bundles with `jsonc-parser`: its entry for Node cannot be bundled, and its tables of spaces, which take 2 ms, are only for writing. */
export const jsonWithComments = {
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  treeshake: { moduleSideEffects: [{ test: /[\\/]jsonc-parser[\\/]/u, sideEffects: false }] },
};

export const resolve = {
  // `import` or `require` is added, whichever a module does.
  conditionNames: ["@workrail/source", "node", "default"],
  alias: {
    ...jsonWithComments.resolve.alias,
    // The entries for Node would be bundled whole, with decorators and their helpers.
    tsyringe: "tsyringe/dist/esm2015/index.js",
    tslib: "tslib/tslib.es6.js",
  },
};

/**
 * Makes scripts of CommonJS modules, for `runLight`: each is an expression that evaluates to a function of what such a module gets, and of
 * `importModule`, because Node warns of each script that calls `import()` itself. Built-in modules have no ES facade.
 */
export const asScripts = {
  name: "as-scripts",
  generateBundle(_options: unknown, files: Files): void {
    for (const file of Object.values(files)) {
      if (file.code === undefined) continue;
      const body = withBuiltIns(file.code).replaceAll(/\bimport\(/gu, "importModule(");
      file.code = `(function(exports,require,__filename,__dirname,importModule){"use strict";${body}})`;
    }
  },
};

/** Takes built-in modules as they are, and those that load slowly when one of their properties is first read. */
function withBuiltIns(code: string): string {
  const names = [...code.matchAll(/\blet (node_\w+)=require\("(node:[\w/]+)"\);/gu)];
  return names.reduce((text, [statement, name = "", id = ""]) => {
    const taken = LOADED_BY_CALLS.has(id)
      ? `const ${name}=new Proxy({},{get:(_,key)=>process.getBuiltinModule("${id}")[key]});`
      : statement;
    return text
      .replace(statement, taken)
      .replaceAll(new RegExp(`\\b${name}=[\\w$.]+\\(${name}(?:,1)?\\);`, "gu"), "")
      .replaceAll(new RegExp(`\\b${name}\\.default\\b`, "gu"), name);
  }, code);
}

/**
 * Bundle of a small program. Hooks start on each turn of an agent, and status lines more often. The first file loads no part of the store. Calls
 * that read and save load a second one, and a third has the longer texts for the model.
 */
export const lightBundle = (input: string, file: string) => ({
  input: { [file]: input },
  platform: "node" as const,
  external: [...external],
  plugins: [ownDriver, quickToLoad, thirdParty, asScripts],
  resolve,
  treeshake: jsonWithComments.treeshake,
  output: {
    dir: "dist",
    format: "cjs" as const,
    entryFileNames: "[name].cjs",
    chunkFileNames: `${file}-[name].cjs`,
    codeSplitting: {
      groups: [
        { name: "base", tags: ["$initial" as const], priority: 2 },
        { name: "work", test: /[\\/]hooks[\\/](?:note-turn|start-session)\.ts$/u, priority: 1 },
      ],
    },
    minify: withoutWhitespace,
    sourcemap: false,
  },
});

const firstBundle = (file: string) => ({
  input: { [file]: `@workrail/process/${file}` },
  platform: "node" as const,
  plugins: [quickToLoad, thirdParty],
  resolve,
  output: { dir: "dist", entryFileNames: "[name].mjs", codeSplitting: false, minify: withoutWhitespace, sourcemap: false },
});

/** The launcher loads the first file before a program, and small programs by the second. */
export const firstBundles = [firstBundle("compile-cache"), firstBundle("run-light")];
