import { outlineData, parseData } from "./outline-data.ts";
import { linesOf, outlineLine, outlineLines } from "./outline-lines.ts";
import type { Group, Piece, Unit, Voice } from "./outline.ts";

/** Outlines a text: as JSON if it is JSON, otherwise by lines. */
export function outlineText(text: string, group: Group): Unit[] {
  const data = parseData(text);
  if (data !== undefined) return outlineData(data, group);
  return outlineLines(text, group);
}

/** Returns one piece per paragraph, under the headings above it if requested. */
export function outlineParagraphs(text: string, root: Group, options: { readonly headings: boolean; readonly voice: Voice }): Piece[] {
  const data = parseData(text);
  if (data !== undefined) return [{ units: outlineData(data, root), voice: options.voice }];
  const headings = new Headings(root);
  const pieces: Unit[][] = [[]];
  for (const line of linesOf(text)) {
    const isHeading = options.headings && headings.take(line);
    if (isHeading || line.trim() === "") pieces.push([]);
    // A long line may have more sentences than a function takes arguments.
    if (!isHeading) for (const unit of outlineLine(line, headings.lowest)) pieces.at(-1)?.push(unit);
  }
  return pieces.filter((units) => units.length > 0).map((units) => ({ units, voice: options.voice }));
}

/** Open Markdown headings above the current line. */
class Headings {
  readonly #root: Group;
  readonly #open: { readonly level: number; readonly group: Group }[] = [];

  constructor(root: Group) {
    this.#root = root;
  }

  get lowest(): Group {
    return this.#open.at(-1)?.group ?? this.#root;
  }

  /** Reads a line; returns true when it is a heading. */
  take(line: string): boolean {
    const level = /^(#{1,6})\s+\S/u.exec(line)?.[1]?.length;
    if (level === undefined) return false;
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    this.#open.push({ level, group: { label: line.trim(), parent: this.lowest } });
    return true;
  }
}
