import { firstCharacters, type Log } from "@workrail/core";

/** A question to the person at the client, answered by a choice. */
export interface Question {
  /** Name of the answer: 1 to 64 letters. A call asks one question of each name. */
  readonly name: string;
  readonly text: string;
  readonly choices: readonly Choice[];
}

export interface Choice {
  readonly value: string;
  /** Words that the person reads. */
  readonly title: string;
}

/** Asks the person. Resolves to the value of the choice; `undefined` when the person declines, or does not answer in time. */
export type Ask = (question: Question) => Promise<string | undefined>;

/** Sends `elicitation/create` with these parameters on the connection of a request. Rejects after a time limit. */
export type Elicit = (params: ElicitParams, timeoutMs: number) => Promise<unknown>;

/** Parameters of `elicitation/create`, as every version of the protocol has them. */
export interface ElicitParams {
  readonly [key: string]: unknown;
  readonly mode: "form";
  readonly message: string;
  readonly requestedSchema: FormSchema;
}

interface FormSchema {
  readonly type: "object";
  readonly properties: Record<string, { type: "string"; title: string; enum: string[]; enumNames: string[] }>;
  readonly required: string[];
}

/** Capabilities of a client that are used here. */
export interface ClientCapabilities {
  readonly elicitation?: object | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The ways in which a client can be asked. Without one it is not asked. */
export interface Askable {
  readonly capabilities?: ClientCapabilities | undefined;
  /** The client answers a request of the server (protocol up to 2025-11-25). */
  readonly elicit?: Elicit | undefined;
  /** The client answers by calling again (protocol 2026-07-28): its answers so far, by name. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
}

/** Ends a call whose client answers questions by calling again. */
export class AnswerNeeded extends Error {
  override readonly name = "AnswerNeeded";
  readonly question: Question;

  constructor(question: Question) {
    super("The client must ask a user first.");
    this.question = question;
  }
}

/** Clients give up a call after 60 seconds unless told otherwise. */
const PATIENCE_MS = 45_000;

/** Returns the way to ask the person at a client; `undefined` when there is none. */
export function askThrough({ capabilities, elicit, answers }: Askable, signal: AbortSignal, log: Log): Ask | undefined {
  if (!showsForms(capabilities?.elicitation)) return undefined;
  if (elicit !== undefined) {
    return async (question) => {
      try {
        return choiceIn(await elicit(paramsOf(question), PATIENCE_MS), question);
      } catch (error) {
        signal.throwIfAborted();
        // As if the person had not answered: the call goes on without.
        log.debug("a question was not answered", { error });
        return undefined;
      }
    };
  }
  if (answers === undefined) return undefined;
  return async (question) => {
    if (answers[question.name] === undefined) throw new AnswerNeeded(question);
    return choiceIn(answers[question.name], question);
  };
}

/** Longest stored text in a question. */
const MOST_CHARACTERS = 80;

/** Makes a stored text fit to be shown to a person, in one line. */
export function forQuestion(text: string): string {
  return firstCharacters(MOST_CHARACTERS, text.replaceAll(/[\p{C}\s]+/gu, " ").trim());
}

/** Returns the result that asks a client to call again with an answer. */
export function inputRequired({ question }: AnswerNeeded): Record<string, unknown> {
  return {
    resultType: "input_required",
    inputRequests: { [question.name]: { method: "elicitation/create", params: paramsOf(question) } },
  };
}

/** Tells whether a client with this capability shows forms. An empty capability is that of the first version, which had only forms. */
export function showsForms(elicitation: object | undefined): boolean {
  return elicitation !== undefined && ("form" in elicitation || !("url" in elicitation));
}

function paramsOf({ name, text, choices }: Question): ElicitParams {
  const field = {
    type: "string" as const,
    title: "Choice",
    enum: choices.map(({ value }) => value),
    enumNames: choices.map(({ title }) => title),
  };
  return { mode: "form", message: text, requestedSchema: { type: "object", properties: { [name]: field }, required: [name] } };
}

function choiceIn(result: unknown, { name, choices }: Question): string | undefined {
  const { action, content } = (result ?? {}) as { readonly action?: unknown; readonly content?: Readonly<Record<string, unknown>> | null };
  const chosen = content?.[name];
  return action === "accept" ? choices.find(({ value }) => value === chosen)?.value : undefined;
}
