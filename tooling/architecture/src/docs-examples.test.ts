import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { allPages, blocksOf, type Block } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const examples = allPages().flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, block })));

/** `<!-- file PATH -->` precedes a block that shows a file, and `<!-- run -->` a block that runs. */
describe("examples in pages", () => {
  it.each(marked("file").map(({ path, block, argument }) => [path, argument, block] as const))("%s shows %s as it is", (_, file, block) => {
    expect(block.text).toBe(readFileSync(join(ROOT, file), "utf8"));
  });

  it.each(marked("run").map(({ path, block }) => [path, block] as const))("%s has one that runs", (path, block) => {
    const { status, stderr } = run(block, placeFor(path));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("cover every package", () => {
    const own = examples.filter(
      ({ path, block }) => /^packages\/(?!storage-conformance)[\w-]+\/README\.md$/.test(path) && block.language === "ts",
    );
    expect(own.filter(({ block }) => block.mark === undefined).map(({ path }) => path)).toEqual([]);
  });
});

function marked(word: string): readonly { readonly path: string; readonly block: Block; readonly argument: string }[] {
  return examples.flatMap(({ path, block }) => {
    const [first, argument = ""] = block.mark?.split(" ") ?? [];
    return first === word ? [{ path, block, argument }] : [];
  });
}

/** Returns the directory to run a block in: the package for a package's README, else the example program that uses the library. */
function placeFor(path: string): string {
  return join(ROOT, path.startsWith("packages/") ? dirname(path) : "examples/library");
}

function run(block: Block, cwd: string): { status: number | null; stderr: string } {
  const dataDir = mkdtempSync(join(tmpdir(), "workrail-page-"));
  try {
    const args = ["--conditions=@workrail/source", "--input-type=module-typescript", "--eval", block.text];
    return spawnSync(process.execPath, args, { cwd, env: { ...process.env, WORKRAIL_DATA_DIR: dataDir }, encoding: "utf8" });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
