import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type CheckpointListOptions,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { configOf, type Place, placeOf } from "./place.ts";
import { fixedPlaceOf } from "./stored-write.ts";

/** Counts of checkpoints. */
export interface ThreadMigration {
  readonly total: number;
  /** Checkpoints that are in the new saver now. */
  readonly done: number;
  /** Checkpoints of `done` that were there before this call. */
  readonly present: number;
}

export interface MigrateThreadsOptions {
  /** Default: all threads. */
  readonly threadIds?: readonly string[] | undefined;
  /** Called after each checkpoint. */
  readonly onProgress?: ((progress: ThreadMigration) => void) | undefined;
  /** Ends the migration between two checkpoints, with the signal's reason as the error. */
  readonly signal?: AbortSignal | undefined;
}

type OldSaver = Pick<BaseCheckpointSaver, "list" | "getTuple">;
type NewSaver = Pick<BaseCheckpointSaver, "getTuple" | "put" | "putWrites">;

/** Checkpoints that the old saver lists at once. */
const PAGE = 50;

/**
 * Copies threads from another saver, such as `SqliteSaver` or `PostgresSaver`: each checkpoint with its namespace, parent, metadata and
 * pending writes, in the order of their ids, which is the order of time. May be stopped and repeated: checkpoints that are there stay as
 * they are. Changes nothing in the old saver. Let no graph run before the migration is complete: a checkpoint that is copied later would be
 * the latest of its thread.
 *
 * @throws the errors of both savers, as they are.
 */
export async function migrateThreads(
  from: OldSaver,
  to: NewSaver,
  { threadIds, onProgress, signal }: MigrateThreadsOptions = {},
): Promise<ThreadMigration> {
  const places: Place[] = [];
  for (const threadId of threadIds ?? [undefined]) for (const place of await placesIn(from, threadId, signal)) places.push(place);
  places.sort((one, other) => (one.id === other.id ? 0 : one.id < other.id ? -1 : 1));
  let counts: ThreadMigration = { done: 0, total: places.length, present: 0 };
  for (const place of places) {
    signal?.throwIfAborted();
    const isPresent = (await to.getTuple(configOf(place))) !== undefined;
    if (!isPresent) await copy(from, to, place);
    counts = { ...counts, done: counts.done + 1, present: counts.present + (isPresent ? 1 : 0) };
    onProgress?.(counts);
  }
  return counts;
}

/** Lists places page by page: both savers load all checkpoints of a list at once. */
async function placesIn(from: OldSaver, threadId: string | undefined, signal: AbortSignal | undefined): Promise<readonly Place[]> {
  const config = threadId === undefined ? {} : { configurable: { thread_id: threadId } };
  const places: Place[] = [];
  let before: Pick<CheckpointListOptions, "before"> = {};
  for (let limit = PAGE; ;) {
    signal?.throwIfAborted();
    const page = await listed(from, config, { limit, ...before });
    if (page.length < limit) return [...places, ...page];
    if (!isNewestFirst(page)) return listed(from, config, {});
    // Other threads may have a checkpoint of the last id, behind this page.
    const last = page.at(-1)?.id;
    const whole = page.filter(({ id }) => id !== last);
    limit = whole.length === 0 ? limit * 2 : PAGE;
    places.push(...whole);
    const end = places.at(-1);
    before = end === undefined ? {} : { before: { configurable: { checkpoint_id: end.id } } };
  }
}

async function listed(from: OldSaver, config: RunnableConfig, options: CheckpointListOptions): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const tuple of from.list(config, options)) places.push(placeOf(tuple.config));
  return places;
}

/** False for a saver that lists one thread after the other. */
function isNewestFirst(page: readonly Place[]): boolean {
  return page.every(({ id }, index) => index === 0 || id <= (page[index - 1] as Place).id);
}

/** Puts the writes first: a checkpoint that is there is complete. */
async function copy(from: OldSaver, to: NewSaver, place: Place): Promise<void> {
  const tuple = await from.getTuple(configOf(place));
  // It was deleted meanwhile.
  if (tuple === undefined) return;
  for (const { taskId, writes, taskPath } of writesOfTasks(tuple)) await to.putWrites(configOf(place), writes, taskId, taskPath);
  const { checkpoint, metadata = { source: "loop", step: 0, parents: {} }, parentConfig } = tuple;
  const parent = parentConfig === undefined ? undefined : placeOf(parentConfig).id;
  const config = { configurable: { thread_id: place.threadId, checkpoint_ns: place.namespace, checkpoint_id: parent } };
  const versions = {
    ...Object.fromEntries(Object.keys(checkpoint.channel_values).map((channel) => [channel, 1])),
    ...checkpoint.channel_versions,
  };
  await to.put(config, checkpoint, metadata, versions);
}

interface TaskWrites {
  readonly taskId: string;
  readonly writes: PendingWrite[];
  /** A saver tells no paths of tasks: this one keeps their order, before those of tasks that will run. */
  readonly taskPath: string;
}

/**
 * Returns the writes of each task. Errors, interrupts and the like have fixed places, so they are put apart from the others, whose places
 * are their order.
 */
function writesOfTasks({ pendingWrites = [] }: CheckpointTuple): readonly TaskWrites[] {
  const isSpecial = ([, channel]: CheckpointPendingWrite): boolean => fixedPlaceOf(channel) !== undefined;
  const tasks = Map.groupBy(pendingWrites, ([taskId]) => taskId);
  return [...tasks].flatMap(([taskId, own], index) =>
    [own.filter((write) => !isSpecial(write)), own.filter(isSpecial)]
      .filter((part) => part.length > 0)
      .map((part) => ({
        taskId,
        writes: part.map(([, channel, value]): PendingWrite => [channel, value]),
        taskPath: String(index).padStart(10, "0"),
      })),
  );
}
