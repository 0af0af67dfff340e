import { randomUUID } from "node:crypto";
import type { Workrail } from "@workrail/runtime";
import type { ModelMessage, UIMessage, UIMessageStreamOptions } from "ai";
import { RunHistory, type StepToPrepare } from "./run-history.ts";
import { SavedMessages, type SessionOptions } from "./saved-messages.ts";
import { StepTrimmer } from "./step-trimmer.ts";

export interface ChatOptions extends SessionOptions {
  /** Most tokens of the messages that the model gets, from 1,000. Older ones are left out, as `trimMessages` does. Default: no limit. */
  readonly budgetTokens?: number | undefined;
}

/** Options that save the answer while it is streamed. */
export type SavedUIStream<Message extends UIMessage> = Required<
  Pick<UIMessageStreamOptions<Message>, "originalMessages" | "generateMessageId" | "onStepEnd" | "onEnd">
>;

/** A chat of a user interface: messages as `useChat` shows them, saved with each step of an answer. */
export interface WorkrailChat<Message extends UIMessage = UIMessage> {
  /** The messages so far. */
  readonly messages: Message[];
  /** True when a model has to go on: the user waits for an answer, or the answer was interrupted between two steps. */
  readonly isUnfinished: boolean;
  /** Adds messages, and resolves to all of them once they are durable. One with a known id replaces it and all that came after. */
  add(...messages: readonly Message[]): Promise<Message[]>;
  /** A callback for `streamText`. No step begins before the answer so far is durable; rejects when it cannot be saved. */
  readonly prepareStep: (step: StepToPrepare) => Promise<{ messages?: ModelMessage[] }>;
  /**
   * Options for `toUIMessageStream` or `createUIMessageStream`; call it once for each answer. A client sees the end of a step after it is
   * durable. The stream must be read to its end, as `consumeSseStream: consumeStream` does when the client leaves. A step that fails, or
   * during which the client leaves, is not kept: the next answer repeats it. A step that the user stops keeps its parts so far.
   */
  uiStream(): SavedUIStream<Message>;
}

/**
 * Loads the messages of a chat, and returns what saves its next answer.
 *
 * @typeParam Message the type that was saved; it is not checked: see `validateUIMessages` of the AI SDK.
 * @throws the errors of loading.
 */
export async function workrailChat<Message extends UIMessage = UIMessage>(
  store: Workrail,
  options: ChatOptions,
): Promise<WorkrailChat<Message>> {
  const { budgetTokens, ...session } = options;
  const trimmer = new StepTrimmer(store, { sessionId: session.sessionId, budgetTokens });
  return new SavedChat(await SavedMessages.open<Message>(store, session), trimmer);
}

class SavedChat<Message extends UIMessage> implements WorkrailChat<Message> {
  readonly #saved: SavedMessages<Message>;
  readonly #trimmer: StepTrimmer;
  readonly #history = new RunHistory();
  #isStreaming = false;
  #stepsSaved = 0;
  #wake: () => void = () => undefined;

  constructor(saved: SavedMessages<Message>, trimmer: StepTrimmer) {
    this.#saved = saved;
    this.#trimmer = trimmer;
  }

  get messages(): Message[] {
    return [...this.#saved.wanted];
  }

  get isUnfinished(): boolean {
    const last = this.#saved.wanted.at(-1);
    return last?.role === "user" || (last?.role === "assistant" && isAnsweredStep(last.parts));
  }

  async add(...messages: readonly Message[]): Promise<Message[]> {
    const all = this.messages;
    for (const message of messages) {
      const known = all.findIndex(({ id }) => id === message.id);
      all.splice(known === -1 ? all.length : known, all.length, message);
    }
    this.#saved.wanted = all;
    await this.#saved.flush();
    return this.messages;
  }

  readonly prepareStep = async (step: StepToPrepare): Promise<{ messages?: ModelMessage[] }> => {
    this.#history.beforeStep(step);
    while (this.#isStreaming && this.#stepsSaved < step.stepNumber) await new Promise<void>((resolve) => (this.#wake = resolve));
    await this.#saved.flush();
    return this.#trimmer.trim(step.messages, this.#history.messages);
  };

  uiStream(): SavedUIStream<Message> {
    this.#isStreaming = true;
    this.#stepsSaved = 0;
    let beforeStep = this.#saved.wanted;
    return {
      originalMessages: this.messages,
      generateMessageId: randomUUID,
      onStepEnd: ({ messages }) => {
        beforeStep = this.#saved.wanted;
        return this.#save(messages, true);
      },
      onEnd: ({ messages, outcome, isCancelled, finishReason }) => {
        if (finishReason === "error") return this.#save(beforeStep, false);
        const isPartial = outcome.status === "failed" || isCancelled === true;
        return this.#save(isPartial ? this.#saved.wanted : messages, false);
      },
    };
  }

  /** Wakes a step that waits, even after a failure: it tries again and reports it. */
  async #save(messages: readonly Message[], isStreaming: boolean): Promise<void> {
    // A stream that failed at once has an answer without parts.
    this.#saved.wanted = messages.at(-1)?.parts.length === 0 ? messages.slice(0, -1) : messages;
    try {
      await this.#saved.flush();
    } finally {
      this.#isStreaming = isStreaming;
      this.#stepsSaved += 1;
      this.#wake();
    }
  }
}

/** States of a call whose outcome a model can get. */
const ANSWERED: readonly unknown[] = ["output-available", "output-error", "output-denied", "approval-responded"];

/** True when the last step is complete and has calls, and none of them waits for the user. */
function isAnsweredStep(parts: UIMessage["parts"]): boolean {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  if (step.some((part) => "state" in part && part.state === "streaming")) return false;
  const calls = step.filter((part) => "toolCallId" in part);
  const areAnswered = calls.every((call) => ANSWERED.includes(call.state) && !("preliminary" in call && call.preliminary));
  return areAnswered && calls.some(({ providerExecuted, state }) => providerExecuted !== true || state === "approval-responded");
}
