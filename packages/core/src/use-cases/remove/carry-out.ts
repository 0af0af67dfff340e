import { bytesOf, type CleanUpPlan, type CleanUpReason, type PlannedMove, type Spared } from "../../clean-up/plan.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Clock } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { finishRemovals } from "./collect-garbage.ts";
import { type ErasingPorts, finishErasures } from "./finish-erasures.ts";
import { commit } from "../../catalog/rules/commit.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface CleanUpPorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  readonly clock: Clock;
}

/** Ports for removals requested by a person, which are overwritten. */
export type RemovalPorts = CleanUpPorts & ErasingPorts;

export interface CleanUpOptions {
  /** Reports what would be done, and changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** Aborts early; the work done so far is reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Awaited between jobs, so that others can work in between. Default: no pause. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Called for each batch of moves and of removed files. */
  readonly onProgress?: ((progress: CleanUpProgress) => void) | undefined;
}

export interface CleanUpProgress {
  readonly phase: "move" | "remove";
  /** Checkpoints of this phase. */
  readonly done: number;
  readonly total: number;
}

/** Report of the work done, or with `dryRun` of the work that would be done. */
export interface CleanUpReport {
  readonly dryRun: boolean;
  readonly removed: readonly Removal[];
  /** Checkpoints that stay although they were due. */
  readonly spared: readonly Spared[];
  /** Sessions that were used, changed by a removal, or given a handle meanwhile. Their remaining checkpoints stay. */
  readonly passedOver: readonly SessionId[];
  /** Sessions that were still empty a day after their last use. They are forgotten, including pins and tags. */
  readonly forgotten: readonly SessionId[];
  /** Deliberate removals that are not overwritten yet, one sentence each with the reason. The next opening of the store continues. */
  readonly left: readonly string[];
  /** Stored bytes of the whole store, including the trash. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Checkpoints of one session that moved the same way for the same reason. */
export interface Removal {
  readonly sessionId: SessionId;
  readonly reason: CleanUpReason;
  readonly from: "live" | "trash";
  /** `nowhere`: removed permanently. */
  readonly to: "trash" | "nowhere";
  readonly checkpointIds: readonly CheckpointId[];
  readonly bytes: number;
}

/** Checkpoints per transaction: few enough that a waiting save hardly notices. */
const BATCH = 200;

/**
 * Carries out a plan session by session, each only if it was unused since the plan was made, then removes unneeded blobs. Safe with
 * concurrent writers and clean-ups.
 *
 * @param options.erasing erases permanently removed checkpoints. Default: their blobs are unlinked, which is cheap enough after a
 * save.
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
    const options = { now, pause, onMoved, erases: erasing !== undefined };
    const went = dryRun ? { checkpointIds: move.checkpoints, bytes: move.bytes } : await carryOutMove(ports, move, options);
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
  // Somebody who works in a session still needs its pins and tags: the session is forgotten a day after its last use.
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
  // A handle may have been issued since the plan was made.
  const sparesShielded = planned.from === "live" && planned.reason !== "manual";
  const move = { ...planned, sparesShielded, erases: erases && planned.to === "nowhere" };
  const moved: CheckpointRecord[] = [];
  for (let start = 0; start < checkpoints.length; start += BATCH) {
    const batch = checkpoints.slice(start, start + BATCH);
    const outcome = await locking.shared(() => catalog.change(commit({ move: { ...move, checkpoints: batch, at }, audit: [] })));
    if (outcome.status === "committed") moved.push(...outcome.moved);
    onMoved(batch.length);
    await pause();
  }
  return { checkpointIds: moved.map(({ id }) => id), bytes: moved.reduce((sum, { blobBytes }) => sum + blobBytes, 0) };
}
