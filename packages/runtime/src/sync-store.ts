import {
  type CheckpointId,
  type CheckpointRecord,
  type CheckpointRow,
  findCheckpoint,
  findSession,
  isWorkrailError,
  loadCheckpoint,
  runFinally,
  type SessionId,
  WorkrailError,
} from "@workrail/core";
import { checkParams } from "./check-params.ts";
import { workrailOver } from "./facade.ts";
import { hasStore } from "./missing-store.ts";
import { openStore, type StorePlan } from "./open-store.ts";
import { isNode, placeOf } from "./place-of.ts";
import type { PushedCheckpoint, TakenPushed } from "./pushed-params.ts";
import type { Store } from "./store.ts";
import { underNewIds } from "./under-new-ids.ts";
import type { SyncStoreOptions, SyncStoreResult } from "./sync-options.ts";
import { noStore, readPlaces } from "./two-places.ts";
import type { Workrail } from "./workrail.ts";

/** Checkpoints that are compared with the target in one step. */
const BATCH = 200;
/** Bytes of contexts that are sent in one step, unless one alone has more. */
const BATCH_BYTES = 1024 * 1024;

/** Pushes checkpoints to another store, as `syncStore` of the library describes. */
export async function syncStore(options: SyncStoreOptions): Promise<SyncStoreResult> {
  checkParams(options, "syncStore", "options");
  const { source, target, adapters } = readPlaces(options);
  if (source.store === undefined && !hasStore(source.dataDir)) throw noStore(source.dataDir);
  const from = await openStore({ settings: source, adapters, project: undefined, upkeep: false });
  const withTarget = async (): Promise<SyncStoreResult> => {
    const to = await openTarget({ settings: target, adapters, project: undefined, upkeep: false });
    const push = new Push(from, to, options);
    return runFinally(
      async () => ({ from: placeOf(source), to: placeOf(target), ...(await push.run().catch(explained)) }),
      () => to.close(),
    );
  };
  return runFinally(withTarget, () => from.close());
}

/** @throws the error; for a token with a right to some projects, one that says why. */
function explained(error: unknown): never {
  if (!isWorkrailError(error) || error.details["field"] !== "projects") throw error;
  throw new WorkrailError("INVALID_INPUT", "The token gives access to some projects only, and a sync needs the whole store.", {
    details: error.details,
    hint: "Use a token without projects. Checkpoints keep their ids, and a taken id would reveal a checkpoint of another project.",
    cause: error,
  });
}

/** Saves of hooks stay: they are for the store of their data directory. */
async function openTarget(plan: StorePlan): Promise<Workrail> {
  const { store } = plan.settings;
  if (store === undefined || !isNode(store)) return workrailOver(await openStore(plan));
  return (await import("./remote/open-node.ts")).openNode({ ...plan, takeIncoming: false }, store);
}

/** The parts of a result, while they grow. */
type Report = {
  -readonly [Field in keyof Omit<SyncStoreResult, "from" | "to">]: SyncStoreResult[Field] extends readonly (infer Item)[]
    ? Item[]
    : SyncStoreResult[Field];
};

/** A checkpoint to send, loaded. */
interface Loaded {
  readonly record: CheckpointRecord;
  readonly pushed: PushedCheckpoint;
}

class Push {
  readonly #from: Store;
  readonly #to: Workrail;
  readonly #options: SyncStoreOptions;
  readonly #report: Report = { pushed: 0, present: 0, removedThere: 0, forks: [], renamed: [], refused: [], isComplete: true };
  /** The last checkpoint pushed to each session, by its id in the target. */
  readonly #pushed = new Map<SessionId, CheckpointId>();
  /** Ids in the target of the checkpoints whose own ids were taken there. */
  readonly #renamed = new Map<string, CheckpointId>();
  /** The ids in `#renamed` that are in the target. */
  readonly #newIds = new Set<CheckpointId>();
  /** Sessions whose checkpoints wait, because an earlier one was refused. */
  readonly #waiting = new Set<SessionId>();
  /** Sessions whose labels are sent, or about to be. */
  readonly #labelled = new Set<SessionId>();
  /** Checkpoints to send in the next step. */
  #loaded: Loaded[] = [];
  #bytes = 0;
  #done = 0;

