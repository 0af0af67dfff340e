import fs from "node:fs";
import path from "node:path";
import { setImmediate as othersTurn } from "node:timers/promises";
import type { SearchCheckpointsParams } from "@workrail/runtime";
import Database from "better-sqlite3";
import { Random } from "../random.ts";
import { untilQuiet } from "../rest.ts";
import { noteOf, someWord } from "../search-text.ts";
import { type Summary, summarize } from "../statistics.ts";
import { filledSession } from "./fill-store.ts";
import { openLibrary } from "./open-library.ts";

export interface SearchInput {
  /** Filled with notes. */
  readonly dataDir: string;
  readonly sessions: number;
  /** In each session. */
  readonly checkpoints: number;
  readonly project: string;
  /** Of each kind. */
  readonly questions: number;
  readonly openings: number;
}

export const QUESTIONS = ["one word", "three words", "six words", "three words in a project", "a phrase", "a word spelled wrong"] as const;
export type QuestionKind = (typeof QUESTIONS)[number];

export interface SearchSummary {
  readonly textBytes: number;
  readonly indexBytes: number;
  readonly indexMs: number;
  /** From asking to the answer, of a store just opened. */
  readonly first: Summary;
  readonly asked: Readonly<Record<QuestionKind, { readonly library: Summary; readonly floor: Summary }>>;
  readonly all: { readonly library: Summary; readonly floor: Summary };
  /** What asking took of memory, beyond an open store. */
  readonly memoryBytes: number;
}

type Times = { readonly library: number[]; readonly floor: number[] };

/** Asks the library and an FTS5 table of the same notes the same questions, in turn. */
export async function compareSearch(input: SearchInput): Promise<SearchSummary> {
  const { bare, textBytes } = makeFloor(input);
  const { indexMs, indexBytes } = await makeIndex(input);
  const first: number[] = [];
  for (let opening = 0; opening < input.openings; opening++) {
    const library = await openLibrary(input.dataDir);
    await untilQuiet();
    first.push(await timed(() => library.searchCheckpoints({ query: noteOf(opening, 0).slice(0, 60) })));
    await library.close();
  }
  const library = await openLibrary(input.dataDir);
  await untilQuiet();
  const before = process.memoryUsage().rss;
  const statement = bare.prepare("SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT 5");
  const asked = Object.fromEntries(QUESTIONS.map((kind): [QuestionKind, Times] => [kind, { library: [], floor: [] }])) as Record<
    QuestionKind,
    Times
  >;
  const random = new Random(1);
  for (let question = 0; question < input.questions; question++) {
    for (const kind of QUESTIONS) {
      const { params, match } = ask(kind, random, input);
      asked[kind].floor.push(await timed(async () => statement.all(match)));
      asked[kind].library.push(await timed(() => library.searchCheckpoints(params)));
    }
  }
  const memoryBytes = process.memoryUsage().rss - before;
  await library.close();
  bare.close();
  const summaries = Object.entries(asked).map(([kind, times]) => [kind, summarized([times])]);
  return {
    textBytes,
    indexBytes,
    indexMs,
    first: summarize(first),
    asked: Object.fromEntries(summaries) as SearchSummary["asked"],
    all: summarized(Object.values(asked)),
    memoryBytes,
  };
}

function summarized(times: readonly Times[]): { readonly library: Summary; readonly floor: Summary } {
  return { library: summarize(times.flatMap((each) => each.library)), floor: summarize(times.flatMap((each) => each.floor)) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  await othersTurn();
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function makeFloor({ dataDir, sessions, checkpoints }: SearchInput): { readonly bare: Database.Database; readonly textBytes: number } {
  const bare = new Database(path.join(path.dirname(dataDir), `${path.basename(dataDir)}-bare.db`));
  bare.exec("PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE note USING fts5 (text, content = '')");
  const insert = bare.prepare("INSERT INTO note (rowid, text) VALUES (?, ?)");
  let textBytes = 0;
  bare.exec("BEGIN");
  for (let session = 0; session < sessions; session++) {
    for (let step = 0; step < checkpoints; step++) {
      const note = noteOf(session, step);
      textBytes += note.length;
      insert.run(session * checkpoints + step + 1, note);
    }
  }
  bare.exec("COMMIT; INSERT INTO note (note) VALUES ('optimize')");
  return { bare, textBytes };
}

async function makeIndex({ dataDir }: SearchInput): Promise<{ readonly indexMs: number; readonly indexBytes: number }> {
  const library = await openLibrary(dataDir);
  const started = performance.now();
  while ((await library.searchCheckpoints({ query: someWord(new Random(2)) })).indexPending !== undefined);
  const indexMs = performance.now() - started;
  // The background has the rest to do, which makes the index smaller.
  await untilQuiet();
  await library.close();
  return { indexMs, indexBytes: fs.statSync(path.join(dataDir, "search.db")).size };
}

function ask(kind: QuestionKind, random: Random, input: SearchInput): { readonly params: SearchCheckpointsParams; readonly match: string } {
  const session = random.whole(0, input.sessions - 1);
  const words = (count: number): string[] => Array.from({ length: count }, () => someWord(random));
  const any = (asked: readonly string[], more: Partial<SearchCheckpointsParams> = {}): ReturnType<typeof ask> => {
    return { params: { query: asked.join(" "), ...more }, match: asked.map(quoted).join(" OR ") };
  };
  switch (kind) {
    case "one word":
      return any(words(1));
    case "three words":
      return any(words(3));
    case "six words":
      return any(words(6));
    case "three words in a project":
      return any(words(3), { project: input.project, sessionId: random.next() < 0.5 ? undefined : filledSession(session) });
    case "a phrase": {
      const phrase = noteOf(session, random.whole(0, input.checkpoints - 1))
        .split(" ")
        .slice(3, 6)
        .join(" ");
      return { params: { query: quoted(phrase) }, match: quoted(phrase) };
    }
    case "a word spelled wrong": {
      const [word = ""] = words(1);
      return any([`${word.slice(0, 2)}x${word.slice(2)}`]);
    }
  }
}

function quoted(text: string): string {
  return `"${text}"`;
}
