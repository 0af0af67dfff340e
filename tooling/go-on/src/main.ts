import { parseArgs } from "node:util";
import { SETS, statesOf } from "./all-states.ts";
import { type HandedOver, handOver, MODES } from "./hand-over.ts";

/** Prints the share of answered questions by set and mode; with `--show` also the unanswered ones. */
const { values } = parseArgs({
  options: { budgets: { type: "string", default: "1000,2000,4000" }, only: { type: "string" }, show: { type: "boolean", default: false } },
});
const budgets = values.budgets.split(",").map(Number);
const rows: Record<string, string | number>[] = [];
for (const set of SETS) {
  const states = (await statesOf(set)).filter(({ name }) => values.only === undefined || name === values.only);
  const results: HandedOver[] = [];
  for (const state of states) {
    const handed = await handOver(state, budgets);
    results.push(...handed);
    if (!values.show) continue;
    for (const { mode, budget, unanswered } of handed) {
      if (mode === "view" && unanswered.length > 0)
        process.stdout.write(`${set} ${state.name} ${budget}: ${unanswered.map(({ q }) => q).join(" / ")}\n`);
    }
  }
  for (const mode of MODES) {
    const of = (budget: number): string => {
      const ones = results.filter((each) => each.mode === mode && each.budget === budget);
      const missed = ones.reduce((sum, { unanswered }) => sum + unanswered.length, 0);
      return (1 - missed / (ones.length * 10)).toFixed(2);
    };
    if (states.length > 0) rows.push({ set, mode, ...Object.fromEntries(budgets.map((budget) => [`in ${budget}`, of(budget)])) });
  }
}
console.table(rows);
