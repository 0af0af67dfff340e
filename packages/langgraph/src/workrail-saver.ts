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
} from "@langchain/langgraph-checkpoint";
import type { Context } from "@workrail/core";
import type {
  AppendRecordsParams,
  CheckpointLabels,
  CheckpointMetadata as SavedMetadata,
  LoadedTextResult,
  Workrail,
} from "@workrail/runtime";
import { labelsOf, meetsMetadataFilter, metadataTags, namespaceTag, placeIn } from "./labels.ts";
import { isMissing, unlessMissing } from "./missing.ts";
import { configOf, partsOf, type Place, placeOf, sessionIdOf, storedIdOf, threadOf } from "./place.ts";
import { fromContextText, toContext } from "./stored-checkpoint.ts";
import { fixedPlaceOf, fromRecords, type StoredWrite, toPendingWrite, toRecords } from "./stored-write.ts";
import { fromTypedValue, toTypedValue } from "./typed-value.ts";

/** Operations of a store that the saver uses. */
export type SaverStore = Pick<
  Workrail,
  "saveCheckpoint" | "appendRecords" | "copySession" | "loadTexts" | "findCheckpoints" | "eachCheckpoint" | "erase"
>;

export interface WorkrailSaverOptions {
  /** Overwrites the files of a deleted thread, as `erase` of the store does by default. Default `false`: they are unlinked. */
  readonly overwriteOnDelete?: boolean | undefined;
}

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
  /** LangGraph's own serialiser; `undefined` when the caller brought one. */
  readonly #ownSerde: SerializerProtocol | undefined;
  readonly #overwrites: boolean;

  constructor(store: SaverStore, serde?: SerializerProtocol, { overwriteOnDelete = false }: WorkrailSaverOptions = {}) {
    super(serde);
    this.#store = store;
    this.#ownSerde = serde === undefined ? this.serde : undefined;
    this.#overwrites = overwriteOnDelete;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace = "", id } = partsOf(config);
    if (threadId === undefined) return undefined;
    const storedId = id === undefined ? (await this.#latest(threadId, namespace))?.id : storedIdOf({ threadId, namespace, id });
    if (storedId === undefined) return undefined;
    const [loaded] = await this.#load([storedId]);
    return loaded && this.#tupleOf(loaded);
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { threadId, namespace, id } = partsOf(config);
    const before = options.before === undefined ? undefined : partsOf(options.before).id;
    const filter = withoutUndefined(options.filter ?? {});
    const filterTags = await metadataTags(this.serde, filter);
    const tags = [...(namespace === undefined ? [] : [namespaceTag(namespace)]), ...filterTags];
    // Metadata in another format than JSON has no tags: it is compared when it is loaded.
    const untagged = filterTags.length < Object.keys(filter).length ? filter : undefined;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    let batch: string[] = [];
    for await (const saved of this.#saved(threadId, tags)) {
      if (left <= 0) return;
      const place = placeIn(saved);
      const isWanted =
        (namespace === undefined || place.namespace === namespace) &&
        (id === undefined || place.id === id) &&
        (before === undefined || place.id < before);
      if (!isWanted) continue;
      batch.push(saved.id);
      if (batch.length < Math.min(BATCH, left)) continue;
      for await (const tuple of this.#tuplesOf(batch, untagged)) {
        left -= 1;
        yield tuple;
      }
      batch = [];
    }
    if (batch.length > 0) yield* this.#tuplesOf(batch, untagged);
  }

  // oxlint-disable-next-line eslint/max-params -- the signature of LangGraph's BaseCheckpointSaver
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
    const [context, labels] = await Promise.all([
      toContext(this.serde, this.serde === this.#ownSerde, { checkpoint: prepared, metadata }),
      labelsOf(this.serde, place, { parent, metadata }),
    ]);
    await this.#save(place, parent, { context, metadata: labels });
    return configOf(place);
  }

  // oxlint-disable-next-line eslint/max-params -- the signature of LangGraph's BaseCheckpointSaver
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const place = placeOf(config);
    const stored = writes.map(async ([channel, value], index): Promise<StoredWrite> => {
      return { taskId, index: fixedPlaceOf(channel) ?? index, taskPath, channel, value: await toTypedValue(this.serde, value) };
    });
    await this.#append(place, toRecords(await Promise.all(stored)));
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#store.erase({ sessionId: sessionIdOf(threadId), overwrites: this.#overwrites }).catch(unlessMissing);
  }

  /** Copies all checkpoints of a thread, with their writes, to another thread, the oldest first. May be repeated. */
  async copyThread(fromThreadId: string, threadId: string): Promise<void> {
    if (fromThreadId === threadId) return;
    const rename = (_: string, { checkpoint_ns: namespace, checkpoint_id: id }: Readonly<Record<string, unknown>>) =>
      typeof namespace === "string" && typeof id === "string"
        ? { checkpointId: storedIdOf({ threadId, namespace, id }), attributes: { thread_id: threadId } }
        : {};
    const params = { fromSessionId: sessionIdOf(fromThreadId), toSessionId: sessionIdOf(threadId), rename };
    await this.#store.copySession(params).catch(unlessMissing);
  }

  /** Appends records to a checkpoint. A graph may write before its checkpoint is put. */
  async #append(place: Place, records: AppendRecordsParams["records"]): Promise<void> {
    const sessionId = sessionIdOf(place.threadId);
    if (records.length > 0) await this.#store.appendRecords({ checkpointId: storedIdOf(place), sessionId, records, secrets: "off" });
  }

  async #save(
    place: Place,
    parent: string | undefined,
    content: { readonly context: Context; readonly metadata: CheckpointLabels },
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

  /** Yields the labels of checkpoints without loading them, newest first. */
  #saved(threadId: string | undefined, tags: readonly string[] = []): AsyncIterable<SavedMetadata> {
    if (threadId === undefined) return this.#store.eachCheckpoint({ project: null, workflowId: WORKFLOW, tags });
    return this.#store.eachCheckpoint({ sessionId: sessionIdOf(threadId), workflowId: WORKFLOW, tags });
  }

  async #latest(threadId: string, namespace: string): Promise<SavedMetadata | undefined> {
    const sessionId = sessionIdOf(threadId);
    // Mostly the newest of all, which is found without a filter.
    const [newest] = (await this.#store.findCheckpoints({ sessionId, limit: 1 })).checkpoints;
    if (newest === undefined || (newest.workflowId === WORKFLOW && placeIn(newest).namespace === namespace)) return newest;
    const tags = [namespaceTag(namespace)];
    return (await this.#store.findCheckpoints({ sessionId, workflowId: WORKFLOW, tags, limit: 1 })).checkpoints[0];
  }

  /** Loads checkpoints in the given order; those deleted meanwhile are left out. */
  async #load(ids: readonly string[]): Promise<readonly LoadedTextResult[]> {
    const { checkpoints, failed } = await this.#store.loadTexts({ ids, withRecords: true });
    const failure = failed.find(({ error }) => !isMissing(error));
    if (failure !== undefined) throw failure.error;
    return checkpoints;
  }

  async *#tuplesOf(ids: readonly string[], filter: object | undefined): AsyncGenerator<CheckpointTuple> {
    for (const loaded of await this.#load(ids)) {
      const tuple = await this.#tupleOf(loaded);
      if (filter === undefined || (await meetsMetadataFilter(tuple.metadata, filter))) yield tuple;
    }
  }

  async #tupleOf({ text, metadata: saved, records }: LoadedTextResult): Promise<CheckpointTuple> {
    const { parent, ...place } = placeIn(saved);
    const { checkpoint, metadata } = await fromContextText(this.serde, text);
    const pendingWrites = await Promise.all(fromRecords(records).map((write) => toPendingWrite(this.serde, write)));
    if (checkpoint.v < 4 && parent !== undefined) await this.#addSends(checkpoint, { ...place, id: parent });
    const parentConfig = parent === undefined ? {} : { parentConfig: configOf({ ...place, id: parent }) };
    return { config: configOf(place), checkpoint, metadata, pendingWrites, ...parentConfig };
  }

  /** Before version 4, what a graph sent to tasks was kept with the parent alone. */
  async #addSends(checkpoint: Checkpoint, parent: Place): Promise<void> {
    const [loaded] = await this.#load([storedIdOf(parent)]);
    const sends = fromRecords(loaded?.records).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => fromTypedValue(this.serde, value)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

function withoutUndefined(filter: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function only(values: Checkpoint["channel_values"], versions: ChannelVersions): Checkpoint["channel_values"] {
  return Object.fromEntries(Object.entries(values).filter(([channel]) => Object.hasOwn(versions, channel)));
}
