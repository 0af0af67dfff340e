import { useMemo } from "preact/hooks";
import type { Timeline } from "../data/timeline.ts";
import { type Loaded, type Page, useData, useLater } from "./use-data.ts";

/** Rows of the first answer; the rest follows. */
const FIRST_ROWS = 200;

/** The parameters of the first answer. */
export function newestOf(sessionId: string): { readonly sessionId: string; readonly limit: number } {
  return { sessionId, limit: FIRST_ROWS };
}

/** Reads the timeline of a session: its newest rows at once, and all others after them. */
export function useTimeline({ api, versionOf }: Page, sessionId: string | undefined): Loaded<Timeline> {
  const { any, lost } = versionOf(sessionId);
  const ask = sessionId === undefined ? undefined : () => api.timeline(newestOf(sessionId));
  const first = useData(`timeline ${sessionId}`, ask, any);
  const isLong = useLater() && (first.data?.total ?? 0) > FIRST_ROWS;
  // Read again only when it lost something: what it got is in the first answer.
  const all = useData(`all of ${sessionId}`, sessionId === undefined || !isLong ? undefined : () => api.timeline({ sessionId }), lost);
  return useMemo(() => ({ ...first, data: joined(first.data, all.data) }), [first.data, first.error, all.data]);
}

/** The newest rows, and behind them the older ones of the whole answer. */
function joined(newest: Timeline | undefined, all: Timeline | undefined): Timeline | undefined {
  if (newest === undefined || all === undefined) return newest;
  const known = new Set(newest.rows.map(({ id }) => id));
  return { ...newest, rows: [...newest.rows, ...all.rows.filter(({ id }) => !known.has(id))] };
}
