import { type Workrail, WorkrailError } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { beginsWith } from "./change-of-messages.ts";
import { hasOpenCalls } from "./open-calls.ts";
import { RunHistory, type StepToPrepare } from "./run-history.ts";
import { SavedMessages, type SessionOptions } from "./saved-messages.ts";
import { StepTrimmer } from "./step-trimmer.ts";

/** Time at which a step is durable. `sync`: before the next step. `async`: soon; a crash may lose the last steps. */
export type StepDurability = "sync" | "async";

export interface StepsOptions extends SessionOptions {
  /** Default `sync`. */
  readonly durability?: StepDurability | undefined;
  /** Maximum tokens of the messages for the model, at least 1,000. Older messages are trimmed as in `trimMessages`. Default: no limit. */
  readonly budgetTokens?: number | undefined;
}

/** The fields that are read from a finished step. */
export interface EndedStep {
  /** A step that ended with `error` is not saved: the next run repeats it. */
  readonly finishReason?: string;
  readonly response: { readonly messages: readonly ModelMessage[] };
}

/** A conversation with callbacks that save each step of `generateText`, `streamText` or a `ToolLoopAgent`. */
export interface WorkrailSteps {
  /** The messages so far. A run must begin with them. */
  readonly messages: ModelMessage[];
  /**
   * True when a model has to answer the last message: the run was interrupted, or has not begun. False while a call waits for the user's
   * approval, or for a result from outside.
   */
  readonly isUnfinished: boolean;
  /** A callback for the run. Rejects when the steps so far cannot be saved, which ends the run. */
  readonly prepareStep: (step: StepToPrepare) => Promise<{ messages?: ModelMessage[] }>;
  /** A callback for the run. The AI SDK ignores its failures; the next `prepareStep`, or `saved`, tries again. */
  readonly onStepEnd: (step: EndedStep) => Promise<void>;
  /** Await it after the run. Rejects when the last step cannot be saved, and after a run without `prepareStep`. */
  saved(): Promise<{ readonly checkpointId: string | undefined }>;
}

/**
 * Loads the messages of a session, and returns callbacks that save each step of a run in it.
 *
 * @throws INVALID_INPUT for an unknown durability or a budget under 1,000 tokens; the errors of loading.
 */
export async function workrailSteps(store: Workrail, options: StepsOptions): Promise<WorkrailSteps> {
  const { durability = "sync", budgetTokens, ...session } = options;
  checkDurability(durability);
  const trimmer = new StepTrimmer(store, { sessionId: session.sessionId, budgetTokens });
  return new SavedSteps(await SavedMessages.open<ModelMessage>(store, session), trimmer, durability === "sync");
}

class SavedSteps implements WorkrailSteps {
  readonly #saved: SavedMessages<ModelMessage>;
  readonly #trimmer: StepTrimmer;
  readonly #isSync: boolean;
  readonly #history = new RunHistory();
  /** `missed`: a step ended before `prepareStep` saw the beginning of a run. */
  #beginning: "awaited" | "seen" | "missed" = "awaited";
  /** Failure of an `async` save that no later save made up for. The next `prepareStep` throws it. */
  #failure: unknown;

  constructor(saved: SavedMessages<ModelMessage>, trimmer: StepTrimmer, isSync: boolean) {
    this.#saved = saved;
    this.#trimmer = trimmer;
    this.#isSync = isSync;
  }

  get messages(): ModelMessage[] {
    return [...this.#saved.wanted];
  }

  get isUnfinished(): boolean {
    const role = this.#saved.wanted.at(-1)?.role;
    return role === "user" || (role === "tool" && !hasOpenCalls(this.#saved.wanted));
  }

  readonly prepareStep = async (step: StepToPrepare): Promise<{ messages?: ModelMessage[] }> => {
    if (step.stepNumber === 0) this.#begin(step.initialMessages);
    this.#checkPrepared();
    this.#history.beforeStep(step);
    const failure = this.#failure;
    await this.#save();
    if (failure !== undefined) throw failure;
    return this.#trimmer.trim(step.messages, this.#history.messages);
  };

  readonly onStepEnd = async ({ finishReason, response }: EndedStep): Promise<void> => {
    if (this.#beginning === "awaited") this.#beginning = "missed";
    this.#checkPrepared();
    if (finishReason === "error") return;
    this.#history.afterStep(response.messages);
    await this.#save();
  };

  async saved(): Promise<{ readonly checkpointId: string | undefined }> {
    this.#checkPrepared();
    await this.#saved.flush();
    return { checkpointId: this.#saved.checkpointId };
  }

  async #save(): Promise<void> {
    this.#saved.wanted = this.#history.messages;
    const saving = this.#saved.flush();
    if (this.#isSync) return saving;
    void saving.then(
      () => (this.#failure = undefined),
      (error: unknown) => (this.#failure = error),
    );
  }

  /** Refuses steps of a run whose first messages are unknown: alone they would replace the session. */
  #checkPrepared(): void {
    if (this.#beginning !== "missed") return;
    throw new WorkrailError("INVALID_INPUT", "A step ended in a run that does not call prepareStep.", {
      details: { field: "prepareStep" },
      hint: "Pass both callbacks to the run, or to the settings of the agent: prepareStep: steps.prepareStep, onStepEnd: steps.onStepEnd.",
    });
  }

  /** Refuses a run that would replace messages of the session. */
  #begin(messages: readonly ModelMessage[]): void {
    const { wanted } = this.#saved;
    if (!beginsWith(messages, wanted)) {
      throw new WorkrailError("INVALID_INPUT", `The run does not begin with the ${wanted.length} messages of the session.`, {
        details: { field: "messages" },
        hint: "Begin with them: messages: [...steps.messages, newMessage]. Another conversation needs another sessionId.",
      });
    }
    this.#beginning = "seen";
  }
}

/** Refuses a misspelt durability, which would be weaker than the default one. */
function checkDurability(durability: string): void {
  if (durability === "sync" || durability === "async") return;
  throw new WorkrailError("INVALID_INPUT", 'durability must be "sync" or "async".', {
    details: { field: "durability" },
    hint: "Leave it out, so that each step is durable before the next one.",
  });
}
