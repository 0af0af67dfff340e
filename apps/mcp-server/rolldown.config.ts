import { defineConfig } from "rolldown";

// The MCP library loads a JSON Schema validator of a quarter of a megabyte at start, for elicitation alone, which this server never does.
const withoutValidator = {
  name: "without-validator",
  load(id: string): string | null {
    return /[\\/]validation[\\/]ajv-provider\.js$/u.test(id) ? "export class AjvJsonSchemaValidator {}" : null;
  },
};

// One file for the program, and a launcher that looks at the Node version before anything else is loaded.
export default defineConfig([
  {
    input: { server: "src/main.ts" },
    platform: "node",
    // Native code and a vocabulary of some megabytes: installed beside the bundle, loaded when first used.
    external: ["better-sqlite3", /^gpt-tokenizer(\/|$)/],
    plugins: [withoutValidator],
    resolve: {
      conditionNames: ["@workrail/source", "node", "import", "default"],
      // Its entry for Node is of a kind that cannot be bundled.
      alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    },
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      codeSplitting: false,
      minify: "dce-only",
      sourcemap: false,
      cleanDir: true,
    },
  },
  {
    input: { "workrail-mcp": "src/launcher.ts" },
    platform: "node",
    output: { dir: "dist", entryFileNames: "[name].mjs", banner: "#!/usr/bin/env node" },
  },
]);
