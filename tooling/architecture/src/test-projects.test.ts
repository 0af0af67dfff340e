import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

interface ListedFile {
  readonly file: string;
  readonly projectName: string;
}

const VITEST = path.join(ROOT, "node_modules", "vitest", "vitest.mjs");
/** Imports of modules that start processes or threads. */
const STARTS_PROCESSES = /from "(?:node:)?(?:child_process|worker_threads|cluster)"/u;

function listed(): readonly ListedFile[] {
  return JSON.parse(
    execFileSync(process.execPath, [VITEST, "list", "--filesOnly", "--json"], { cwd: ROOT, encoding: "utf8" }),
  ) as ListedFile[];
}

function testsOf(folder: string): readonly string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "dist" ? [] : testsOf(place);
    return entry.name.endsWith(".test.ts") ? [place] : [];
  });
}

describe("the projects of tests", () => {
  const files = listed();

  it("have each test file once", () => {
    const all = ["packages", "apps", "tooling", "examples"].flatMap((group) => testsOf(path.join(ROOT, group)));
    expect(files.map(({ file }) => path.normalize(file)).toSorted()).toEqual(all.toSorted());
  });

  it("start no processes in unit tests", () => {
    const unit = files.filter(({ projectName }) => projectName === "unit").map(({ file }) => file);
    expect(unit.length).toBeGreaterThan(100);
    expect(unit.filter((file) => STARTS_PROCESSES.test(fs.readFileSync(file, "utf8")))).toEqual([]);
  });
});
