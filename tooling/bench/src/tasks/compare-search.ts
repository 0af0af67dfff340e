import fs from "node:fs";
import path from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Random } from "../random.ts";
import { ownCpuMs, untilQuiet } from "../rest.ts";
import { noteOf, someWord } from "../search-text.ts";
import { type Summary, summarize } from "../statistics.ts";
import { BareNotes } from "./bare-notes.ts";
import { openLibrary } from "./open-library.ts";
import { QUESTIONS, type QuestionKind, questionsFor, type SearchInput } from "./search-questions.ts";

export interface SearchSummary {
  readonly textBytes: number;
  readonly indexBytes: number;
  readonly indexMs: number;
  readonly asked: Readonly<Record<QuestionKind, Answered>>;
  readonly all: Answered;
}

/** Milliseconds of an answer: elapsed, and of the processor, which other load does not affect. */
export interface Answered {
  readonly library: Summary;
  readonly floor: Summary;
  readonly libraryCpu: Summary;
  readonly floorCpu: Summary;
}

type Times = { readonly [Which in keyof Answered]: number[] };

/** Asks the library and an FTS5 table of the same notes the same queries, in turns. */
export async function compareSearch(input: SearchInput): Promise<SearchSummary> {
  const { bare, textBytes } = makeFloor(input);
  const { indexMs, indexBytes } = await makeIndex(input);
  const library = await openLibrary(input.dataDir);
  await untilQuiet();
  const asked = Object.fromEntries(QUESTIONS.map((kind): [QuestionKind, Times] => [kind, noTimes()])) as Record<QuestionKind, Times>;
  for (const { kind, params, match } of questionsFor(input)) {
    const floor = await timed(async () => bare.ask(match));
    asked[kind].floor.push(floor.ms);
    asked[kind].floorCpu.push(floor.cpuMs);
    const own = await timed(() => library.searchCheckpoints(params));
    asked[kind].library.push(own.ms);
    asked[kind].libraryCpu.push(own.cpuMs);
  }
  await library.close();
  bare.close();
  const summaries = Object.entries(asked).map(([kind, times]) => [kind, summarized([times])]);
  return {
    textBytes,
    indexBytes,
    indexMs,
    asked: Object.fromEntries(summaries) as SearchSummary["asked"],
    all: summarized(Object.values(asked)),
  };
}

function noTimes(): Times {
  return { library: [], floor: [], libraryCpu: [], floorCpu: [] };
}

function summarized(times: readonly Times[]): Answered {
  const all = (which: keyof Answered): Summary => summarize(times.flatMap((each) => each[which]));
  return { library: all("library"), floor: all("floor"), libraryCpu: all("libraryCpu"), floorCpu: all("floorCpu") };
}

async function timed(work: () => Promise<unknown>): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  await yieldToEventLoop();
  const cpuBefore = ownCpuMs();
  const started = performance.now();
  await work();
  return { ms: performance.now() - started, cpuMs: ownCpuMs() - cpuBefore };
}

function makeFloor({ dataDir, sessions, checkpoints }: SearchInput): { readonly bare: BareNotes; readonly textBytes: number } {
  const bare = new BareNotes(dataDir);
  const { database } = bare;
  database.exec("PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE note USING fts5 (text, content = '')");
  const insert = database.prepare("INSERT INTO note (rowid, text) VALUES (?, ?)");
  let textBytes = 0;
  database.exec("BEGIN");
  for (let session = 0; session < sessions; session++) {
    for (let step = 0; step < checkpoints; step++) {
      const note = noteOf(session, step);
      textBytes += note.length;
      insert.run(session * checkpoints + step + 1, note);
    }
  }
  database.exec("COMMIT; INSERT INTO note (note) VALUES ('optimize')");
  return { bare, textBytes };
}

async function makeIndex({ dataDir }: SearchInput): Promise<{ readonly indexMs: number; readonly indexBytes: number }> {
  const library = await openLibrary(dataDir);
  const started = performance.now();
  while ((await library.searchCheckpoints({ query: someWord(new Random(2)) })).indexPending !== undefined);
  const indexMs = performance.now() - started;
  // Wait for the background, which makes the index smaller.
  await untilQuiet();
  await library.close();
  return { indexMs, indexBytes: fs.statSync(path.join(dataDir, "search.db")).size };
}
