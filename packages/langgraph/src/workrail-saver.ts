import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { isWorkrailError } from "@workrail/core";
import type { CheckpointLabels, CheckpointMetadata as SavedMetadata, LoadedTextResult, Workrail } from "@workrail/runtime";
import { filterOf, labelsOf, placeIn } from "./labels.ts";
import { configOf, partsOf, type Place, placeOf, sessionIdOf, storedIdOf, threadOf } from "./place.ts";
import { fromContextText, toContextText } from "./stored-checkpoint.ts";
import { inOrder, type StoredWrite, toPendingWrite } from "./stored-write.ts";
import { fromTypedValue, toTypedValue } from "./typed-value.ts";
import { WritesBeside } from "./writes-beside.ts";

/** Operations of a store that the saver uses. */
export type SaverStore = Pick<Workrail, "saveCheckpoint" | "loadCheckpoints" | "loadTexts" | "eachCheckpoint" | "erase">;

/** Marks the checkpoints of this package in a store that holds others too. */
const WORKFLOW = "langgraph";
/** Checkpoints loaded at once by `list`. */
const BATCH = 10;

/**
 * Keeps the checkpoints of LangGraph in a Workrail store. A thread is a session, and each put is durable when it resolves. Several processes
 * may use one thread. The saver does not close the store.
 */
export class WorkrailSaver extends BaseCheckpointSaver {
  readonly #store: SaverStore;
  readonly #writes: WritesBeside;

  constructor(store: SaverStore, serde?: SerializerProtocol) {
    super(serde);
    this.#store = store;
    this.#writes = new WritesBeside(store);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId = "", namespace = "", id = "" } = partsOf(config);
    if (threadId === "") return undefined;
    const storedId = id === "" ? (await this.#latest(threadId, namespace))?.id : storedIdOf({ threadId, namespace, id });
    if (storedId === undefined) return undefined;
    const [loaded] = await this.#load([storedId]);
    return loaded && this.#tupleOf(loaded);
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { threadId, namespace, id } = partsOf(config);
    const before = options.before === undefined ? undefined : partsOf(options.before).id;
    const wanted = await filterOf(this.serde, options.filter ?? {});
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    let batch: string[] = [];
    for await (const saved of this.#saved(threadId)) {
      if (left <= batch.length) break;
      const place = placeIn(saved);
      const isWanted =
        (namespace === undefined || place.namespace === namespace) &&
        (id === undefined || place.id === id) &&
        (before === undefined || place.id < before) &&
        wanted(saved);
      if (!isWanted) continue;
      batch.push(saved.id);
      if (batch.length < BATCH) continue;
      yield* this.#tuplesOf(batch);
      left -= batch.length;
      batch = [];
    }
    if (batch.length > 0) yield* this.#tuplesOf(batch);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const threadId = threadOf(config);
    const { namespace = "", id: parent } = partsOf(config);
    const place = { threadId, namespace, id: checkpoint.id };
    const prepared = copyCheckpoint(checkpoint);
    // Without a parent nothing is carried over: a channel without a new version has no value yet.
    if (parent === undefined) prepared.channel_values = only(prepared.channel_values, newVersions);
    const [context, typedMetadata] = await Promise.all([
      toContextText(this.serde, { checkpoint: prepared, metadata }),
      toTypedValue(this.serde, metadata),
    ]);
    await this.#save(place, parent, { context, metadata: labelsOf(place, parent, typedMetadata) });
    return configOf(place);
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const place = placeOf(config);
    const stored = writes.map(async ([channel, value], index): Promise<StoredWrite> => {
      return { taskId, index: WRITES_IDX_MAP[channel] ?? index, taskPath, channel, value: await toTypedValue(this.serde, value) };
    });
    await this.#writes.append(place, await Promise.all(stored));
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#writes.erase(threadId);
    await this.#store.erase({ sessionId: sessionIdOf(threadId) }).catch(unlessMissing);
  }

  async #save(
    place: Place,
    parent: string | undefined,
    content: { readonly context: string; readonly metadata: CheckpointLabels },
  ): Promise<void> {
    const params = {
      sessionId: sessionIdOf(place.threadId),
      checkpointId: storedIdOf(place),
      workflowId: WORKFLOW,
      retention: "all",
      force: true,
      secrets: "off",
      reportsDropped: false,
      ...content,
    } as const;
    const parentId = parent === undefined ? null : storedIdOf({ ...place, id: parent });
    try {
      await this.#store.saveCheckpoint({ ...params, parentId });
    } catch (error) {
      // With the durability `exit`, a graph names parents that it never put.
      if (parentId === null || !isMissing(error)) throw error;
      await this.#store.saveCheckpoint({ ...params, parentId: null });
    }
  }

  /** Yields what is known about checkpoints without loading them, newest first. */
  #saved(threadId: string | undefined): AsyncIterable<SavedMetadata> {
    if (threadId === undefined || threadId === "") return this.#store.eachCheckpoint({ project: null, workflowId: WORKFLOW });
    return this.#store.eachCheckpoint({ sessionId: sessionIdOf(threadId), workflowId: WORKFLOW });
  }

  async #latest(threadId: string, namespace: string): Promise<SavedMetadata | undefined> {
    for await (const saved of this.#saved(threadId)) if (placeIn(saved).namespace === namespace) return saved;
    return undefined;
  }

  /** Loads checkpoints in the given order; those deleted meanwhile are left out. */
  async #load(ids: readonly string[]): Promise<readonly LoadedTextResult[]> {
    const { checkpoints, failed } = await this.#store.loadTexts({ ids });
    const failure = failed.find(({ error }) => !isMissing(error));
    if (failure !== undefined) throw failure.error;
    return checkpoints;
  }

  async *#tuplesOf(ids: readonly string[]): AsyncGenerator<CheckpointTuple> {
    for (const loaded of await this.#load(ids)) yield await this.#tupleOf(loaded);
  }

  async #tupleOf({ text, metadata: saved }: LoadedTextResult): Promise<CheckpointTuple> {
    const { parent, ...place } = placeIn(saved);
    const { checkpoint, metadata } = await fromContextText(this.serde, text);
    const writes = await this.#writesOf(place);
    const pendingWrites = await Promise.all(writes.map((write) => toPendingWrite(this.serde, write)));
    if (checkpoint.v < 4 && parent !== undefined) await this.#addSends(checkpoint, { ...place, id: parent });
    const parentConfig = parent === undefined ? {} : { parentConfig: configOf({ ...place, id: parent }) };
    return { config: configOf(place), checkpoint, metadata, pendingWrites, ...parentConfig };
  }

  async #writesOf(place: Place): Promise<readonly StoredWrite[]> {
    return inOrder(await this.#writes.of(place));
  }

  /** Before version 4, what a graph sent to tasks was kept with the parent alone. */
  async #addSends(checkpoint: Checkpoint, parent: Place): Promise<void> {
    const sends = (await this.#writesOf(parent)).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => fromTypedValue(this.serde, value)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

function only(values: Checkpoint["channel_values"], versions: ChannelVersions): Checkpoint["channel_values"] {
  return Object.fromEntries(Object.entries(values).filter(([channel]) => Object.hasOwn(versions, channel)));
}

function isMissing(error: unknown): boolean {
  return isWorkrailError(error) && (error.code === "CHECKPOINT_NOT_FOUND" || error.code === "SESSION_NOT_FOUND");
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
