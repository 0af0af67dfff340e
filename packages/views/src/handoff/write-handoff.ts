import { classifyContext, type ClassifyPorts, type CompiledRules, type TokenCounter } from "@workrail/core";
import { type DocumentInput, type Handoff, writeDocument } from "./write-document.ts";

export interface HandoffPorts extends ClassifyPorts {
  readonly tokens: TokenCounter;
}

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
export async function writeHandoff(ports: HandoffPorts, input: HandoffInput): Promise<Handoff> {
  const { context, pins, rules } = input;
  return writeDocument({ ...input, classifications: await classifyContext(ports, context, { pins, rules }) }, ports.tokens);
}
