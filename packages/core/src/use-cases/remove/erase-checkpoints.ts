import { ALREADY_HELD } from "../../locking/process-locking.ts";
import { ERASED } from "../../model/audit.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import type { Move } from "../../catalog/rules/move.ts";
import { type ErasingPorts, type FinishedErasures, finishErasures } from "./finish-erasures.ts";
import { checkpointNotFound, sessionNotFound } from "../load/load-checkpoint.ts";
import { eachRecord, eachTrashed } from "./view-store.ts";
import { auditRows } from "../../catalog/queries/read-audit.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { type CatalogChange, commit } from "../../catalog/rules/commit.ts";

/** Checkpoints to erase, live or in the trash; or whole sessions. */
export type EraseInput = ({ readonly checkpointIds: readonly CheckpointId[] } | { readonly sessionIds: readonly SessionId[] }) & {
  /** Spares checkpoints that are tagged `keep`, directly or through their session. Default `false`, because the caller named them. */
  readonly sparesKept?: boolean | undefined;
  /** Default `true`. With `false` the blobs are only unlinked, and the rest of the storage is not purged, as after pruning. */
  readonly overwrites?: boolean | undefined;
  readonly agentId?: string | undefined;
  /** Reports what would be erased, and changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
};

export interface ErasureReport extends FinishedErasures {
  readonly dryRun: boolean;
  /** Checkpoints that were erased, or with `dryRun` would be. */
  readonly erased: readonly ErasedCheckpoint[];
  /** Checkpoints that stay because they are tagged `keep`. */
  readonly spared: readonly ErasedCheckpoint[];
  /** Known copies elsewhere, which are not changed. */
  readonly copies: KnownCopies;
}

export interface ErasedCheckpoint {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
}

/** Times at which copies were made, newest first. The store does not know their places. */
export interface KnownCopies {
  /** Backups of the whole store. */
  readonly backups: readonly Date[];
  /** Exports of the sessions. */
  readonly exports: readonly Date[];
}

type From = "live" | "trash";

interface Found {
  readonly record: CheckpointRecord;
  readonly from: From;
  readonly isKept: boolean;
}

/**
 * Erases checkpoints, or whole sessions, in one operation: afterwards nothing of their content, names and tags is left in the store. From
 * the decision on they are not found, and a handle reports the erasure. Unfinished parts are listed in the report, and finished by the next
 * opening of the store; but without `overwrites`, a session that an interrupted call emptied is forgotten by the next clean-up. The audit
 * log keeps one row with the id of each. All other checkpoints stay unchanged.
 *
 * @throws CHECKPOINT_NOT_FOUND and SESSION_NOT_FOUND, without erasing anything, also on a second call; LOCK_TIMEOUT and
 * STORAGE_UNAVAILABLE.
 */
export async function eraseCheckpoints(ports: ErasingPorts, input: EraseInput): Promise<ErasureReport> {
  const { sparesKept = false, dryRun = false, overwrites = true } = input;
  return ports.locking.shared(async () => {
    const found = "sessionIds" in input ? await allOf(ports.catalog, input.sessionIds) : await named(ports.catalog, input.checkpointIds);
    const stays = ({ isKept }: Found): boolean => sparesKept && isKept;
    const going = found.filter((each) => !stays(each));
    const erased = going.map(told);
    const spared = found.filter(stays).map(told);
    const copies = await knownCopies(ports.catalog, new Set(erased.map(({ sessionId }) => sessionId)));
    if (dryRun) return { dryRun, erased, spared, copies, left: [], unreadable: [] };
    const sparing = new Set(spared.map(({ sessionId }) => sessionId));
    const whole = "sessionIds" in input ? input.sessionIds.filter((sessionId) => !sparing.has(sessionId)) : [];
    await decide(ports, going, { agentId: input.agentId, whole, erases: overwrites });
    const forgotten = overwrites ? whole : [...whole, ...erased.map(({ sessionId }) => sessionId)];
    const emptied = { forgotten, purges: overwrites };
    return { dryRun, erased, spared, copies, ...(await finishErasures({ ...ports, locking: ALREADY_HELD }, emptied)) };
  });
}

