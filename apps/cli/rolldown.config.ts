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

/** What is not there need not be read. Names stay, so that a stack tells something. */
export const withoutWhitespace = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

// The program, a part of it for the store that is loaded when a command needs it, and a launcher that looks at the Node
// version before anything else is loaded.
export default defineConfig([
  {
    input: { cli: "src/main.ts" },
    platform: "node",
    // Native code and a vocabulary of some megabytes: installed beside the bundle, loaded when first used.
    external: ["better-sqlite3", /^gpt-tokenizer(\/|$)/],
    plugins: [withoutPrograms],
    resolve: {
      conditionNames: ["@workrail/source", "node", "import", "default"],
      // Its entry for Node is of a kind that cannot be bundled.
      alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    },
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      chunkFileNames: ({ isDynamicEntry }) => (isDynamicEntry ? "store.mjs" : "[name].mjs"),
      minify: withoutWhitespace,
      sourcemap: false,
      cleanDir: true,
    },
  },
  {
    input: { workrail: "src/launcher.ts" },
    platform: "node",
    output: { dir: "dist", entryFileNames: "[name].mjs", banner: "#!/usr/bin/env node" },
  },
]);
