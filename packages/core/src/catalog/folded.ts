import type { NewRecord } from "../model/checkpoint.ts";
import { searchableAttributes } from "../model/git-state.ts";

/**
 * Returns the texts of a checkpoint that `Where.words` are looked for in, in lower case. Joined with line breaks, so that a word never
 * matches across two of them.
 */
export function foldedLabels({ name, tags, workflowId, agentId, attributes }: NewRecord): string {
  const told = searchableAttributes(attributes);
  const text = Object.keys(told).length === 0 ? "" : JSON.stringify(told);
  return [name, ...tags, workflowId, agentId, text].join("\n").toLowerCase();
}

/** Returns the forms of a word to look for in `foldedLabels`: as it is, and as in JSON, since attributes are searched as JSON. */
export function foldedForms(word: string): readonly string[] {
  return [...new Set([word, JSON.stringify(word).slice(1, -1)])].map((form) => form.toLowerCase());
}
