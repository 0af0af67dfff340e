import { type Context, type CountTokens, cutText, type JsonValue } from "@workrail/core";
import type { View, ViewOptions } from "../view/build-view.ts";
import type { ShorterValue } from "../view/choose-entries.ts";
import { isWithin, measure, type Room } from "../view/room.ts";
import { type AdvancedMode, askCondenser, type CondenserAnswer, type CondenseRequest } from "./ask-condenser.ts";

/** Report on the part of an external condenser. */
export interface AdvancedReport {
  /** Name of the condenser. */
  readonly by: string;
  /** Number of entries replaced by its answers. */
  readonly condensed: number;
  /** Entries without a usable answer, with the reasons. They are condensed without it. */
  readonly fellBack: readonly FellBack[];
}

export interface FellBack {
  /** Shortened when very long. */
  readonly key: string;
  readonly why: string;
}

/** Largest number of entries to ask for, all at the same time: the entries with the most tokens left. */
const MOST_ASKED = 4;
const LONGEST_WHY = 160;
const LONGEST_KEY = 120;

/** Longest possible report, for callers that reserve room for it. */
export const LONGEST_ADVANCED_REPORT: AdvancedReport = {
  by: "x ".repeat(LONGEST_KEY / 2),
  condensed: MOST_ASKED,
  fellBack: Array.from({ length: MOST_ASKED }, () => ({ key: "x ".repeat(LONGEST_KEY / 2), why: "x ".repeat(LONGEST_WHY / 2) })),
};

interface Compression {
  readonly advanced: AdvancedMode;
  readonly count: CountTokens;
  readonly context: Context;
  readonly options: ViewOptions;
}

interface EntryRequest extends CondenseRequest {
  readonly key: string;
  /** Tokens of the basic result. */
  readonly tokens: number;
}

/**
 * Shapes the context without the condenser first, which determines the room of each entry, then once more with the answers in
 * place of the condensed entries.
 */
export async function compressAdvanced<V extends View>(
  shape: (options: ViewOptions) => Promise<V>,
  { advanced, count, context, options }: Compression,
): Promise<V & { readonly advanced?: AdvancedReport }> {
  const shortened = new Map<JsonValue, { readonly room: Room; readonly shorter: ShorterValue | undefined }>();
  const basic = await shape({
    ...options,
    *shorten(value, room) {
      const shorter = options.shorten && (yield* options.shorten(value, room, count));
      shortened.set(value, { room, shorter });
      return shorter;
    },
  });
  const condensed = Object.entries(basic.context).flatMap(([key, shown]): EntryRequest[] => {
    const value = context[key] as JsonValue;
    const { room, shorter } = shortened.get(value) ?? {};
    if (room === undefined || shorter?.outcome !== "condensed" || shorter.value !== shown) return [];
    return [{ key, value, room, basic: shown, tokens: shorter.tokens, focus: options.focus }];
  });
  if (condensed.length === 0) return basic;
  const requests = condensed.sort((left, right) => right.tokens - left.tokens).slice(0, MOST_ASKED);
  const answers = new Map<JsonValue, CondenserAnswer>();
  await Promise.all(requests.map(async (request) => answers.set(request.value, await askCondenser(advanced, count, request))));
  const isAnswered = [...answers.values()].some((answer) => "text" in answer);
  const shaped = isAnswered ? await shape({ ...options, shorten: withAnswers(answers, count, options.shorten) }) : basic;
  const fellBack = requests.flatMap(({ key, value }): FellBack[] => {
    const answer = answers.get(value) as CondenserAnswer;
    if ("text" in answer && shaped.context[key] === answer.text) return [];
    const why = "why" in answer ? answer.why : "Its answer does not fit with the other entries.";
    return [{ key: cutText(key, LONGEST_KEY), why: cutText(why, LONGEST_WHY) }];
  });
  const by = cutText(advanced.condenser.name, LONGEST_KEY);
  return { ...shaped, advanced: { by, condensed: requests.length - fellBack.length, fellBack } };
}

function withAnswers(
  answers: ReadonlyMap<JsonValue, CondenserAnswer>,
  count: CountTokens,
  shorten: ViewOptions["shorten"],
): ViewOptions["shorten"] {
  return function* (value, room) {
    const answer = answers.get(value);
    if (answer !== undefined && "text" in answer) {
      const size = measure(JSON.stringify(answer.text), count);
      if (isWithin(size, room)) return { value: answer.text, tokens: size.tokens, outcome: "condensed" };
    }
    return shorten && (yield* shorten(value, room, count));
  };
}
