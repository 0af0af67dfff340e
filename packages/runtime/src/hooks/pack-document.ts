import { contextOfNotes, type TokenCounter, type WorkNotes, writeHandoff } from "@workrail/core";
import { estimated } from "./estimated.ts";

const estimating: TokenCounter = { count: async (text) => estimated(text), load: async () => estimated };

/** The state of the work as a handoff, within a budget. */
export async function writePackDocument(notes: WorkNotes, budgetTokens: number): Promise<string> {
  return (await writeHandoff({ context: contextOfNotes(notes), pins: [], budgetTokens }, estimating)).markdown;
}
