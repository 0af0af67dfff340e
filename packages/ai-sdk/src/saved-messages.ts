import { isWorkrailError, type SaveCheckpointParams, type Workrail, WorkrailError } from "@workrail/runtime";
import { changeOf } from "./change-of-messages.ts";
import { findMessages } from "./load-messages.ts";
import { messagesToJson } from "./message-json.ts";

/** Names the session that holds a conversation, and labels its checkpoints. */
export interface SessionOptions extends Pick<SaveCheckpointParams, "agentId" | "workflowId" | "metadata" | "project" | "retention"> {
  /** 1 to 128 characters, such as the id of a chat. The first save creates the session. */
  readonly sessionId: string;
}

/** Attempts of a save while other processes change other entries of the session. */
const MOST_TRIES = 5;

/**
 * The messages of a session. A save sends what changed: new messages, or new parts of the last one. Other entries of the session stay as
 * they are.
 */
export class SavedMessages<Message extends object> {
  readonly #store: Workrail;
  readonly #options: SessionOptions;
  /** Messages to keep, saved or not yet. A message must not be changed after it was given. */
  wanted: readonly Message[];
  #saved: readonly Message[];
  /** The latest checkpoint. `null`: the session does not exist. */
  #head: string | null;
  #writing: Promise<void> = Promise.resolve();

  private constructor(store: Workrail, options: SessionOptions, found: Awaited<ReturnType<typeof findMessages<Message>>>) {
    this.#store = store;
    this.#options = options;
    this.wanted = found.messages;
    this.#saved = found.messages;
    this.#head = found.checkpointId;
  }

  static async open<Message extends object>(store: Workrail, options: SessionOptions): Promise<SavedMessages<Message>> {
    return new SavedMessages(store, options, await findMessages<Message>(store, { sessionId: options.sessionId }));
  }

  /** The checkpoint that was saved or loaded last. */
  get checkpointId(): string | undefined {
    return this.#head ?? undefined;
  }

  /**
   * Resolves when the wanted messages are durable. Saves run one after another; with nothing new it saves nothing. May be repeated after a
   * failure.
   */
  flush(): Promise<void> {
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => undefined);
    return write;
  }

  async #write(): Promise<void> {
    const wanted = this.wanted;
    const patch = changeOf(this.#saved, wanted);
    if (patch === undefined) return;
    const state = this.#head === null ? { context: { messages: messagesToJson(wanted) } } : { patch };
    for (let tries = 1; ; tries++) {
      try {
        const { checkpointId } = await this.#store.saveCheckpoint({ ...this.#options, ...state, expectedParentId: this.#head });
        this.#head = checkpointId;
        this.#saved = wanted;
        return;
      } catch (error) {
        this.#head = this.#headAfter(error, tries);
      }
    }
  }

  /** Returns the latest checkpoint when another process changed only other entries. */
  #headAfter(error: unknown, tries: number): string {
    if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    const { changedKeys, changedCount, actualParentId } = error.details as Changed;
    const isAllKnown = changedKeys !== undefined && changedKeys.length === changedCount;
    if (isAllKnown && !changedKeys.includes("messages") && typeof actualParentId === "string" && tries < MOST_TRIES) return actualParentId;
    throw new WorkrailError("CONFLICT", `Another process saved messages to the session ${this.#options.sessionId} meanwhile.`, {
      details: { ...error.details },
      hint: "Open the session again and continue from its messages.",
      cause: error,
    });
  }
}

/** Details of a conflict. */
interface Changed {
  readonly changedKeys?: readonly string[];
  readonly changedCount?: number;
  readonly actualParentId?: string | null;
}
