import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import type { BlockOutcome, BlockRun } from "./block-run.ts";
import { allPages, blocksOf, type Block } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const examples = allPages().flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, block })));

interface Ran {
  readonly status: number | null;
  readonly stderr: string;
  /** Without the example that ended the process, and those after it. */
  readonly outcomes: readonly BlockOutcome[];
}

/** `<!-- file PATH -->` precedes a block that shows a file, and `<!-- run -->` a block that runs. */
describe("examples in pages", () => {
  it.each(marked("file").map(({ path, block, argument }) => [path, argument, block] as const))("%s shows %s as it is", (_, file, block) => {
    expect(block.text).toBe(readFileSync(join(ROOT, file), "utf8"));
  });

  describe("in one process", () => {
    const blocks = marked("run").map(({ path, block }, index) => [path, index, block] as const);
    let ran: Ran;

    beforeAll(() => {
      ran = run(blocks.map(([path, , { text }]) => ({ cwd: placeFor(path), text })));
    });

    it.each(blocks)("%s has one that runs", (_, index) => {
      expect(ran.outcomes[index]).toEqual({ status: 0, stderr: "" });
    });

    it("end, and leave no warning", () => {
      expect(ran).toMatchObject({ status: 0, stderr: "" });
    });
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

/** Runs blocks one after another in a process of Node, to the end of the process. */
function run(runs: readonly BlockRun[]): Ran {
  const folder = mkdtempSync(join(tmpdir(), "workrail-pages-"));
  const [given, results] = [join(folder, "runs.json"), join(folder, "outcomes.json")];
  try {
    writeFileSync(given, JSON.stringify(runs));
    const args = ["--conditions=@workrail/source", join(ROOT, "tooling/architecture/src/run-blocks.ts"), given, results];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const outcomes = existsSync(results) ? (JSON.parse(readFileSync(results, "utf8")) as readonly BlockOutcome[]) : [];
    return { status, stderr, outcomes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
