import type { CheckpointId, Room, TokenCounter, ViewBudget } from "@workrail/core";
import type { Settings } from "./settings.ts";

/** For brackets and commas between what is counted, and what a server adds. */
export const AROUND: Room = { tokens: 30, characters: 100 };

/**
 * The room that an answer leaves for its content, once the frame, which is everything else in it, is counted.
 *
 * A token is at least one byte: where the bytes of frame and content are few enough, no token is counted, and the
 * tokenizer's tables need not be loaded.
 */
export async function answerBudget(
  frame: object,
  contentBytes: number,
  budgetTokens: number | undefined,
  settings: Pick<Settings, "maxAnswerTokens" | "maxAnswerCharacters">,
  counter: TokenCounter,
): Promise<ViewBudget> {
  const text = JSON.stringify(frame);
  const frameBytes = Buffer.byteLength(text);
  const isPlentiful =
    frameBytes + contentBytes + AROUND.tokens <= Math.min(budgetTokens ?? settings.maxAnswerTokens, settings.maxAnswerTokens);
  const frameTokens = isPlentiful ? frameBytes : await counter.count(text);
  const taken = { tokens: frameTokens + AROUND.tokens, characters: text.length + AROUND.characters };
  const left = (tokens: number): Room => {
    return { tokens: tokens - taken.tokens, characters: settings.maxAnswerCharacters - taken.characters };
  };
  return {
    ceiling: left(settings.maxAnswerTokens),
    wanted: left(Math.min(budgetTokens ?? settings.maxAnswerTokens, settings.maxAnswerTokens)),
  };
}

/** How many tokens more than so many a text has; 0 where it has fewer. A token is at least one byte: what is short enough needs no tokenizer. */
export async function tokensBeyond(most: number, text: string, counter: TokenCounter): Promise<number> {
  return Buffer.byteLength(text) <= most ? 0 : Math.max(0, (await counter.count(text)) - most);
}

/** How many of the first texts fit together. */
export async function countFitting(texts: readonly string[], room: Room, counter: TokenCounter): Promise<number> {
  let { tokens, characters } = room;
  for (const [index, text] of texts.entries()) {
    characters -= text.length + 1;
    tokens -= (await counter.count(text)) + 1;
    if (characters < 0 || tokens < 0) return index;
  }
  return texts.length;
}

/** What to do about what is not whole, in one line for a model; the answer names the checkpoint. */
export const HOW: string =
  'For originals call workflow_checkpoint_load with this checkpointId and keys: ["name"]; range: {offset, limit} for a part of one, cursor for more names.';

/** The same in a document, which may be read without the answer. */
export function howOf(checkpointId: CheckpointId): string {
  return HOW.replace("this checkpointId", `checkpointId ${checkpointId}`);
}
