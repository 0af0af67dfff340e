import { bytesOf, type CleanUpPlan, type CleanUpReason, type PlannedMove, type Spared } from "../clean-up/plan.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Clock } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";
import { finishRemovals } from "./collect-garbage.ts";
import { type ErasingPorts, finishErasures } from "./finish-erasures.ts";

export interface CleanUpPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  readonly clock: Clock;
}

/** Of what a person has removed for good: it is overwritten. */
export type RemovalPorts = CleanUpPorts & ErasingPorts;

export interface CleanUpOptions {
  /** Tell what would be done, and change nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** Ends it early; what was done so far is reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Awaited between the pieces of work, so that others come in between. Default: not at all. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Told of what moves, and of each file that is removed. */
  readonly onProgress?: ((progress: CleanUpProgress) => void) | undefined;
}

export interface CleanUpProgress {
  readonly phase: "move" | "remove";
  /** Checkpoints of this phase. */
  readonly done: number;
  readonly total: number;
}

/** What was done, or with `dryRun` would be. */
export interface CleanUpReport {
  readonly dryRun: boolean;
  readonly removed: readonly Removal[];
  /** What stays although its turn had come. */
  readonly spared: readonly Spared[];
  /** Sessions that somebody used meanwhile, removed something of, or got a handle for: what there was left of them stays. */
  readonly passedOver: readonly SessionId[];
  /** Sessions of which nothing was left a day after their last use: they are forgotten, pins and tags included. */
  readonly forgotten: readonly SessionId[];
  /** What a person asked to be removed for good and is not overwritten yet, and why, a sentence each; the next opening of the store goes on. */
  readonly left: readonly string[];
  /** Of the whole store, the trash included, as stored. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Checkpoints of one session that went the same way for the same reason. */
export interface Removal {
  readonly sessionId: SessionId;
  readonly reason: CleanUpReason;
  readonly from: "live" | "trash";
  /** `nowhere`: they are gone for good. */
  readonly to: "trash" | "nowhere";
  readonly checkpointIds: readonly CheckpointId[];
  readonly bytes: number;
}

/** Moved in one transaction: few enough that a waiting save hardly notices. */
const BATCH = 200;

/**
 * Does what was planned, session by session, each only if nobody used it since the plan was made, and then removes the
 * blobs that are not needed any more. Safe beside other writers, and beside others that clean up.
 *
 * @param options.erasing erases what goes for good. Default: its blobs are unlinked, which is cheap enough to do after a save.
 */
export async function carryOut(
  ports: CleanUpPorts,
  plan: CleanUpPlan,
  {
    bytes,
    now,
    dryRun = false,
    signal,
    pause = async () => {},
    onProgress,
    erasing,
  }: CleanUpOptions & { readonly bytes: number; readonly now: Date; readonly erasing?: ErasingPorts },
): Promise<CleanUpReport> {
  const removed: Removal[] = [];
  const total = count(plan.moves.map(({ checkpoints }) => checkpoints));
  let done = 0;
  const onMoved = (checkpoints: number): void => onProgress?.({ phase: "move", done: (done += checkpoints), total });
  const passedOver = new Set<SessionId>();
  for (const move of plan.moves) {
    if (signal?.aborted === true) break;
    const how = { now, pause, onMoved, erases: erasing !== undefined };
    const went = dryRun ? { checkpointIds: move.checkpoints, bytes: move.bytes } : await carryOutMove(ports, move, how);
    const { sessionId, reason, from, to } = move;
    if (went.checkpointIds.length > 0) removed.push({ sessionId, reason, from, to, ...went });
    if (went.checkpointIds.length < move.checkpoints.length) passedOver.add(sessionId);
  }
  const gone = removed.filter(({ to }) => to === "nowhere");
  if (!dryRun && gone.length > 0) {
    const files = count(gone.map(({ checkpointIds }) => checkpointIds));
    await finishRemovals(ports, (removals) => onProgress?.({ phase: "remove", done: removals, total: Math.max(files, removals) }));
  }
  const isToErase = !dryRun && gone.length > 0 && erasing !== undefined;
  // Whoever works in a session still means its pins and tags: it is forgotten a day after its last use.
  const kept = new Set(gone.map(({ sessionId }) => sessionId));
  const { left } = isToErase ? await finishErasures(erasing, { kept }) : { left: [] };
  return {
    dryRun,
    removed,
    spared: plan.spared,
    passedOver: [...passedOver],
    forgotten: [],
    left,
    bytesBefore: bytes,
    bytesAfter: bytes - bytesOf(gone),
  };
}

function count(lists: readonly (readonly CheckpointId[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}

interface MoveOptions {
  readonly now: Date;
  readonly pause: () => Promise<void>;
  readonly onMoved: (checkpoints: number) => void;
  readonly erases: boolean;
}

async function carryOutMove(
  { catalog, locking }: CleanUpPorts,
  { checkpoints, ...planned }: PlannedMove,
  { now: at, pause, onMoved, erases }: MoveOptions,
): Promise<Pick<Removal, "checkpointIds" | "bytes">> {
  // A handle may have been given out since the plan was made.
  const sparesShielded = planned.from === "live" && planned.reason !== "manual";
  const move = { ...planned, sparesShielded, erases: erases && planned.to === "nowhere" };
  const moved: CheckpointRecord[] = [];
  for (let start = 0; start < checkpoints.length; start += BATCH) {
    const batch = checkpoints.slice(start, start + BATCH);
    const outcome = await locking.shared(() => catalog.commit({ move: { ...move, checkpoints: batch, at }, audit: [] }));
    if (outcome.status === "committed") moved.push(...outcome.moved);
    onMoved(batch.length);
    await pause();
  }
  return { checkpointIds: moved.map(({ id }) => id), bytes: moved.reduce((sum, { blobBytes }) => sum + blobBytes, 0) };
}
