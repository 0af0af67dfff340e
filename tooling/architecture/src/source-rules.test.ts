import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

const sources = globSync("{packages,apps,tooling,examples}/*/src/**/*.ts", { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));

/** Rules that the linter does not have. */
describe("sources", () => {
  it("re-export by name, never everything", () => {
    expect(sources.filter((path) => /^export \*/m.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  it("are named after what they hold, not after what they are", () => {
    const vague = /\/(utils?|helpers?|common|types|misc|shared)\.ts$/;
    expect(sources.filter((path) => vague.test(path))).toEqual([]);
  });
});
