import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { NotWhole, WorkrailServer } from "./workrail-server.ts";

/** What an agent gets that can afford so many tokens. */
export interface BudgetedView {
  /** Absent: as much as an answer may ever hold. */
  readonly budgetTokens: number | undefined;
  readonly answerTokens: number;
  readonly whole: number;
  readonly of: number;
  readonly leftOut: number;
  /** The entry marked as critical is among those that are whole. */
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
    const { kept: whole = given, dropped: leftOut = 0, entries = [] } = view.report ?? {};
    views.push({
      budgetTokens,
      answerTokens: countTokens(JSON.stringify(view), { disallowedSpecial: new Set() }),
      whole,
      of: given + leftOut,
      leftOut,
      hasCritical: Object.hasOwn(view.context, criticalKey),
      shortened: entries.filter(({ tokensAfter }) => tokensAfter > 0).toSorted((left, right) => right.tokensBefore - left.tokensBefore),
    });
  }
  return views;
}
