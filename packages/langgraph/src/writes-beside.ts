import { createHash } from "node:crypto";
import type { Workrail } from "@workrail/runtime";
import { isWorkrailError } from "@workrail/core";
import { type Place, storedIdOf } from "./place.ts";
import type { StoredWrite } from "./stored-write.ts";

type WritesStore = Pick<Workrail, "saveCheckpoint" | "loadCheckpoints" | "eachCheckpoint" | "erase">;

/** Keeps the pending writes of a thread in a session beside that of its checkpoints. */
export class WritesBeside {
  readonly #store: WritesStore;

  constructor(store: WritesStore) {
    this.#store = store;
  }

  /** Resolves when the writes are durable. */
  async append(place: Place, writes: readonly StoredWrite[]): Promise<void> {
    await this.#store.saveCheckpoint({
      sessionId: sessionOf(place.threadId),
      workflowId: "langgraph-writes",
      parentId: null,
      force: true,
      retention: "all",
      context: { writes },
      metadata: { of: storedIdOf(place) },
    });
  }

  /** Returns the writes of a checkpoint, oldest first. */
  async of(place: Place): Promise<readonly StoredWrite[]> {
    const ids: string[] = [];
    for await (const { id } of this.#store.eachCheckpoint({ sessionId: sessionOf(place.threadId), query: storedIdOf(place) }))
      ids.unshift(id);
    const { checkpoints, failed } = await this.#store.loadCheckpoints<{ writes: StoredWrite[] }>({ ids, isPeek: true });
    for (const { error } of failed) if (error.code !== "CHECKPOINT_NOT_FOUND") throw error;
    return checkpoints.flatMap(({ context }) => context.writes);
  }

  async erase(threadId: string): Promise<void> {
    try {
      await this.#store.erase({ sessionId: sessionOf(threadId) });
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "SESSION_NOT_FOUND") throw error;
    }
  }
}

function sessionOf(threadId: string): string {
  return `langgraph-writes-${createHash("sha256").update(threadId).digest("hex")}`;
}