interface ErasureDecision {
  readonly agentId: string | undefined;
  /** Sessions to erase completely, even when tagged `keep`. */
  readonly whole: readonly SessionId[];
  readonly erases: boolean;
}

/** Commits the decision to erase. */
async function decide(
  { catalog, clock }: ErasingPorts,
  going: readonly Found[],
  { agentId, whole, erases }: ErasureDecision,
): Promise<void> {
  const at = clock.now();
  const reason = erases ? ERASED : "manual";
  const bySession = Map.groupBy(going, ({ record }) => record.sessionId);
  const wholeSessions = new Set(whole);
  for (const sessionId of new Set([...wholeSessions, ...bySession.keys()])) {
    const found = bySession.get(sessionId) ?? [];
    const moves = (["live", "trash"] as const).flatMap((from): readonly Move[] => {
      const checkpoints = found.filter((each) => each.from === from).map(({ record }) => record.id);
      return checkpoints.length === 0 ? [] : [{ sessionId, checkpoints, at, reason, agentId, from, to: "nowhere", erases }];
    });
    const changes = moves.map((move): CatalogChange => ({ move, audit: [] }));
    if (wholeSessions.has(sessionId) && (await findSession(catalog, sessionId))?.tags.includes(KEEP_TAG) === true) {
      const audit = [{ at, action: "tag", sessionId, checkpointId: undefined, agentId, reason } as const];
      changes[0] = { ...changes[0], tags: { sessionId, add: [], remove: [KEEP_TAG] }, audit };
    }
    for (const change of changes) await catalog.change(commit(change));
  }
}

async function named(catalog: CatalogPort, ids: readonly CheckpointId[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const id of new Set(ids)) {
    const { row } = await catalog.read({ row: { of: "checkpoint", id } });
    if (row === undefined) throw await checkpointNotFound({ catalog }, id);
    const session = await findSession(catalog, row.record.sessionId);
    found.push(asFound(row.record, row.trashedAt === undefined ? "live" : "trash", session?.tags.includes(KEEP_TAG) ?? false));
  }
  return found;
}

async function allOf(catalog: CatalogPort, sessionIds: readonly SessionId[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const sessionId of new Set(sessionIds)) for (const each of await allOfOne(catalog, sessionId)) found.push(each);
  return found;
}

async function allOfOne(catalog: CatalogPort, sessionId: SessionId): Promise<readonly Found[]> {
  const session = await findSession(catalog, sessionId);
  if (session === undefined) throw sessionNotFound(sessionId);
  const isKept = session.tags.includes(KEEP_TAG);
  const found: Found[] = [];
  for await (const record of eachRecord(catalog, { sessionId, kinds: CHECKPOINT_KINDS })) found.push(asFound(record, "live", isKept));
  for await (const { record } of eachTrashed(catalog, { sessionId })) found.push(asFound(record, "trash", isKept));
  return found;
}

function asFound(record: CheckpointRecord, from: From, isSessionKept: boolean): Found {
  return { record, from, isKept: isSessionKept || record.tags.includes(KEEP_TAG) };
}

function told({ record: { id: checkpointId, sessionId } }: Found): ErasedCheckpoint {
  return { checkpointId, sessionId };
}

async function knownCopies(catalog: CatalogPort, sessions: ReadonlySet<SessionId>): Promise<KnownCopies> {
  const rows = await auditRows(catalog, { actions: ["backup", "export"] });
  const ofSessions = rows.filter(({ action, sessionId }) => action === "export" && sessionId !== undefined && sessions.has(sessionId));
  return { backups: rows.filter(({ action }) => action === "backup").map(({ at }) => at), exports: ofSessions.map(({ at }) => at) };
}
