import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Page } from "./markdown.ts";
import { pathOfUrl } from "./repository-url.ts";
import { ROOT } from "./workspace.ts";

/** Returns the links within the repository: relative ones, and web addresses of its files. */
export function linksOf(page: Page): readonly string[] {
  return allLinksOf(page).filter((link) => !isElsewhere(link));
}

/** True for a link that leads out of the repository. */
function isElsewhere(link: string): boolean {
  return /^[a-z]+:/.test(link) && pathOfUrl(link) === undefined;
}

/** Returns every link of a page outside of code. */
export function allLinksOf({ text }: Page): readonly string[] {
  const prose = text.replace(FENCED, "").replace(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)>\s]+)>?[^)]*\)/g)];
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  return [...inline, ...defined].map(([, link = ""]) => link);
}

/** A fenced block. Its fence has more backticks if the block contains fences. */
const FENCED = /^(`{3,})[\s\S]*?^\1$/gm;

/** Returns the repository file that a link leads to, and the heading in it. */
export function targetOf(from: string, link: string): { readonly path: string; readonly anchor: string | undefined } {
  const [file = "", anchor] = decodeURI(link).split("#");
  const ofUrl = pathOfUrl(file);
  if (ofUrl !== undefined) return { path: ofUrl === "" ? "README.md" : ofUrl, anchor };
  return { path: file === "" ? from : posix.normalize(posix.join(posix.dirname(from), file)), anchor };
}

/** Tells whether the target of a link within the repository exists. */
export function targetExists(page: Page, link: string): boolean {
  const { path, anchor } = targetOf(page.path, link);
  const file = join(ROOT, path);
  if (path.startsWith("..") || !existsSync(file)) return false;
  return anchor === undefined || (dirname(path) !== "" && anchorsOf(readFileSync(file, "utf8")).has(anchor));
}

/** Returns the anchors of headings, as GitHub generates them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replace(FENCED, "").matchAll(/^#+ (.*)$/gm)) {
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
