import type { JsonValue } from "@workrail/core";
import type { LiveContext } from "@workrail/runtime";

/** Work that an engine does in order: phases, each of which is a loop over items. */
export interface Workflow {
  readonly id: string;
  /** The initial context. */
  readonly start: { readonly [key: string]: JsonValue };
  readonly phases: readonly WorkflowPhase[];
}

export interface WorkflowPhase {
  readonly name: string;
  /** Returns the items of the loop, from the context at the beginning of the phase. */
  items(live: LiveContext): readonly string[];
  /** Processes one item, and writes the results to the context. */
  work(item: string, live: LiveContext): void;
}

const PAGES: { readonly [name: string]: string } = {
  "apples.txt": "Apples keep for months in a cool cellar. A cool cellar is dry.",
  "honey.txt": "Honey keeps for years. It need not be cool.",
  "milk.txt": "Milk keeps for days, and only where it is cool.",
  "rice.txt": "Rice keeps for years where it is dry.",
  "salt.txt": "Salt keeps for ever. It must be dry, dry, dry.",
};

/** Reads pages, then builds a register of their words, to which each page adds its own. */
export const wordRegister: Workflow = {
  id: "word-register",
  start: { goal: "A register of the words of all pages, with how often each is used", pages: {}, register: {}, total: 0 },
  phases: [
    {
      name: "collect",
      items: () => Object.keys(PAGES),
      work: (page, live) => live.update("pages", (pages) => ({ ...(pages as object), [page]: wordsOf(PAGES[page] ?? "") })),
    },
    {
      name: "register",
      items: (live) => Object.keys(live.get("pages") as object),
      work(page, live) {
        const words = (live.get("pages") as { readonly [page: string]: readonly string[] })[page] ?? [];
        const register = { ...(live.get("register") as { readonly [word: string]: number }) };
        for (const word of words) register[word] = (register[word] ?? 0) + 1;
        // Processing the same page twice would count it twice. The engine therefore saves the progress of the loop and the results
        // together.
        live.merge({ register, total: (live.get("total") as number) + words.length });
      },
    },
  ],
};

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}
