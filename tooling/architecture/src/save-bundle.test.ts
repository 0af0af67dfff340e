import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

/** Largest minified bundle of a program that only saves, with the rules of the catalog that a save applies, in bytes. */
const MOST_BYTES = 60 * 1024;
const ENTRY = "\0program";

it("saveCheckpoint alone bundles small, and without modules of Node", async () => {
  const core = join(ROOT, "packages/core/src/index.ts").replaceAll("\\", "/");
  const program = {
    name: "program",
    resolveId: (id: string) => (id === ENTRY ? id : undefined),
    load: (id: string) => (id === ENTRY ? `export { saveCheckpoint } from ${JSON.stringify(core)};` : undefined),
  };
  const bundle = await rolldown({ input: ENTRY, platform: "browser", plugins: [program] });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, imports }] = output;
  expect({ files: output.length, imports }).toEqual({ files: 1, imports: [] });
  expect(code).toContain("saveCheckpoint");
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(MOST_BYTES);
});
