import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { targetExists, linksOf, targetOf } from "./links.ts";
import { allPages } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const pages = allPages();

describe("links between pages", () => {
  it.each(pages.map((page) => [page.path, page] as const))("of %s lead somewhere", (_, page) => {
    expect(linksOf(page).filter((link) => !targetExists(page, link))).toEqual([]);
  });

  it.each(pages.map((page) => [page.path, page] as const))("and paths that %s names exist", (_, { text }) => {
    const named = [...text.matchAll(/`((?:packages|apps|tooling|examples|scripts|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("reach every page of docs from the README", () => {
    const known = new Set(["README.md"]);
    for (const path of known) {
      const page = pages.find((candidate) => candidate.path === path);
      for (const link of page === undefined ? [] : linksOf(page)) known.add(targetOf(path, link).path);
    }
    expect(pages.map(({ path }) => path).filter((path) => path.startsWith("docs/") && !known.has(path))).toEqual([]);
  });
});
