import type { CheckpointId, TokenCounter } from "@workrail/core";
import type { Room, ViewBudget } from "@workrail/views";
import type { Settings } from "./settings.ts";

/** Reserve for brackets and commas between the counted parts, and for fields that a server adds. */
export const AROUND: Room = { tokens: 30, characters: 100 };

/** Largest share of an answer for the report of what it leaves out. */
const NAMES_SHARE = 1 / 5;

interface PlannedAnswer {
  readonly frame: object;
  readonly contentBytes: number;
  /** Absent: the most that the settings allow. */
  readonly budgetTokens?: number | undefined;
}

/**
 * Computes the room that an answer leaves for its content after the frame, which is everything else in the answer.
 *
 * A token is at least one byte: when frame and content have few enough bytes, nothing is tokenized and the tokenizer's tables stay
 * unloaded.
 */
export async function answerBudget(
  { frame, contentBytes, budgetTokens }: PlannedAnswer,
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
  const wanted = Math.min(budgetTokens ?? settings.maxAnswerTokens, settings.maxAnswerTokens);
  return {
    ceiling: left(settings.maxAnswerTokens),
    wanted: left(wanted),
    names: { tokens: Math.floor(wanted * NAMES_SHARE), characters: settings.maxAnswerCharacters * NAMES_SHARE },
  };
}

/** Returns by how many tokens a text exceeds `most`, or 0. A token is at least one byte, so a short text is not tokenized. */
export async function tokensBeyond(most: number, text: string, counter: TokenCounter): Promise<number> {
  return Buffer.byteLength(text) <= most ? 0 : Math.max(0, (await counter.count(text)) - most);
}

/** Returns how many of the first texts fit into the room together. */
export async function countFitting(texts: readonly string[], room: Room, counter: TokenCounter): Promise<number> {
  let { tokens, characters } = room;
  for (const [index, text] of texts.entries()) {
    characters -= text.length + 1;
    tokens -= (await counter.count(text)) + 1;
    if (characters < 0 || tokens < 0) return index;
  }
  return texts.length;
}

/** Tells a model in one line how to read entries that are shortened or left out. The answer names the checkpoint. */
export const HOW: string =
  'For originals call workflow_checkpoint_load with this checkpointId and keys: ["name"]; range: {offset, limit} for a part of one, cursor for more names.';

/** The same hint for a document, which may be read without the answer and so names the checkpoint. */
export function fetchHint(checkpointId: CheckpointId): string {
  return HOW.replace("this checkpointId", `checkpointId ${checkpointId}`);
}
