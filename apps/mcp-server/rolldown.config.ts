import {
  compileCacheBundle,
  external,
  inFewFiles,
  lightBundle,
  quickToLoad,
  resolve,
  withoutPrograms,
  withoutWhitespace,
} from "@workrail/bundle";
import { defineConfig } from "rolldown";

// Removes the JSON Schema validator that the MCP library loads at start, a quarter of a megabyte. The library needs it for elicitation
// only, which this server never does.
const withoutValidator = {
  name: "without-validator",
  load(id: string): string | null {
    return /[\\/]validation[\\/]ajv-provider\.js$/u.test(id) ? "export class AjvJsonSchemaValidator {}" : null;
  },
};

// One file for the server, a launcher that checks the Node version before it loads anything else, and the command line, which the server
// never loads.
export default defineConfig([
  {
    input: { server: "src/main.ts" },
    platform: "node",
    external,
    plugins: [withoutValidator, quickToLoad],
    resolve,
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
    input: { cli: "src/command-line.ts", "take-in": "@workrail/cli/take-in" },
    platform: "node",
    external,
    plugins: [withoutPrograms, quickToLoad],
    resolve,
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      chunkFileNames: "cli-[name].mjs",
      codeSplitting: inFewFiles,
      minify: withoutWhitespace,
      sourcemap: false,
    },
  },
  {
    input: { "workrail-mcp": "src/launcher.ts" },
    platform: "node",
    resolve,
    output: { dir: "dist", entryFileNames: "[name].mjs", banner: "#!/usr/bin/env node" },
  },
  compileCacheBundle,
  lightBundle("@workrail/cli/hook", "hook"),
  lightBundle("@workrail/cli/statusline", "statusline"),
]);
