import { expect, it } from "vitest";
import { commentOpenings } from "./comment-openings.ts";

/** Words that open sentences which a reader must translate, such as "What it finds, nobody could put right". */
const RIDDLES = ["What", "Whether", "Of", "Who", "Those"];

it("comments open with a subject or a verb", () => {
  const openings = commentOpenings();
  expect(openings.length).toBeGreaterThan(1_000);
  expect(openings.filter(({ word }) => RIDDLES.includes(word)).map(({ place, word }) => `${place} ${word}`)).toEqual([]);
});
