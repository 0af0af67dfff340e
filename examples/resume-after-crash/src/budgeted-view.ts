import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { NotWhole, WorkrailServer } from "./workrail-server.ts";

/** Figures of the view of a checkpoint that fits a budget of tokens. */
export interface BudgetedView {
  /** `undefined` for the server's own limit of an answer. */
  readonly budgetTokens: number | undefined;
  readonly answerTokens: number;
  readonly whole: number;
  readonly of: number;
  readonly leftOut: number;
  /** True when the answer holds the critical entry whole. */
  readonly hasCritical: boolean;
  /** The shortened entries, largest first. */
  readonly shortened: readonly NotWhole[];
}

const BUDGETS = [2_000, 5_000, undefined];

/** Loads the latest checkpoint under budgets from small to large. */
export async function loadUnderBudgets(server: WorkrailServer, sessionId: string, criticalKey: string): Promise<BudgetedView[]> {
  const views: BudgetedView[] = [];
  for (const budgetTokens of BUDGETS) {
    const view = await server.load({ sessionId, ...(budgetTokens === undefined ? {} : { budgetTokens }) });
    const given = Object.keys(view.context).length;
    const leftOut = view.omitted?.count ?? 0;
    const entries = view.shortened?.entries ?? [];
    views.push({
      budgetTokens,
      answerTokens: countTokens(JSON.stringify(view), { disallowedSpecial: new Set() }),
      whole: given - (view.shortened?.count ?? 0),
      of: given + leftOut,
      leftOut,
      hasCritical: Object.hasOwn(view.context, criticalKey) && !entries.some(({ key }) => key === criticalKey),
      shortened: entries.toSorted((left, right) => right.characters - left.characters),
    });
  }
  return views;
}
