import { classifyContext } from "../classify/classify-context.ts";
import type { CompiledRules } from "../classify/compile-rules.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { type DocumentInput, type Handoff, writeDocument } from "./write-document.ts";

/** Unclassified context with the budget of its document. */
export interface HandoffInput extends Omit<DocumentInput, "classifications"> {
  /** Keys marked critical in the session. */
  readonly pins: readonly string[];
  readonly rules?: CompiledRules | undefined;
}

/**
 * Classifies the entries of a context, and writes a document about it.
 *
 * @throws INVALID_INPUT for a budget that is too small.
 */
export async function writeHandoff(input: HandoffInput, counter: TokenCounter): Promise<Handoff> {
  const { context, pins, rules } = input;
  return writeDocument({ ...input, classifications: classifyContext(context, { pins, rules }) }, counter);
}
