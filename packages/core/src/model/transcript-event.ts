import type { JsonValue } from "./context.ts";

/** One event of an agent's session in its host's transcript. The order of a list is the order of time. */
export type TranscriptEvent = { readonly at?: string | undefined } & (
  | PromptEvent
  | ReplyEvent
  | ThoughtEvent
  | CallEvent
  | ResultEvent
  | SummaryEvent
  | InterruptedEvent
);

/** A person's own words: without reminders, hook output and other text that a host adds to them. */
export interface PromptEvent {
  readonly kind: "prompt";
  readonly text: string;
}

/** Text that the model wrote for the person. */
export interface ReplyEvent {
  readonly kind: "reply";
  readonly text: string;
}

/** Reasoning of the model, if the host keeps it. */
export interface ThoughtEvent {
  readonly kind: "thought";
  readonly text: string;
}

/** A call of a tool. */
export interface CallEvent {
  readonly kind: "call";
  /** Pairs the call with its result; `undefined` when a host gives no id: then the next result belongs to this call. */
  readonly id?: string | undefined;
  /** The host's name of the tool, such as `Bash`, `shell`, `run_shell_command`. */
  readonly tool: string;
  /** The arguments; parsed if the host keeps them as JSON text. */
  readonly input: JsonValue;
}

/** The output of a tool. */
export interface ResultEvent {
  readonly kind: "result";
  readonly id?: string | undefined;
  readonly text: string;
  /** True when the host marks it as failed; `undefined` when the host does not say. */
  readonly failed?: boolean | undefined;
  /** The exit code of a command, if the host gives it. */
  readonly exitCode?: number | undefined;
}

/** The host's own summary of earlier turns, after it compacted them. */
export interface SummaryEvent {
  readonly kind: "summary";
  readonly text: string;
}

/** The person stopped the model. */
export interface InterruptedEvent {
  readonly kind: "interrupted";
}
