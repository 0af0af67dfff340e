import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { allPages, type Page } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const pages = allPages();

describe("links between pages", () => {
  it.each(pages.map((page) => [page.path, page] as const))("of %s lead somewhere", (_, page) => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
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

/** Links that stay inside of the repository. */
function linksOf({ text }: Page): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)>\s]+)>?[^)]*\)/g)];
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  return [...inline, ...defined].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

function targetOf(from: string, link: string): { path: string; anchor: string | undefined } {
  const [file = "", anchor] = decodeURI(link).split("#");
  return { path: file === "" ? from : posix.normalize(posix.join(posix.dirname(from), file)), anchor };
}

function leadsSomewhere(page: Page, link: string): boolean {
  const { path, anchor } = targetOf(page.path, link);
  const file = join(ROOT, path);
  if (path.startsWith("..") || !existsSync(file)) return false;
  return anchor === undefined || (dirname(path) !== "" && anchorsOf(readFileSync(file, "utf8")).has(anchor));
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
