import {
  type ChangePage,
  type ChangePosition,
  CHECKPOINT_KINDS,
  eachSession,
  listChanges,
  queryCheckpoints,
  type SessionId,
} from "@workrail/core";
import { isStorageFailure } from "../fallback/storage-failure.ts";
import type { Store } from "../store.ts";
import type { SessionChange, StoreChanges, WatchChangesParams } from "./store-changes.ts";

/** Audit rows read at once. */
const PAGE = 1_000;

/** Yields the changes of a store, as `Workrail.watchChanges` describes. */
export async function* watchChanges(store: Store, { project, signal }: WatchChangesParams): AsyncGenerator<StoreChanges> {
  const { pulse } = store;
  const isOver = (): boolean => pulse.isStopped || signal?.aborted === true;
  const seen = new SeenSessions(store, store.listedProject({ project }));
  let position = await store.using(() => seen.start());
  yield { sessions: [] };
  while (!isOver()) {
    const page = await readPage(store, seen, position);
    if (page === "later") {
      await pulse.wait(position, signal);
      continue;
    }
    const isMoved = page.position !== position;
    ({ position } = page);
    if (page.changes !== undefined) yield page.changes;
    else if (!isMoved) await pulse.wait(position, signal);
  }
}

interface SeenPage {
  readonly position: ChangePosition;
  /** `undefined`: none in the project. */
  readonly changes: StoreChanges | undefined;
}

/** Reads the changes after a position. `later`: the disk cannot be read now, which may pass. */
async function readPage(store: Store, seen: SeenSessions, after: ChangePosition): Promise<SeenPage | "later"> {
  try {
    return await store.using(() => seen.after(after));
  } catch (error) {
    if (store.pulse.isStopped) return { position: after, changes: undefined };
    if (!isStorageFailure(error)) throw error;
    store.parts.log.debug("changes cannot be read now", { error });
    return "later";
  }
}

/** The sessions of a project, or all: to report new and removed ones, but none of other projects. */
class SeenSessions {
  readonly #store: Store;
  readonly #project: string | undefined;
  #ids = new Set<SessionId>();

  constructor(store: Store, project: string | undefined) {
    this.#store = store;
    this.#project = project;
  }

  /** Returns the position after which changes are reported. */
  start(): Promise<ChangePosition> {
    return this.#store.parts.locking.shared(() => this.#start());
  }

  after(position: ChangePosition): Promise<SeenPage> {
    return this.#store.parts.locking.shared(async () => {
      // The log is of all projects. Only changes in the caller's part are reported.
      const { catalog } = (this.#store.whole ?? this.#store).parts;
      const page = await listChanges(catalog, { after: position, limit: PAGE });
      if (page === undefined) return { position: await this.#start(), changes: { sessions: [], isUnknown: true } };
      const sessions = await this.#told(page);
      return { position: page.position, changes: sessions.length === 0 ? undefined : { sessions } };
    });
  }

  async #start(): Promise<ChangePosition> {
    const { catalog } = this.#store.parts;
    // First, so that a save in between is reported twice rather than never.
    const position = await this.#store.pulse.current();
    this.#ids = new Set();
    for await (const { id } of eachSession(catalog, { project: this.#project })) this.#ids.add(id);
    return position;
  }

  async #told(page: ChangePage): Promise<readonly SessionChange[]> {
    const told: SessionChange[] = [];
    for (const { sessionId, isExtended } of page.sessions) {
      const was = this.#ids.has(sessionId);
      const is = await this.#holds(sessionId);
      if (is) this.#ids.add(sessionId);
      else this.#ids.delete(sessionId);
      if (is && was) told.push({ sessionId, change: isExtended ? "extended" : "changed" });
      else if (is || was) told.push({ sessionId, change: is ? "added" : "removed" });
    }
    return told;
  }

  /** Tells whether a session has a checkpoint, of the project if there is one. */
  async #holds(sessionId: SessionId): Promise<boolean> {
    const filter = { sessionId, project: this.#project, kinds: CHECKPOINT_KINDS };
    const { records } = await queryCheckpoints(this.#store.parts.catalog, { filter, limit: 1, offset: 0 });
    return records.length > 0;
  }
}
