import { type Workrail, WorkrailError } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { sizesOf, sum, type TokensOfMessage, tokensOfMessage } from "./count-tokens.ts";
import { type LeftOutMessages, viewOfLeftOut } from "./left-out.ts";
import { unitsOf } from "./message-units.ts";

export interface TrimOptions {
  readonly messages: readonly ModelMessage[];
  /** Most tokens of the result, from 1,000. Instructions and tools of the call are not counted. */
  readonly budgetTokens: number;
  /** The session that keeps the messages left out. */
  readonly sessionId: string;
  /** Default: the store's tokenizer, and 1,500 for each file. */
  readonly tokensOf?: TokensOfMessage | undefined;
}

/** Options of a trimming. With `isHeld` the aside stays until `validUntil`; otherwise later asides of the session may replace it. */
interface HeldTrimOptions extends TrimOptions {
  readonly isHeld: boolean;
}

export interface TrimmedMessages {
  readonly messages: ModelMessage[];
  /** Tokens of `messages`. More than the budget when the last message, with the calls that it answers, does not fit. */
  readonly tokens: number;
  /** Absent when nothing is left out. */
  readonly leftOut?: LeftOutMessages;
}

const LEAST_BUDGET_TOKENS = 1_000;
/** Share of the budget for messages of the user. */
const USER_SHARE = 0.5;
/** Share of the budget for the view of omitted messages. */
const VIEW_SHARE = 0.2;
/** The view is bound by the limit of an answer too. */
const MOST_VIEW_TOKENS = 8_000;

/**
 * Fits a conversation into a budget. The newest messages and the user's messages stay whole, as far as they fit; one message with a view of
 * the rest takes its place. Calls of tools are never separated from their results. The same messages and budget give the same result.
 *
 * @throws INVALID_INPUT for a budget under 1,000 tokens; the errors of a save, because the messages left out are kept as an aside.
 */
export function trimMessages(store: Workrail, options: TrimOptions): Promise<TrimmedMessages> {
  return trim(store, { ...options, isHeld: true });
}

export async function trim(store: Workrail, options: HeldTrimOptions): Promise<TrimmedMessages> {
  const { messages, sessionId, isHeld, tokensOf = tokensOfMessage(store) } = options;
  const budgetTokens = parseBudget(options.budgetTokens);
  const sizes = await sizesOf(messages, tokensOf);
  const tokens = sum(sizes);
  if (tokens <= budgetTokens) return { messages: [...messages], tokens };
  const viewTokens = Math.min(MOST_VIEW_TOKENS, Math.floor(budgetTokens * VIEW_SHARE));
  const kept = choose(messages, sizes, budgetTokens - viewTokens);
  const at = messages.findIndex((_, index) => !kept.has(index));
  if (at === -1) return { messages: [...messages], tokens };
  const { message, leftOut } = await viewOfLeftOut(store, { messages, kept, sessionId, viewTokens, tokensOf, isHeld });
  const pick = (from: number, to?: number) => messages.slice(from, to).filter((_, index) => kept.has(from + index));
  const trimmed = [...pick(0, at), message, ...pick(at)];
  return { messages: trimmed, tokens: sum(await sizesOf(trimmed, tokensOf)), leftOut };
}

/** Checks a budget. */
export function parseBudget(budgetTokens: number): number {
  if (Number.isSafeInteger(budgetTokens) && budgetTokens >= LEAST_BUDGET_TOKENS) return budgetTokens;
  throw new WorkrailError("INVALID_INPUT", `budgetTokens must be a whole number from ${LEAST_BUDGET_TOKENS}.`, {
    details: { field: "budgetTokens" },
    hint: "Give the window of the model without its answer, its instructions and its tools.",
  });
}

/** Chooses messages by index: instructions, the user's messages, and the newest units. */
function choose(messages: readonly ModelMessage[], sizes: readonly number[], room: number): ReadonlySet<number> {
  const size = (at: number): number => sizes[at] ?? 0;
  const kept = new Set<number>();
  let left = room;
  const keep = (indexes: readonly number[]): void => {
    for (const at of indexes) {
      if (!kept.has(at)) left -= size(at);
      kept.add(at);
    }
  };
  keep(indexesOf(messages, "system"));
  const units = unitsOf(messages).map(([first, afterLast]) => range(first, afterLast));
  keep(units.at(-1) ?? []);
  let userRoom = Math.min(left, room * USER_SHARE);
  const [first = [], ...later] = indexesOf(messages, "user").map((at) => [at]);
  for (const at of [first, ...later.toReversed()]) {
    const needed = sum(at.map(size));
    if (needed > userRoom) continue;
    userRoom -= needed;
    keep(at);
  }
  for (const unit of units.toReversed()) {
    const needed = sum(unit.filter((at) => !kept.has(at)).map(size));
    if (needed > left) break;
    keep(unit);
  }
  return kept;
}

function indexesOf(messages: readonly ModelMessage[], role: ModelMessage["role"]): readonly number[] {
  return messages.flatMap((message, at) => (message.role === role ? [at] : []));
}

function range(first: number, afterLast: number): readonly number[] {
  return Array.from({ length: afterLast - first }, (_, at) => first + at);
}
