/** Subject of a question. */
export type QuestionKind = "goal" | "prohibition" | "next" | "todo" | "decision" | "fact" | "recent" | "error";

/** A question that a successor must be able to answer from the handed-over text. */
export interface Question {
  readonly q: string;
  /** Regular expressions that must all match the handed-over text. */
  readonly answer: readonly string[];
  readonly kind: QuestionKind;
}

/** A state that an agent would have saved, with the facts that its successor must know. */
export interface WorkingState {
  readonly name: string;
  /** ISO 639-1. */
  readonly language: string;
  /** Shape of the state in a few words. */
  readonly kind: string;
  /** The next work of its successor, in the successor's words. */
  readonly focus: string;
  /** A colleague's note of at most 300 tokens (o200k) that answers every question. */
  readonly human: string;
  readonly questions: readonly Question[];
  readonly context: Readonly<Record<string, unknown>>;
}
