import { fileURLToPath } from "node:url";
import {
  broughtAlong,
  external,
  firstBundles,
  inFewFiles,
  lightBundle,
  ownDriver,
  ownApp,
  ownPage,
  paths,
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
const PROTOCOLS = /[\\/]@modelcontextprotocol[\\/]|[\\/]mcp-server[\\/]src[\\/]sdk-v\d-server\.ts$/u;
/** Code that only HTTP needs. */
const HTTP =
  /[\\/]node_modules[\\/](?:@hono|hono|jose|rate-limiter-flexible)[\\/]|[\\/]mcp-server[\\/]src[\\/](?:http[\\/]|token-command\.ts$)/u;

/** Code that only a store in a database needs. */
const POSTGRES = /[\\/]packages[\\/]postgres[\\/]|[\\/]node_modules[\\/](?:pg(?:-[a-z-]+)?|pgpass|postgres-[a-z-]+|split2|xtend)[\\/]/u;

// One file for the server: a server whose process has no more files, or whose package was replaced meanwhile, could not load another. Its
// modules run when they are first needed. Apart from it: the versions of the MCP library, of which a server loads one, HTTP, PostgreSQL and telemetry; a
// launcher that checks the Node version before it loads anything else; and the command line, which the server never loads.
export default defineConfig([
  {
    input: { server: "src/main.ts" },
    platform: "node",
    external: [...external],
    plugins: [withoutValidator, reflectFirst, ownDriver, ownApp, quickToLoad, thirdParty],
    // Otherwise the file that the launcher loads would only load another.
    preserveEntrySignatures: false,
    checks: { ineffectiveDynamicImport: false },
    resolve,
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      paths,
      // The bundler names a file after any of its modules that is imported on demand.
      chunkFileNames: ({ moduleIds }) => (moduleIds.some((id) => /[\\/]start-server\.ts$/u.test(id)) ? "base.mjs" : "[name].mjs"),
      // Otherwise all modules of a file run when it is loaded, also those that are imported on demand.
      strictExecutionOrder: true,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: "http", test: HTTP, priority: 1 },
          { name: "postgres", test: POSTGRES, priority: 1 },
          { name: "opentelemetry", test: /[\\/]@opentelemetry[\\/]/u, priority: 1 },
          { name: "base", test: (id: string) => !PROTOCOLS.test(id) },
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
      paths,
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
