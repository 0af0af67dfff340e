import { untilQuiet } from "../rest.ts";
import { BareNotes } from "./bare-notes.ts";
import { openLibrary } from "./open-library.ts";
import type { Question } from "./search-questions.ts";

export interface FirstSearchInput {
  readonly dataDir: string;
  readonly question: Question;
  /** `table`: the baseline that the library is compared with. */
  readonly of: "library" | "table";
  /** True to ask after all background work, false to ask right after opening. */
  readonly atRest: boolean;
}

/** Returns the milliseconds from the query to the answer, in a process that has only opened the store or table. */
export async function firstSearch({ dataDir, question, of, atRest }: FirstSearchInput): Promise<number> {
  const opened = of === "library" ? await openStore(dataDir, question) : openTable(dataDir, question);
  if (atRest) await untilQuiet();
  const started = performance.now();
  await opened.ask();
  const ms = performance.now() - started;
  await opened.close();
  return ms;
}

interface Opened {
  ask(): unknown;
  close(): unknown;
}

async function openStore(dataDir: string, { params }: Question): Promise<Opened> {
  const library = await openLibrary(dataDir);
  return { ask: () => library.searchCheckpoints(params), close: () => library.close() };
}

function openTable(dataDir: string, { match }: Question): Opened {
  const bare = new BareNotes(dataDir);
  return { ask: () => bare.ask(match), close: () => bare.close() };
}
