import type { TokenCounter } from "@workrail/core";
import { writeDocument } from "@workrail/views";
import { contextOfNotes, LAYERS_OF_NOTES, type WorkNotes } from "@workrail/views/work-notes";
import { estimated } from "./estimated.ts";

const estimating: TokenCounter = { count: async (text) => estimated(text), load: async () => estimated };

/** The state of the work as a handoff, within a budget. */
export async function writePackDocument(notes: WorkNotes, budgetTokens: number): Promise<string> {
  const context = contextOfNotes(notes);
  return (await writeDocument({ context, classifications: LAYERS_OF_NOTES, budgetTokens }, estimating)).markdown;
}
