import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** What no answer may go beyond unless the caller asks for everything. */
const CEILING = { tokens: 10_000, characters: 45_000 } as const;

export interface AnswerSize {
  readonly tokens: number;
  readonly characters: number;
}

/** What an answer takes as JSON, the tokens in the encoding of current models. */
export function sizeOfAnswer(answer: object): AnswerSize {
  const text = JSON.stringify(answer);
  return { tokens: tokensOf(text), characters: text.length };
}

/** Tokens of a text in the encoding of current models. */
export function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}

/** Empty when the answer obeys the ceiling. */
export function excessOf(answer: object, ceiling: AnswerSize = CEILING): Partial<AnswerSize> {
  const size = sizeOfAnswer(answer);
  return {
    ...(size.tokens > ceiling.tokens ? { tokens: size.tokens } : {}),
    ...(size.characters > ceiling.characters ? { characters: size.characters } : {}),
  };
}
