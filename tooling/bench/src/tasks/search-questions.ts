import type { SearchCheckpointsParams } from "@workrail/runtime";
import { Random } from "../random.ts";
import { noteOf, someWord } from "../search-text.ts";
import { filledSession } from "./fill-store.ts";

export interface SearchInput {
  /** Store filled with notes. */
  readonly dataDir: string;
  readonly sessions: number;
  /** Number in each session. */
  readonly checkpoints: number;
  readonly project: string;
  /** Number of each kind. */
  readonly questions: number;
}

export const QUESTIONS = ["one word", "three words", "six words", "three words in a project", "a phrase", "a word spelled wrong"] as const;
export type QuestionKind = (typeof QUESTIONS)[number];

/** A query for the library, and for an FTS5 table. */
export interface Question {
  readonly kind: QuestionKind;
  readonly params: SearchCheckpointsParams;
  readonly match: string;
}

/** Returns the queries, the kinds in turn; the same for each store of a size. */
export function questionsFor(input: SearchInput): Question[] {
  const random = new Random(1);
  return Array.from({ length: input.questions }, () => QUESTIONS.map((kind) => ({ kind, ...ask(kind, random, input) }))).flat();
}

function ask(kind: QuestionKind, random: Random, input: SearchInput): Omit<Question, "kind"> {
  const session = random.whole(0, input.sessions - 1);
  const words = (count: number): string[] => Array.from({ length: count }, () => someWord(random));
  const any = (asked: readonly string[], more: Partial<SearchCheckpointsParams> = {}): Omit<Question, "kind"> => {
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
