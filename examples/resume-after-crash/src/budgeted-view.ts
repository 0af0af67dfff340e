import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { WorkrailServer } from "./workrail-server.ts";

/** What an agent gets that can afford so many tokens. */
export interface BudgetedView {
  /** Absent: as much as an answer may ever hold. */
  readonly budgetTokens: number | undefined;
  readonly answerTokens: number;
  readonly given: number;
  readonly of: number;
  /** The entry marked as critical is among those given. */
  readonly hasCritical: boolean;
  readonly leftOut: readonly { readonly key: string; readonly characters: number }[];
}

const BUDGETS = [2_000, 5_000, undefined];

/** Loads the latest checkpoint under smaller and larger budgets. */
export async function loadUnderBudgets(server: WorkrailServer, sessionId: string, criticalKey: string): Promise<BudgetedView[]> {
  const views: BudgetedView[] = [];
  for (const budgetTokens of BUDGETS) {
    const view = await server.load({ sessionId, ...(budgetTokens === undefined ? {} : { budgetTokens }) });
    const given = Object.keys(view.context).length;
    views.push({
      budgetTokens,
      answerTokens: countTokens(JSON.stringify(view), { disallowedSpecial: new Set() }),
      given,
      of: given + (view.omitted?.count ?? 0),
      hasCritical: Object.hasOwn(view.context, criticalKey),
      leftOut: view.omitted?.entries ?? [],
    });
  }
  return views;
}
