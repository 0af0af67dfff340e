import type { Workrail } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { sizesOf, sum, tokensOfMessage } from "./count-tokens.ts";
import { parseBudget, trim } from "./trim-messages.ts";

/** Part of the budget that is filled, so that the next steps need no trimming and the beginning stays in the provider's cache. */
const FILLED = 0.7;

/** Trims the messages of a run when they outgrow the model. */
export class StepTrimmer {
  readonly #store: Workrail;
  readonly #sessionId: string;
  readonly #budgetTokens: number | undefined;

  constructor(store: Workrail, how: { readonly sessionId: string; readonly budgetTokens: number | undefined }) {
    this.#store = store;
    this.#sessionId = how.sessionId;
    this.#budgetTokens = how.budgetTokens === undefined ? undefined : parseBudget(how.budgetTokens);
  }

  /** Returns messages in place of the given ones when those exceed the budget. */
  async trim(given: readonly ModelMessage[], history: readonly ModelMessage[]): Promise<{ messages?: ModelMessage[] }> {
    const budgetTokens = this.#budgetTokens;
    if (budgetTokens === undefined) return {};
    if (sum(await sizesOf(given, tokensOfMessage(this.#store))) <= budgetTokens) return {};
    const target = Math.max(1_000, Math.floor(budgetTokens * FILLED));
    // The session has all messages. An aside of each step that is held for days would fill it.
    const options = { messages: history, sessionId: this.#sessionId, budgetTokens: target, isHeld: false };
    const { messages } = await trim(this.#store, options);
    return { messages };
  }
}
