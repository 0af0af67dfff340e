import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";
import { ROOT } from "./public-packages.ts";
import { run } from "./run.ts";

const PACKAGE = join(ROOT, "tooling/release");
const programs = globSync("src/consumer/*.ts", { cwd: PACKAGE });
/** Inside of this package, so that imports resolve to what it has installed. */
const folder = mkdtempSync(join(PACKAGE, ".consumer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Strict options of a consumer. Imports resolve to built declarations, since nothing sets the condition of the repository. Declarations of
 * the AI SDK do not pass `exactOptionalPropertyTypes` themselves, hence `skipLibCheck`.
 */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
  types: ["node"],
};

const RESOLUTIONS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "preserve", moduleResolution: "bundler" },
] as const;

/** Compilers, with their resolutions. The older one takes seconds for each: `npm run test:faults` has both. */
const COMPILERS = [
  ["typescript", RESOLUTIONS],
  ["typescript-5.9", IS_LONG ? RESOLUTIONS : RESOLUTIONS.slice(0, 1)],
] as const;

describe.each(COMPILERS)("a consumer with %s", (typescript, resolutions) => {
  it.each(resolutions)("compiles under resolution $moduleResolution", async (resolution) => {
    const config = join(folder, `${typescript}-${resolution.moduleResolution}.json`);
    const files = programs.map((path) => join(PACKAGE, path));
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...resolution }, files }));
    const manifest = createRequire(import.meta.url).resolve(`${typescript}/package.json`);
    const { code, output } = await run(process.execPath, [join(dirname(manifest), "bin/tsc"), "-p", config], { cwd: folder });
    expect({ code, output }).toEqual({ code: 0, output: "" });
  });
});

it("compiles a program for each package of a framework", () => {
  expect(programs.length).toBeGreaterThan(1);
});
