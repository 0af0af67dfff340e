import { appendFileSync } from "node:fs";
import { tool, type ToolSet } from "ai";
import { z } from "zod";
import type { Turn } from "./scripted-model.ts";

const FILES = ["bread.txt", "cheese.txt", "milk.txt", "honey.txt", "salt.txt"];

/** The turns of the model: it registers one invoice in each step, and then tells of it. */
export const TURNS: readonly Turn[] = [
  ...FILES.map((file) => ({ tool: "register", input: { file } })),
  `${FILES.length} invoices are registered.`,
];

/** Tools that register invoices in a file, one line each. */
export function invoiceTools(ledger: string): ToolSet {
  return {
    register: tool({
      description: "Registers an invoice.",
      inputSchema: z.object({ file: z.string() }),
      execute: ({ file }) => {
        appendFileSync(ledger, `${file}\n`);
        return { file, registered: true };
      },
    }),
  };
}
