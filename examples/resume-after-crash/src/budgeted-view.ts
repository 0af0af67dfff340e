import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { NotWhole, WorkrailServer } from "./workrail-server.ts";

/** The view of a checkpoint that fits a budget of tokens. */
export interface BudgetedView {
  /** Absent: the most that an answer may hold. */
  readonly budgetTokens: number | undefined;
  readonly answerTokens: number;
  readonly whole: number;
  readonly of: number;
  readonly leftOut: number;
  /** The entry marked as critical is whole. */
  readonly hasCritical: boolean;
  /** The largest first. */
  readonly shortened: readonly NotWhole[];
}

const BUDGETS = [2_000, 5_000, undefined];

/** Loads the latest checkpoint under smaller and larger budgets. */
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
