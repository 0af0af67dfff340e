import { isShielded } from "../asides.ts";
import type { AuditAction, AuditEvent } from "../../model/audit.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import { type Place, type Reads, sideRecordsOf } from "../reads.ts";
import { changed, type CheckpointRow, less, more, removalOf, type RowChange, type SessionRow } from "../rows.ts";
import { type Decision, nothing, type Rule, rule } from "../rule.ts";
import { ownerOf } from "../../model/side-record.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";

/**
 * Moves checkpoints of one session: to the trash, from the trash back to their old place, or to nowhere (removal). The blobs of
 * removed checkpoints become pending removals. Checkpoints that are not in `from` are skipped. Writes one audit row `trash`,
 * `restore` or `delete` with the reason for each moved checkpoint. Side records move with their checkpoints, without rows of their own.
 */
export type Move = {
  readonly sessionId: SessionId;
  readonly checkpoints: readonly CheckpointId[];
  readonly at: Date;
  readonly reason: string;
  readonly agentId?: string | undefined;
  /** Moves nothing if the session was used after this time: a plan made for an idle session is then void. */
  readonly unlessUsedSince?: Date | undefined;
  /** Skips checkpoints that are shielded for longer than `at`. Default `false`: a deliberate removal also removes the shield. */
  readonly sparesShielded?: boolean | undefined;
  /** Makes checkpoints that move to nowhere erasures too, unless they become live again. Default `false`. */
  readonly erases?: boolean | undefined;
} & ({ readonly from: "live"; readonly to: "trash" | "nowhere" } | { readonly from: "trash"; readonly to: "live" | "nowhere" });

/** Audit action of a move to a place. */
const ACTIONS: Readonly<Record<Move["to"], AuditAction>> = { trash: "trash", live: "restore", nowhere: "delete" };

/** Moves checkpoints of a session to the trash, back to life, or to nowhere. Returns their records as they were before. */
export function move(given: Move): Rule<readonly CheckpointRecord[]> {
  const { sessionId, from, at, unlessUsedSince, sparesShielded = false } = given;
  const ids = [...new Set(given.checkpoints)];
  return rule({
    reads: {
      session: { of: "session", id: sessionId },
      there: { of: "checkpoints", where: { state: from, sessionId, ids }, order: "any", limit: ids.length },
      records: sideRecordsOf(sessionId, from, ids),
      first: { of: "places", where: { state: "live", sessionId, kinds: ["workflow"] }, order: "oldest", limit: ids.length + 1 },
    } as const satisfies Reads,
    decide({ session, there, records, first }) {
      if (session === undefined || (unlessUsedSince !== undefined && session.lastAccessedAt > unlessUsedSince)) return nothing([]);
      const byId = new Map(there.map((row) => [row.record.id, row]));
      const isGoing = (row: CheckpointRow | undefined): row is CheckpointRow => {
        return row !== undefined && !(sparesShielded && isShielded(row.record, at));
      };
      const going = ids.map((id) => byId.get(id)).filter(isGoing);
      const gone = new Set(going.map(({ record }) => record.id));
      const beside = records.filter(({ record }) => !gone.has(record.id) && gone.has(ownerOf(record) ?? record.id));
      return going.length === 0 ? nothing([]) : moved(given, { session, going, beside, first });
    },
  });
}

interface Moving {
  readonly session: SessionRow;
  readonly going: readonly CheckpointRow[];
  /** Side records of those that go. */
  readonly beside: readonly CheckpointRow[];
  /** The oldest live workflow checkpoints, more of them than go. */
  readonly first: readonly Place[];
}

function moved(given: Move, { session, going, beside, first }: Moving): Decision<readonly CheckpointRecord[]> {
  const { sessionId, from, to, at, reason, agentId } = given;
  const all = [...going, ...beside];
  const counted = from === "live" ? less(session, all) : session;
  const back = to === "live" ? all.reduce((sum, { record }) => more(sum, record), counted) : counted;
  const now: SessionRow = { ...back, oldestLive: oldestAfter(given, going, first) };
  return {
    outcome: going.map(({ record }) => record),
    rows: [...all.flatMap((row) => rowsOf(given, row)), changed("session", session, now)],
    audit: going.map(({ record: { id: checkpointId } }): AuditEvent => {
      return { at, action: ACTIONS[to], sessionId, checkpointId, agentId, reason };
    }),
    touched: [sessionId],
  };
}

function rowsOf({ to, at, erases = false }: Move, row: CheckpointRow): readonly RowChange[] {
  if (to !== "nowhere") return [changed("checkpoint", row, { ...row, trashedAt: to === "trash" ? at : undefined })];
  const { id: checkpointId, sessionId, blob } = row.record;
  const erasure = erases ? [changed("erasure", undefined, { blob, checkpointId, sessionId })] : [];
  return [changed("checkpoint", row, undefined), changed("removal", undefined, removalOf(row.record)), ...erasure];
}

/** The ancestors of the oldest remaining workflow checkpoint are removed. */
function oldestAfter({ from, to }: Move, going: readonly CheckpointRow[], first: readonly Place[]): SessionRow["oldestLive"] {
  const ids = new Set(going.map(({ record }) => record.id));
  const left = first.filter(({ id }) => !(from === "live" && ids.has(id)));
  const back = to === "live" ? going.map(({ record }) => record).filter(({ kind }) => kind === "workflow") : [];
  const all: readonly Place[] = [...left, ...back];
  return all.toSorted((one, other) => one.sequence - other.sequence)[0]?.id ?? null;
}