  constructor(from: Store, to: Workrail, options: SyncStoreOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  async run(): Promise<Report> {
    const { total } = await this.#from.parts.catalog.read({ total: { of: "count", where: { state: "live" } } });
    let after: number | undefined;
    for (;;) {
      const rows = await this.#batch(after);
      const absent = await this.#absent(rows.map(({ record }) => record));
      for (const { record } of rows) {
        if (this.#options.signal?.aborted === true) {
          await this.#send();
          return { ...this.#report, isComplete: false };
        }
        if (absent.has(record.id)) await this.#push(record);
        this.#options.onProgress?.({ done: ++this.#done, total: Math.max(total, this.#done) });
      }
      after = rows.at(-1)?.commit;
      if (rows.length < BATCH) break;
    }
    await this.#send();
    for (const session of this.#pushed.keys()) await this.#pushLabels(session);
    return this.#report;
  }

  async #batch(after: number | undefined): Promise<readonly CheckpointRow[]> {
    const read = { of: "checkpoints", where: { state: "live" }, order: "oldest", limit: BATCH, after } as const;
    return (await this.#from.parts.catalog.read({ rows: read })).rows;
  }

  /** Returns the ids of the checkpoints that the target never had, and counts the others. */
  async #absent(records: readonly CheckpointRecord[]): Promise<ReadonlySet<CheckpointId>> {
    if (records.length === 0) return new Set();
    const checkpoints = records.map(({ id, sessionId, kind, createdAt }) => ({ id, sessionId, kind, createdAt }));
    const { states, renamed = [] } = await this.#to.findPushed({ checkpoints });
    for (const { id, now } of renamed) this.#noteNewId(id, now as CheckpointId);
    this.#report.present += states.filter((state) => state === "present").length;
    this.#report.removedThere += states.filter((state) => state === "removed").length;
    return new Set(records.filter((_, index) => states[index] === "absent").map(({ id }) => id));
  }

  /** Loads a checkpoint, and sends the loaded batch when it is large. */
  async #push(record: CheckpointRecord): Promise<void> {
    if (this.#waiting.has(record.sessionId)) return;
    try {
      const { context } = await loadCheckpoint({ ...this.#from.loadPorts, onLoaded: ignore }, { checkpointId: record.id });
      this.#loaded.push({ record, pushed: { ...pushedOf(record), session: await this.#labelsOf(record.sessionId), context } });
    } catch (error) {
      // It was removed after the batch was listed.
      if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return;
      this.#refuse(record, error);
    }
    this.#bytes += record.contextBytes;
    if (this.#bytes >= BATCH_BYTES || this.#loaded.length === BATCH) await this.#send();
  }

  /** Sent with the first checkpoint of a session: a killed call leaves no session without its labels. */
  async #labelsOf(sessionId: SessionId): Promise<PushedCheckpoint["session"]> {
    if (this.#labelled.has(sessionId)) return undefined;
    this.#labelled.add(sessionId);
    const session = await findSession(this.#from.parts.catalog, sessionId);
    return session && { tags: session.tags, pins: session.pins };
  }

  async #send(): Promise<void> {
    const loaded = this.#loaded.filter(({ record }) => !this.#waiting.has(record.sessionId));
    this.#loaded = [];
    this.#bytes = 0;
    if (loaded.length === 0) return;
    try {
      const { outcomes } = await this.#to.takePushed({ checkpoints: loaded.map(({ pushed }) => underNewIds(pushed, this.#renamed)) });
      for (const [index, { record }] of loaded.entries()) await this.#note(record, outcomes[index] as TakenPushed);
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "TOO_LARGE") throw error;
      const [only, ...others] = loaded;
      if (others.length === 0 && only !== undefined) return this.#note(only.record, { status: "refused", error });
      for (const each of loaded) {
        this.#loaded = [each];
        await this.#send();
      }
    }
  }

  async #note(record: CheckpointRecord, outcome: TakenPushed): Promise<void> {
    const { id: checkpointId, sessionId, parentId } = record;
    if (outcome.status === "waiting") return;
    if (outcome.status === "refused") return this.#refuse(record, outcome.error);
    const id = outcome.checkpointId as CheckpointId;
    const head = outcome.head as CheckpointId | undefined;
    if (id !== checkpointId) this.#noteNewId(checkpointId, id);
    this.#report[outcome.status === "taken" ? "pushed" : "present"] += 1;
    if (record.kind !== "aside" && head !== undefined && (await this.#isOthers(sessionId, head))) {
      this.#report.forks.push({ sessionId, checkpointId: id, parentId, head });
    }
    this.#pushed.set(sessionId, id);
    if (id !== checkpointId) this.#report.renamed.push({ sessionId, checkpointId, now: id });
  }

  /** @throws an error that is not one of this checkpoint alone. */
  #refuse({ id: checkpointId, sessionId }: CheckpointRecord, error: unknown): void {
    if (!isWorkrailError(error) || error.retryable) throw error;
    // The next checkpoints do not need a damaged one.
    if (error.code !== "CHECKPOINT_CORRUPT") this.#waiting.add(sessionId);
    this.#report.refused.push({ sessionId, checkpointId, code: error.code, message: error.message });
  }

  #noteNewId(id: string, now: CheckpointId): void {
    this.#renamed.set(id, now);
    this.#newIds.add(now);
  }

  /** Tells whether the head that a checkpoint found in the target belongs to another process. Own forks are not reported. */
  async #isOthers(sessionId: SessionId, head: CheckpointId): Promise<boolean> {
    if (head === this.#pushed.get(sessionId) || this.#newIds.has(head)) return false;
    return (await findCheckpoint(this.#from.parts.catalog, head)) === undefined;
  }

  /** Adds the tags and pins of a session. Tags and pins that only the target has stay. */
  async #pushLabels(sessionId: SessionId): Promise<void> {
    const ours = await findSession(this.#from.parts.catalog, sessionId);
    const { session: theirs } = await this.#to.findCheckpoints({ sessionId, limit: 1 });
    if (ours === undefined || theirs === undefined) return;
    const add = ours.tags.filter((tag) => theirs.tags?.includes(tag) !== true);
    if (add.length > 0) await this.#to.tagSession({ sessionId, add });
    const pins = ours.pins.filter((key) => theirs.criticalKeys?.includes(key) !== true);
    for (const contextKey of pins) await this.#to.markCritical({ sessionId, contextKey });
  }
}

function pushedOf(record: CheckpointRecord): Omit<PushedCheckpoint, "context"> {
  const { id, sessionId, kind, createdAt, parentId, name, tags, attributes, agentId, workflowId, project, layers, shieldedUntil } = record;
  return { id, sessionId, kind, createdAt, parentId, name, tags, attributes, agentId, workflowId, project, layers, shieldedUntil };
}

function ignore(): void {}
