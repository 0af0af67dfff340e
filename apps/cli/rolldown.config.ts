import { defineConfig } from "rolldown";

// The program, a part of it for the store that is loaded when a command needs it, and a launcher that looks at the Node
// version before anything else is loaded.
export default defineConfig([
  {
    input: { cli: "src/main.ts" },
    platform: "node",
    // Native code and a vocabulary of some megabytes: installed beside the bundle, loaded when first used.
    external: ["better-sqlite3", /^gpt-tokenizer(\/|$)/],
    resolve: {
      conditionNames: ["@workrail/source", "node", "import", "default"],
      // Its entry for Node is of a kind that cannot be bundled.
      alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    },
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      chunkFileNames: ({ isDynamicEntry }) => (isDynamicEntry ? "store.mjs" : "[name].mjs"),
      minify: "dce-only",
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
