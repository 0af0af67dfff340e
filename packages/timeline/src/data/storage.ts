import * as z from "zod";
import { type CleanUpRules, type DataPorts, reading } from "./call.ts";
import { type TimelineRow, timelineRow } from "./timeline.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The use of the store, the next removals, and the trash. */
export interface StorageUse extends QuotaUse {
  readonly trashBytes: number;
  readonly checkpoints: number;
  readonly warnings: readonly string[];
  /** Absent when they are not known. */
  readonly rules?: CleanUpRules | undefined;
  /** The sessions that retention removes first, and the times at which they are due. */
  readonly nextUnused: readonly DueSession[];
  /** Checkpoints that the store's own policy would remove now. */
  readonly next: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly to: string;
    readonly checkpoints: number;
    readonly bytes: number;
  }[];
  /** Longest there first. */
  readonly trash: readonly TrashedRow[];
  readonly trashed: number;
}

export interface DueSession {
  readonly sessionId: string;
  readonly name?: string | undefined;
  /** ISO 8601. */
  readonly dueAt: string;
}

interface TrashedRow extends TimelineRow {
  readonly sessionId: string;
  readonly trashedAt: string;
  /** Time at which it leaves the trash. */
  readonly dueAt?: string | undefined;
}

/** The share of its quota that the store uses. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Tells how full the store is. Much cheaper than `storage`, which plans a clean-up. */
export const usage = reading(z.object({}), async ({ store }): Promise<QuotaUse> => {
  const { usedBytes, limitBytes } = (await store.storeStatus()).quota;
  return { usedBytes, limitBytes };
});

const MOST_TRASH = 100;

export const storage = reading(z.object({}), async (ports): Promise<StorageUse> => {
  const { store, rules } = ports;
  const status = await store.storeStatus();
  const { removed } = await store.cleanUp({ dryRun: true });
  const trash = await store.listTrash();
  return {
    usedBytes: status.quota.usedBytes,
    limitBytes: status.quota.limitBytes,
    trashBytes: status.trashBytes,
    checkpoints: status.checkpoints,
    warnings: status.warnings,
    rules,
    nextUnused: await nextUnused(ports),
    next: removed.map(({ checkpointIds, ...rest }) => ({ ...rest, checkpoints: checkpointIds.length })),
    trash: trash.slice(-MOST_TRASH).map((each) => ({
      ...timelineRow(each),
      sessionId: each.sessionId,
      trashedAt: each.trashedAt,
      dueAt: rules === undefined ? undefined : daysAfter(each.trashedAt, rules.trashDays),
    })),
    trashed: status.trashed,
  };
});

const PAGE = 100;
const MOST_DUE = 5;

/** Finds the sessions that retention removes first. Sessions are listed the most recently used first. */
async function nextUnused({ store, rules }: DataPorts): Promise<readonly DueSession[]> {
  if (rules === undefined || rules.retentionDays === 0) return [];
  const due: DueSession[] = [];
  const { total } = await store.listSessions({ project: null, limit: 1 });
  for (let end = total; end > 0; end -= PAGE) {
    const offset = Math.max(0, end - PAGE);
    const { sessions } = await store.listSessions({ project: null, limit: end - offset, offset });
    const candidates = sessions.filter(({ retention, checkpointCount }) => retention !== "all" && checkpointCount > 0);
    for (const { id, name, lastAccessedAt } of candidates.toReversed()) {
      // Each of its checkpoints may be tagged `keep`.
      const { removed } = await store.cleanUp({ sessionId: id, dryRun: true });
      if (removed.length > 0) due.push({ sessionId: id, name, dueAt: daysAfter(lastAccessedAt, rules.retentionDays) });
      if (due.length === MOST_DUE) return due;
    }
  }
  return due;
}

function daysAfter(at: string, days: number): string {
  return new Date(new Date(at).getTime() + days * DAY_MS).toISOString();
}
