/** What a question asks for. */
export type QuestionKind = "goal" | "prohibition" | "next" | "todo" | "decision" | "fact" | "recent" | "error";

/** One thing that whoever goes on must be able to answer from what comes back. */
export interface Question {
  readonly q: string;
  /** Regular expressions; all of them must match what was handed back. */
  readonly answer: readonly string[];
  readonly kind: QuestionKind;
}

/** What an agent would have saved, and what its successor must know. */
export interface WorkingState {
  readonly name: string;
  /** ISO 639-1. */
  readonly language: string;
  /** The shape, in some words. */
  readonly kind: string;
  /** What its successor is about to do, as it would say it. */
  readonly focus: string;
  /** A colleague's note of at most 300 tokens (o200k) that answers every question. */
  readonly human: string;
  readonly questions: readonly Question[];
  readonly context: Readonly<Record<string, unknown>>;
}
