import { fileURLToPath } from "node:url";
import {
  asScripts,
  broughtAlong,
  external,
  firstBundles,
  inFewFiles,
  lightBundle,
  ownDriver,
  ownApp,
  ownPage,
  quickToLoad,
  resolve,
  thirdParty,
  withoutPrograms,
  withoutWhitespace,
} from "@workrail/bundle";
import { defineConfig } from "rolldown";

// Removes the JSON Schema validator that the MCP libraries load at start, a quarter of a megabyte. They need it for elicitation only, which
// this server never does.
const withoutValidator = {
  name: "without-validator",
  load(id: string): string | null {
    if (/[\\/]validation[\\/]ajv-provider\.js$/u.test(id)) return "export class AjvJsonSchemaValidator {}";
    return /[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/u.test(id)
      ? "export const process = globalThis.process; export class DefaultJsonSchemaValidator {}"
      : null;
  },
};

// The bundler runs a CommonJS module where it is imported, but after the other imports. This library demands it before itself.
const reflectFirst = {
  name: "reflect-first",
  transform(code: string, id: string): string | null {
    return /[\\/]tsyringe[\\/]dist[\\/]esm2015[\\/]index\.js$/u.test(id) ? `import "reflect-metadata";\n${code}` : null;
  },
};

/** Code that only one of the protocols needs. */
const PROTOCOL_V1 = /[\\/]@modelcontextprotocol[\\/]sdk[\\/]|[\\/]sdk-v1-server\.ts$/u;
const PROTOCOL_V2 = /[\\/]@modelcontextprotocol[\\/](?!sdk[\\/])|[\\/]sdk-v2-server\.ts$/u;
/** Code that only HTTP needs. */
const HTTP =
  /[\\/]node_modules[\\/](?:@hono|hono|jose|rate-limiter-flexible)[\\/]|[\\/]mcp-server[\\/]src[\\/](?:http[\\/]|token-command\.ts$)/u;

/** Code that only a store in a database needs. */
const POSTGRES = /[\\/]packages[\\/]postgres[\\/]|[\\/]node_modules[\\/](?:pg(?:-[a-z-]+)?|pgpass|postgres-[a-z-]+|split2|xtend)[\\/]/u;

/** Code that only a process with an OpenTelemetry SDK needs. */
const TELEMETRY = /[\\/]@opentelemetry[\\/]/u;

/** The server itself, as much of it as answers the first requests. Its modules run when they are first needed. */
const BASE = /[\\/]mcp-server[\\/]src[\\/]|[\\/]node_modules[\\/]zod[\\/]/u;

/** Code that a first save needs, besides the modules that these import. */
const STORE = /[\\/]runtime[\\/]src[\\/](?:open-workrail\.ts$|fallback[\\/])|[\\/]packages[\\/](?:classifier|search-minisearch)[\\/]/u;

/** Returns a test for modules that match and that every server may need. */
const isPart = (pattern: RegExp) => (id: string) =>
  pattern.test(id) && ![PROTOCOL_V1, PROTOCOL_V2, HTTP, POSTGRES, TELEMETRY].some((other) => other.test(id));

// Scripts for `runLight`. The launcher has all that a running server may need read at the start: a server whose process has no more files,
// or whose package was replaced meanwhile, could not load another file. "base" answers the first requests, "store" opens a store, "rest" is
// for other calls. Apart from them: the versions of the MCP library, of which a server loads one, HTTP, PostgreSQL and telemetry; a
// launcher that checks the Node version before it loads anything else; and the command line, which the server never loads.
export default defineConfig([
  {
    input: { server: "src/main.ts" },
    platform: "node",
    external: [...external],
    plugins: [withoutValidator, reflectFirst, ownDriver, ownApp, quickToLoad, thirdParty, asScripts],
    // Otherwise the file that the launcher loads would only load another.
    preserveEntrySignatures: false,
    checks: { ineffectiveDynamicImport: false },
    resolve,
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      // The bundler names a file after any of its modules that is imported on demand.
      chunkFileNames: ({ moduleIds }) => (moduleIds.some((id) => /[\\/]start-server\.ts$/u.test(id)) ? "base.cjs" : "[name].cjs"),
      // Otherwise all modules of a file run when it is loaded, also those that are imported on demand.
      strictExecutionOrder: true,
      codeSplitting: {
        groups: [
          { name: "base", test: isPart(BASE), priority: 4 },
          { name: "store", test: STORE, priority: 3 },
          { name: "rest", test: isPart(/./u), priority: 2 },
          { name: "sdk-v1-server", test: PROTOCOL_V1, priority: 1 },
          { name: "sdk-v2-server", test: PROTOCOL_V2, priority: 1 },
          { name: "http", test: HTTP },
          { name: "postgres", test: POSTGRES },
          { name: "opentelemetry", test: TELEMETRY },
        ],
      },
      minify: withoutWhitespace,
      sourcemap: false,
      cleanDir: true,
    },
  },
  {
    input: { cli: "src/command-line.ts", "take-in": "@workrail/cli/take-in" },
    platform: "node",
    external: [...external],
    plugins: [withoutPrograms, ownDriver, ownPage, quickToLoad, thirdParty],
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
  ...broughtAlong(fileURLToPath(new URL(".", import.meta.url))),
  ...firstBundles,
  lightBundle("@workrail/cli/hook", "hook"),
  lightBundle("@workrail/cli/statusline", "statusline"),
]);
