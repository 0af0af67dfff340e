import { useCallback, useMemo, useState } from "preact/hooks";
import type { Timeline, TimelineRow } from "../data/timeline.ts";
import type { Route } from "./route.ts";
import { type Loaded, type Page, useData } from "./use-data.ts";

/** Rows of the first answer; the rest follows when the user scrolls there. */
const FIRST_ROWS = 200;
/** Rows that must be known on either side of the shown one. */
export const NEIGHBOURS = 100;

/** The parameters of the first answer. */
export function newestOf(sessionId: string): { readonly sessionId: string; readonly limit: number } {
  return { sessionId, limit: FIRST_ROWS };
}

export interface LoadedTimeline extends Loaded<Timeline> {
  /** False while older rows were not read. */
  readonly isWhole: boolean;
  /** Reads the older rows too. */
  readonly readAll: () => void;
}

/**
 * Reads the timeline of a session: its newest rows at once, and all others when they are asked for, or when the address names a checkpoint
 * among them. Reading ten thousand keeps the server from other answers for a quarter of a second.
 */
export function useTimeline({ api, versionOf }: Page, { sessionId, checkpointId, baseId }: Route): LoadedTimeline {
  const { any, lost } = versionOf(sessionId);
  const [whole, setWhole] = useState<string>();
  const ask = sessionId === undefined ? undefined : () => api.timeline(newestOf(sessionId));
  const first = useData(`timeline ${sessionId}`, ask, any);
  const { rows = [], total = 0 } = first.data ?? {};
  const isKnown = isNear(rows, checkpointId ?? first.data?.headId) && (baseId === undefined || rows.some(({ id }) => id === baseId));
  const wantsAll = total > rows.length && (whole === sessionId || !isKnown);
  // Read again only when it lost something: the first answer contains its result.
  const all = useData(`all of ${sessionId}`, sessionId === undefined || !wantsAll ? undefined : () => api.timeline({ sessionId }), lost);
  const readAll = useCallback(() => setWhole(sessionId), [sessionId]);
  return useMemo(() => {
    const isWhole = all.data !== undefined || rows.length >= total;
    return { ...first, data: joined(first.data, all.data), isWhole, readAll };
  }, [first.data, first.error, all.data, readAll]);
}

/** Tells whether a checkpoint and its neighbours are among the rows. */
function isNear(rows: readonly TimelineRow[], wanted: string | undefined): boolean {
  const place = rows.findIndex(({ id }) => id === wanted);
  return wanted === undefined || (place >= 0 && place + NEIGHBOURS < rows.length);
}

/** The newest rows, and behind them the older ones of the whole answer. */
function joined(newest: Timeline | undefined, all: Timeline | undefined): Timeline | undefined {
  if (newest === undefined || all === undefined) return newest;
  const known = new Set(newest.rows.map(({ id }) => id));
  return { ...newest, rows: [...newest.rows, ...all.rows.filter(({ id }) => !known.has(id))] };
}
