import { type AskedDocuments, Ranking, ScoreSheet } from "@workrail/search";
import { expect, it } from "vitest";
import { AskedLists } from "./asked-lists.ts";

const TERM = { term: "tabl", weight: 1, instead: { terms: ["tablet"], beginning: "table" } };

/** Ranks the documents of one term, and returns what each round trip asked for. */
async function roundsFor(documents: number): Promise<string[][]> {
  const rounds: string[][] = [];
  const numbers = Array.from({ length: documents }, (_, index) => index + 1);
  const lists = new AskedLists(async (asked: readonly AskedDocuments[]) => {
    rounds.push(asked.map(({ having, words }) => `${having} ${words.join(" ")}`));
    return asked.map(({ words }) => (words[0] === TERM.term ? numbers : []));
  });
  await lists.complete(() => new Ranking(lists, { terms: [TERM], required: [] }, { sheet: new ScoreSheet(), texts: 10_000 }));
  return rounds;
}

it("asks for all that depends on a term in one more round", async () => {
  expect(await roundsFor(20)).toEqual([["all tabl"], ["all tabl+", "all tabl*", "all tabl#", "any tablet", "beginning table"]]);
});

it("asks for no substitutes of a term that enough documents have", async () => {
  expect(await roundsFor(400)).toEqual([["all tabl"], ["all tabl+", "all tabl*", "all tabl#"]]);
});

it("asks for the substitutes of a term that no document has", async () => {
  expect(await roundsFor(0)).toEqual([["all tabl"], ["any tablet", "beginning table"]]);
});
