import type { Context, JsonValue } from "../model/context.ts";
import type { CountTokens } from "../ports/environment.ts";
import type { View, ViewHow } from "../view/build-view.ts";
import type { ShorterValue } from "../view/choose-entries.ts";
import { cutText } from "../view/cut-text.ts";
import { isWithin, measure, type Room } from "../view/room.ts";
import { type AdvancedMode, askCondenser, type CondenserAnswer, type CondenseRequest } from "./ask-condenser.ts";

/** What a condenser had a part in. */
export interface AdvancedReport {
  /** Its name. */
  readonly by: string;
  /** Entries that are in its words. */
  readonly condensed: number;
  /** Those that it was asked for in vain, and why; they are condensed without it. */
  readonly fellBack: readonly FellBack[];
}

export interface FellBack {
  /** Shortened when it is very long. */
  readonly key: string;
  readonly why: string;
}

/** The most entries that a condenser is asked for, all at a time: those that most is left of. */
const MOST_ASKED = 4;
const LONGEST_WHY = 160;
const LONGEST_KEY = 120;

/** The most that a report on a condenser says, for whoever has to keep room for it. */
export const LONGEST_ADVANCED_REPORT: AdvancedReport = {
  by: "x ".repeat(LONGEST_KEY / 2),
  condensed: MOST_ASKED,
  fellBack: Array.from({ length: MOST_ASKED }, () => ({ key: "x ".repeat(LONGEST_KEY / 2), why: "x ".repeat(LONGEST_WHY / 2) })),
};

interface Compression {
  readonly advanced: AdvancedMode;
  readonly count: CountTokens;
  readonly context: Context;
  readonly how: ViewHow;
}

interface EntryRequest extends CondenseRequest {
  readonly key: string;
  /** Of what it is shortened to without the condenser. */
  readonly tokens: number;
}

/**
 * First without the condenser, which tells how much room each entry has; then once more, with what it answered in the place
 * of what it was asked for.
 */
export async function compressAdvanced<V extends View>(
  shape: (how: ViewHow) => Promise<V>,
  { advanced, count, context, how }: Compression,
): Promise<V & { readonly advanced?: AdvancedReport }> {
  const shortened = new Map<JsonValue, { readonly room: Room; readonly shorter: ShorterValue | undefined }>();
  const basic = await shape({
    ...how,
    *shorten(value, room) {
      const shorter = how.shorten && (yield* how.shorten(value, room, count));
      shortened.set(value, { room, shorter });
      return shorter;
    },
  });
  const condensed = Object.entries(basic.context).flatMap(([key, shown]): EntryRequest[] => {
    const value = context[key] as JsonValue;
    const { room, shorter } = shortened.get(value) ?? {};
    if (room === undefined || shorter?.outcome !== "condensed" || shorter.value !== shown) return [];
    return [{ key, value, room, basic: shown, tokens: shorter.tokens, focus: how.focus }];
  });
  if (condensed.length === 0) return basic;
  const requests = condensed.sort((left, right) => right.tokens - left.tokens).slice(0, MOST_ASKED);
  const answers = new Map<JsonValue, CondenserAnswer>();
  await Promise.all(requests.map(async (request) => answers.set(request.value, await askCondenser(advanced, count, request))));
  const isAnswered = [...answers.values()].some((answer) => "text" in answer);
  const shaped = isAnswered ? await shape({ ...how, shorten: withAnswers(answers, count, how.shorten) }) : basic;
  const fellBack = requests.flatMap(({ key, value }): FellBack[] => {
    const answer = answers.get(value) as CondenserAnswer;
    if ("text" in answer && shaped.context[key] === answer.text) return [];
    const why = "why" in answer ? answer.why : "Its answer does not fit beside the other entries.";
    return [{ key: cutText(key, LONGEST_KEY), why: cutText(why, LONGEST_WHY) }];
  });
  const by = cutText(advanced.condenser.name, LONGEST_KEY);
  return { ...shaped, advanced: { by, condensed: requests.length - fellBack.length, fellBack } };
}

function withAnswers(
  answers: ReadonlyMap<JsonValue, CondenserAnswer>,
  count: CountTokens,
  shorten: ViewHow["shorten"],
): ViewHow["shorten"] {
  return function* (value, room) {
    const answer = answers.get(value);
    if (answer !== undefined && "text" in answer) {
      const size = measure(JSON.stringify(answer.text), count);
      if (isWithin(size, room)) return { value: answer.text, tokens: size.tokens, outcome: "condensed" };
    }
    return shorten && (yield* shorten(value, room, count));
  };
}
