import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
  type Catalog,
  type Clock,
  type Embedder,
  type EmbedPorts,
  type Follower,
  type Locking,
  type Log,
  type PendingSession,
  type SessionId,
  type VectorEngine,
  type VectorSpace,
} from "@workrail/core";
import { loadSearching } from "./load-searching.ts";
import { REST_MS } from "./resting-embedder.ts";

export interface VectorKeeperParts extends Omit<EmbedPorts, "vectors" | "embedder" | "pause"> {
  readonly catalog: Catalog;
  readonly locking: Locking;
  readonly vectors: VectorEngine;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: Log;
}

/** An agent thinks between its saves. A command that is done before has the next process do it. */
const IDLE_MS = 250;
/** A model that somebody tried out and came back from need not embed everything anew. */
const UNUSED_MS = 7 * 86_400_000;
const TELL_EACH_MS = 10_000;
/** Sessions looked at to find one that was not refused. */
const PIECE = 100;

/** Embeds what was saved, after the answers and between them, and forgets what was removed. Nobody waits for it. */
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

  /** After each change; what is asked for is done when asking pauses. At opening it goes on where an earlier process stopped. */
  request(afterMs: number = IDLE_MS): void {
    if (this.#isStopped) return;
    this.#isAskedAgain = true;
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    // A program that is otherwise done is not kept running.
    this.#timer = setTimeout(() => void this.#begin(), afterMs).unref();
  }

  /** Takes nothing more on, and resolves when nothing is under way. What is left the next process does. */
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
      this.#parts.log.debug("what checkpoints mean could not be embedded", { error });
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

  /** One that the endpoint refused comes after the others, so that it does not keep them waiting for ever. */
  async #next(space: VectorSpace): Promise<PendingSession | undefined> {
    const pending = await this.#parts.vectors.pending(space, PIECE);
    const next = pending.find(({ sessionId }) => !this.#refused.has(sessionId));
    if (next === undefined) this.#refused.clear();
    return next ?? pending[0];
  }

  async #embed(space: VectorSpace, session: PendingSession): Promise<void> {
    try {
      const { embedSession } = await loadSearching();
      while (!this.#isStopped && !(await embedSession({ ...this.#parts, pause: turnOfTheLoop }, space, session)));
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
    // In use, though nothing may have changed.
    await vectors.note(space, { sessions: [] }, clock.now());
    const { followChanges } = await loadSearching();
    await followChanges({ catalog, locking, search, pause: turnOfTheLoop });
  }
}

/** An embedder does not know how long its vectors are before it has made one. */
export async function spaceOf(embedder: Embedder): Promise<VectorSpace> {
  if (embedder.dimensions === undefined) await embedder.embed(["Workrail"], "text");
  return { name: embedder.name, dimensions: embedder.dimensions ?? 0 };
}
