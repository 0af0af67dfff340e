import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { JUDGED_ABOUT, JUDGED_NOTES, JUDGED_QUESTIONS, type JudgedQuestion } from "./judged-questions.ts";
import { KINDS, type Place } from "./stores.ts";

const OWN = "/own";

async function fill(place: Place): Promise<void> {
  for (const project of ["other", undefined] as const) {
    const root = project === undefined ? OWN : "/other";
    await using workrail = await place.open({ project: root });
    for (const note of JUDGED_NOTES.filter((each) => each.project === project)) {
      await workrail.saveCheckpoint({ sessionId: note.id, checkpointId: note.id, context: { text: note.text } });
    }
  }
}

/** Normalised discounted cumulative gain of the first ten hits: 1 when `best` rank first, then `good`. */
function gainOf({ best, good = [] }: JudgedQuestion, found: readonly string[]): number {
  const worth = (id: string): number => (best.includes(id) ? 3 : good.includes(id) ? 1 : 0);
  const sum = (ids: readonly string[]): number => ids.slice(0, 10).reduce((all, id, at) => all + worth(id) / Math.log2(at + 2), 0);
  return sum(found) / sum([...best, ...good]);
}

async function gains(workrail: Workrail): Promise<Record<string, number>> {
  const means: Record<string, number> = {};
  for (const about of JUDGED_ABOUT) {
    const asked = JUDGED_QUESTIONS.filter((each) => each.about === about);
    let sum = 0;
    for (const question of asked) {
      const { hits } = await workrail.searchCheckpoints({ query: question.query, limit: 10 });
      const ids = hits.map(({ checkpoint }) => checkpoint.id);
      const gain = gainOf(question, ids);
      sum += gain;
    }
    means[about] = sum / asked.length;
  }
  return means;
}

/** Lower bounds of the gain for each kind of query, from the last measurement. With exact words only: .83, .36, .77, .74, .80. */
const LEAST: Readonly<Record<string, number>> = {
  "whole before beginnings": 0.97,
  "rare before frequent": 1,
  synonyms: 0.99,
  inflections: 0.99,
  "own project": 1,
};

describe.each(KINDS)("judged questions in $kind", ({ at }) => {
  it("are answered at least as well as before", () =>
    at(async (place) => {
      await fill(place);
      await using workrail = await place.open({ project: OWN });
      const reached = await gains(workrail);
      const lower = Object.entries(LEAST).filter(([about, least]) => !((reached[about] ?? 0) >= least - 1e-9));
      expect([lower, reached]).toEqual([[], reached]);
    }));
});
