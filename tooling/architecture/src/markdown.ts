import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./workspace.ts";

/** A page of documentation. */
export interface Page {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Content of the comment before it: `<!-- run -->` marks a block as `run`. */
  readonly mark: string | undefined;
}

/** Recorded texts, and other pages that are not part of the documentation. */
const NOT_OURS = /(^|\/)(node_modules|dist|authoring|CHANGELOG\.md)(\/|$)/;

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** Every page of the repository. */
export function allPages(): readonly Page[] {
  const paths = globSync(["*.md", "{docs,packages,apps,tooling,examples,.changeset}/**/*.md"], {
    cwd: ROOT,
    exclude: (path) => NOT_OURS.test(path.replaceAll("\\", "/")),
  });
  return paths
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !NOT_OURS.test(path))
    .toSorted()
    .map(readPage);
}

/** Returns the fenced blocks of a text in order. */
export function blocksOf(text: string): readonly Block[] {
  const fenced = /(?:^<!-- (?<mark>[^\n]*?) -->\n+)?^(?<fence>`{3,})(?<language>[^`\n]*)\n(?<text>[\s\S]*?)^\k<fence>$/gm;
  return [...text.matchAll(fenced)].map(({ groups = {} }) => {
    return { language: groups["language"] ?? "", text: groups["text"] ?? "", mark: groups["mark"] };
  });
}

/** Returns the block with a mark. */
export function markedBlock(page: Page, mark: string): string {
  const found = blocksOf(page.text).filter((block) => block.mark === mark);
  if (found[0] === undefined || found.length > 1) throw new Error(`${page.path} has ${found.length} blocks marked ${mark}, not one.`);
  return found[0].text;
}

/** Returns the text under a heading, up to the next one of the same or a higher level. */
export function sectionOf(page: Page, heading: string): string {
  const lines = page.text.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`${page.path} has no heading "${heading}".`);
  const level = heading.indexOf(" ");
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line) && line.indexOf(" ") <= level);
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** Returns the rows of the first table in a text as lists of cells, without the header. */
export function tableOf(text: string): readonly (readonly string[])[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^\|[\s:|-]+\|$/.test(line));
  if (start < 0) throw new Error(`There is no table in: ${text.slice(0, 80)}`);
  const length = lines.slice(start + 1).findIndex((line) => !line.startsWith("|"));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** Returns a cell that consists of code, without its backticks. */
export function plain(cell: string | undefined): string {
  return (cell ?? "").replace(/^`(.*)`$/, "$1");
}
