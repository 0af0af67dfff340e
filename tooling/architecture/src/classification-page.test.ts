import { describe, expect, it } from "vitest";
import { FOREIGN_WORDS, linesOf } from "../../../packages/classifier/src/foreign-words.ts";
import { readPage, sectionOf, tableOf } from "./markdown.ts";

const LANGUAGES = ["German", "French", "Spanish", "Chinese", "Japanese"] as const;

describe("docs/reference/classification.md", () => {
  const rows = tableOf(sectionOf(readPage("docs/reference/classification.md"), "## Words in other languages"));

  it.each(LANGUAGES)("has the words for keys in %s", (language) => {
    const column = LANGUAGES.indexOf(language) + 1;
    const told = rows.flatMap((cells) => wordsOf(cells[column] ?? "").map((word) => `${cells[0]}: ${word}`));
    const known = linesOf(FOREIGN_WORDS[language]).flatMap(([english, foreign]) => foreign.map((word) => `${english}: ${word}`));
    expect(known.length).toBeGreaterThan(100);
    expect(told.toSorted()).toEqual(known.toSorted());
  });
});

function wordsOf(cell: string): readonly string[] {
  return cell
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
