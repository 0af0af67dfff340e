import { describe, expect, it } from "vitest";
import { SETS, statesOf } from "./all-states.ts";
import { handOver, type HandedOver, MODES, tokensOf } from "./hand-over.ts";
import { answers } from "./read-answer.ts";
import type { WorkingState } from "./working-state.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const BUDGETS = [1_000, 2_000, 4_000];
/** Lower bounds of the share of answered questions. The aim is .85, .92 and .97 on untuned states, within .05. */
const LEAST = { 1_000: 0.8, 2_000: 0.95, 4_000: 0.97 } as const;
/** Longest note of a colleague, in tokens. */
const LONGEST_NOTE = 300;

/** In the short form, one state of each set is asked for in all ways, and the others in two. */
const ALL_MODES_EVERY = IS_LONG ? 1 : 10;

describe.each(SETS)("the %s set of states", async (set) => {
  const states = await statesOf(set);
  const handed = new Map<WorkingState, readonly HandedOver[]>();
  const of = async (state: WorkingState): Promise<readonly HandedOver[]> => {
    const modes = states.indexOf(state) % ALL_MODES_EVERY === 0 ? MODES : (["view", "summary"] as const);
    const results = handed.get(state) ?? (await handOver(state, BUDGETS, modes));
    handed.set(state, results);
    return results;
  };

  it.each(states)("can be answered from $name whole, and from a colleague's note", ({ context, questions, human }) => {
    const unanswered = (text: string): readonly string[] => questions.filter((each) => !answers(text, each)).map(({ q }) => q);
    expect(unanswered(JSON.stringify(context).replaceAll("\\n", "\n").replaceAll('\\"', '"'))).toEqual([]);
    expect(unanswered(human)).toEqual([]);
    expect(tokensOf(human)).toBeLessThanOrEqual(LONGEST_NOTE);
    expect(questions).toHaveLength(10);
  });

  it.each(states)("hands over $name within every budget at every depth", async (state) => {
    const over = (await of(state)).filter(({ tokens, budget }) => tokens > budget);
    expect(over.map(({ mode, budget, tokens }) => [mode, budget, tokens])).toEqual([]);
  });

  it.each(states)("uses the whole budget for $name if there is more", async (state) => {
    const views = (await of(state)).filter(
      ({ mode, text }) => mode === "view" && (text.includes('"omitted"') || text.includes('"shortened"')),
    );
    expect(views.filter(({ tokens, budget }) => tokens < budget * 0.9).map(({ budget, tokens }) => [budget, tokens])).toEqual([]);
  });

  it.each(BUDGETS)("is answered from %i tokens", async (budget) => {
    const shares = await Promise.all(
      states.map(async (state) => {
        const view = (await of(state)).find((each) => each.mode === "view" && each.budget === budget);
        return 1 - (view?.unanswered.length ?? 10) / 10;
      }),
    );
    expect(shares.reduce((sum, share) => sum + share, 0) / states.length).toBeGreaterThanOrEqual(LEAST[budget as keyof typeof LEAST]);
  });

  it("is answered from a larger budget as well as from a smaller one, and from a view as well as from a summary", async () => {
    const share = async (mode: string, budget: number): Promise<number> => {
      const all = await Promise.all(states.map(async (state) => of(state)));
      const ones = all.flat().filter((each) => each.mode === mode && each.budget === budget);
      return ones.reduce((sum, { unanswered }) => sum + 10 - unanswered.length, 0);
    };
    let smaller = 0;
    for (const budget of BUDGETS) {
      const view = await share("view", budget);
      expect(view).toBeGreaterThanOrEqual(Math.max(smaller, await share("summary", budget)));
      smaller = view;
    }
  });
});
