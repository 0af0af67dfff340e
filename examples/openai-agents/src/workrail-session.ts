import { randomUUID } from "node:crypto";
import type { AgentInputItem, Session, SessionHistoryRewriteArgs, SessionHistoryRewriteAwareSession } from "@openai/agents";
import { isWorkrailError, type Workrail } from "@workrail/runtime";

/** Attempts of a change while other processes change the session. */
const MOST_TRIES = 10;

/** Items of a session, and the checkpoint that holds them. */
interface Saved {
  readonly items: AgentInputItem[];
  /** `null`: the session is new. */
  readonly checkpointId: string | null;
}

/** A session of the OpenAI Agents SDK in a Workrail session: its items are the list `items` of the context. */
export class WorkrailSession implements Session, SessionHistoryRewriteAwareSession {
  readonly #store: Workrail;
  readonly #sessionId: string;

  constructor(store: Workrail, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.#sessionId);
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const { items } = await this.#load();
    return limit === undefined ? items : items.slice(Math.max(0, items.length - Math.max(0, limit)));
  }

  /** Sends only the new items. Items of two processes are both kept, in the order of their saves. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return;
    const sessionId = this.#sessionId;
    const { checkpointId } = await this.#load();
    if (checkpointId === null) await this.#begin();
    await this.#store.saveCheckpoint({ sessionId, patch: { append: { items } } });
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    let last: AgentInputItem | undefined;
    await this.#change((items) => {
      last = items.at(-1);
      return last === undefined ? undefined : items.slice(0, -1);
    });
    return last;
  }

  /** Older checkpoints of the session keep the items until they are pruned; `workrail erase` removes them for good. */
  async clearSession(): Promise<void> {
    await this.#change((items) => (items.length === 0 ? undefined : []));
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    await this.#change((items) => {
      if (!mutations.some(({ callId }) => items.some((item) => isCall(item, callId)))) return undefined;
      return mutations.reduce<AgentInputItem[]>(
        (all, { callId, replacement }) => {
          const first = all.findIndex((item) => isCall(item, callId));
          return all.flatMap((item, at) => (at === first ? [replacement] : isCall(item, callId) ? [] : [item]));
        },
        [...items],
      );
    });
  }

  async #load(): Promise<Saved> {
    try {
      const { context, checkpointId } = await this.#store.loadCheckpoint<{ items?: AgentInputItem[] }>({ sessionId: this.#sessionId });
      return { items: context.items ?? [], checkpointId };
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "SESSION_NOT_FOUND") throw error;
      return { items: [], checkpointId: null };
    }
  }

  /** Creates the session, unless another process is faster. */
  async #begin(): Promise<void> {
    try {
      await this.#store.saveCheckpoint({ sessionId: this.#sessionId, context: { items: [] }, expectedParentId: null });
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    }
  }

  /** Changes the items that were just read, again when another process was faster. */
  async #change(changeOf: (items: readonly AgentInputItem[]) => AgentInputItem[] | undefined): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { items, checkpointId } = await this.#load();
      const changed = changeOf(items);
      if (changed === undefined) return;
      const own = randomUUID();
      try {
        const patch = { set: { items: changed } };
        const change = { sessionId: this.#sessionId, patch, expectedParentId: checkpointId, checkpointId: own };
        const saved = await this.#store.saveCheckpoint(change);
        // When another process just made the same change, its checkpoint is the answer, and this change is still to be made.
        if (saved.checkpointId === own || saved.checkpointId === checkpointId) return;
      } catch (error) {
        if (!isWorkrailError(error) || error.code !== "CONFLICT" || tries === MOST_TRIES) throw error;
      }
    }
  }
}

function isCall(item: AgentInputItem, callId: string): boolean {
  return item.type === "function_call" && item.callId === callId;
}
