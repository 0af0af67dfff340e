import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { CatalogPort, Clock, Embedder, Locking, Log, PendingSession, SessionId, VectorEngine, VectorSpace } from "@workrail/core";
import type { EmbedPorts, Follower } from "@workrail/search";
import { loadSearching } from "./load-searching.ts";
import { REST_MS } from "./resting-embedder.ts";

export interface VectorKeeperParts extends Omit<EmbedPorts, "vectors" | "embedder" | "pause"> {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  readonly vectors: VectorEngine;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause after the last change. An agent thinks between saves; a command that ends before leaves the work to the next process. */
const IDLE_MS = 250;
/** Vectors of another model are kept this long, so that trying a model does not cost embedding everything again. */
const UNUSED_MS = 7 * 86_400_000;
const TELL_EACH_MS = 10_000;
/** Sessions read to find one that was not refused. */
const PIECE = 100;

/** Embeds new checkpoints in the background and forgets removed ones. No call waits for this. */
export class VectorKeeper {
  readonly #parts: VectorKeeperParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #refused = new Set<SessionId>();
  #isAskedAgain = false;
  #isStopped = false;

  constructor(parts: VectorKeeperParts) {
    this.#parts = parts;
  }

  /** Called after each change, and at opening to continue the work of an earlier process. Starts once changes pause. */
  request(afterMs: number = IDLE_MS): void {
    if (this.#isStopped) return;
    this.#isAskedAgain = true;
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    // The timer does not keep a finished program running.
    this.#timer = setTimeout(() => void this.#begin(), afterMs).unref();
  }

  /** Accepts no more work, and resolves when none is running. The next process does the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAskedAgain) this.request();
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    this.#isAskedAgain = false;
    try {
      await this.#embedAll();
    } catch (error) {
      if (this.#isStopped) return;
      this.#parts.log.debug("checkpoints could not be embedded", { error });
      this.#timer = setTimeout(() => void this.#begin(), REST_MS).unref();
    }
  }

  async #embedAll(): Promise<void> {
    const { vectors, clock, log, embedder } = this.#parts;
    const space = await spaceOf(embedder);
    await this.#follow(space);
    let told = clock.now().getTime();
    for (;;) {
      const session = await this.#next(space);
      if (session === undefined || this.#isStopped) break;
      await this.#embed(space, session);
      if (clock.now().getTime() - told < TELL_EACH_MS) continue;
      told = clock.now().getTime();
      const { pending, vectors: held } = await vectors.state(space);
      log.info("embedding checkpoints", { embedder: space.name, sessionsLeft: pending, vectors: held });
    }
    if (!this.#isStopped) await vectors.retire(new Date(clock.now().getTime() - UNUSED_MS));
  }

  /** Returns the next session. Sessions that the endpoint refused come last, so that they do not block the others forever. */
  async #next(space: VectorSpace): Promise<PendingSession | undefined> {
    const pending = await this.#parts.vectors.pending(space, PIECE);
    const next = pending.find(({ sessionId }) => !this.#refused.has(sessionId));
    if (next === undefined) this.#refused.clear();
    return next ?? pending[0];
  }

  async #embed(space: VectorSpace, session: PendingSession): Promise<void> {
    try {
      const { embedSession } = await loadSearching();
      while (!this.#isStopped && !(await embedSession({ ...this.#parts, pause: yieldToEventLoop }, space, session)));
    } catch (error) {
      this.#refused.add(session.sessionId);
      throw error;
    }
  }

  async #follow(space: VectorSpace): Promise<void> {
    const { catalog, locking, vectors, clock } = this.#parts;
    const search: Follower = {
      state: () => vectors.state(space),
      note: ({ sessions, ...news }) => vectors.note(space, { ...news, sessions: sessions.map(({ sessionId }) => sessionId) }, clock.now()),
    };
    // Marks the vectors as in use, even without changes.
    await vectors.note(space, { sessions: [] }, clock.now());
    const { followChanges } = await loadSearching();
    await followChanges({ catalog, locking, search, pause: yieldToEventLoop });
  }
}

/** Returns the vector space of an embedder. The number of dimensions is known only after the first embedding. */
export async function spaceOf(embedder: Embedder): Promise<VectorSpace> {
  if (embedder.dimensions === undefined) await embedder.embed(["Workrail"], "text");
  return { name: embedder.name, dimensions: embedder.dimensions ?? 0 };
}
