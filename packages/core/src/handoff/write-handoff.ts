import { classifyContext } from "../classify/classify-context.ts";
import type { CompiledRules } from "../classify/compile-rules.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { type DocumentInput, type Handoff, writeDocument } from "./write-document.ts";

/** A context without classifications, and a budget for the document about it. */
export interface HandoffInput extends Omit<DocumentInput, "classifications"> {
  /** Keys that were marked critical in the session. */
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
