import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Limits of every answer, unless the caller asks for everything. */
const CEILING = { tokens: 10_000, characters: 45_000 } as const;

export interface AnswerSize {
  readonly tokens: number;
  readonly characters: number;
}

/** Returns the size of an answer as JSON, with tokens in the encoding of current models. */
export function sizeOfAnswer(answer: object): AnswerSize {
  const text = JSON.stringify(answer);
  return { tokens: tokensOf(text), characters: text.length };
}

/** Returns the tokens of a text in the encoding of current models. */
export function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}

/** Returns the exceeded limits; empty when the answer is within them. */
export function excessOf(answer: object, ceiling: AnswerSize = CEILING): Partial<AnswerSize> {
  const size = sizeOfAnswer(answer);
  return {
    ...(size.tokens > ceiling.tokens ? { tokens: size.tokens } : {}),
    ...(size.characters > ceiling.characters ? { characters: size.characters } : {}),
  };
}
