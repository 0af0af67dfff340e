import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findSecrets } from "@workrail/secrets";
import { describe, expect, it } from "vitest";
import { PERSONAL_DATA_RULES } from "../../../packages/secrets/src/personal-data-rules.ts";
import { SECRET_RULES } from "../../../packages/secrets/src/rule-scanner.ts";
import { plain, readPage, sectionOf, tableOf } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

describe("docs/reference/secret-rules.md", () => {
  const page = readPage("docs/reference/secret-rules.md");

  it.each([
    ["## Secrets", SECRET_RULES],
    ["## Personal data", PERSONAL_DATA_RULES],
  ] as const)("has the rules there are under %s", (heading, rules) => {
    const told = tableOf(sectionOf(page, heading)).map(([id, kind]) => [plain(id), plain(kind)]);
    expect(told).toEqual(rules.map(({ id, kind }) => [id, kind]));
  });
});

describe("this repository", () => {
  it("has no secrets by the rules, except those planted in tests", () => {
    const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
      .split("\0")
      .filter((file) => file !== "" && !file.endsWith(".test.ts"));
    const texts = files.map((file) => ({ file, text: JSON.stringify(readFileSync(join(ROOT, file), "utf8")) }));
    expect(texts.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(2_000_000);
    const found = texts.flatMap(({ file, text }) => findSecrets(text).map(({ rule }) => `${file}: ${rule}`));
    expect(found).toEqual([]);
  });
});
