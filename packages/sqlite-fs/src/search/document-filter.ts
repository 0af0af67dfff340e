import { CHECKPOINT_KINDS, type IndexFilter } from "@workrail/core";
import type { SqliteValue } from "../sqlite-driver.ts";
import type { Run } from "../derived-database.ts";

/** A row of `document`. */
export interface DocumentRow {
  readonly number: number;
  readonly session: number;
  readonly session_id: string;
  readonly session_tags: string | null;
  /** JSON. */
  readonly labels: string;
  readonly newest: number;
  readonly sequence: number;
  readonly id: string | Uint8Array;
  readonly terms: number;
  readonly kind: number;
  readonly created: number;
  readonly project: number | null;
  readonly agent: number | null;
  readonly workflow: number | null;
  readonly tags: string | null;
}

/**
 * Tells which documents meet a filter, or have a later one of their session that does.
 *
 * @returns `undefined` when none can: nothing has that project, agent, workflow or session.
 */
export function documentFilter(run: Run, filter: IndexFilter): ((row: DocumentRow) => boolean) | undefined {
  const names = [filter.project, filter.agentId, filter.workflowId].map((value) => (value === undefined ? null : numberOf(run, value)));
  const session = filter.sessionId === undefined ? null : sessionNumber(run, filter.sessionId);
  if (names.includes(undefined) || session === undefined) return undefined;
  const [project = null, agent = null, workflow = null] = names;
  const kinds = (filter.kinds ?? CHECKPOINT_KINDS.filter((kind) => kind !== "aside")).map((kind) => CHECKPOINT_KINDS.indexOf(kind));
  const since = filter.since === undefined ? null : seconds(filter.since);
  const until = filter.until === undefined ? null : seconds(filter.until);
  const tags = filter.tags ?? [];
  const fixed = [JSON.stringify(kinds), project, agent, workflow, since, until] as const;
  const wanted = [project, agent, workflow].filter((name) => name !== null);
  const newest = new Map<number, number>();
  return (row) => {
    if (session !== null && row.session !== session) return false;
    const meets =
      kinds.includes(row.kind) &&
      (project === null || row.project === project) &&
      (agent === null || row.agent === agent) &&
      (workflow === null || row.workflow === workflow) &&
      (since === null || row.created >= since) &&
      (until === null || row.created <= until) &&
      (tags.length === 0 || missing(tags, [row.tags, row.session_tags]).length === 0);
    if (meets) return true;
    if (wanted.length > 0 && !hasAll(row.labels, wanted)) return false;
    if (since !== null && row.newest < since) return false;
    let last = newest.get(row.session);
    if (last === undefined) newest.set(row.session, (last = newestMeeting(run, row, fixed, tags)));
    return row.sequence <= last;
  };
}

const NEWEST_MEETING = `WITH given (kinds, project, agent, workflow, since, until, tags) AS (VALUES (?, ?, ?, ?, ?, ?, ?))
  SELECT max(sequence) AS newest FROM document, given WHERE session = ?
    AND kind IN (SELECT value FROM json_each(given.kinds))
    AND (given.project IS NULL OR document.project = given.project)
    AND (given.agent IS NULL OR document.agent = given.agent)
    AND (given.workflow IS NULL OR document.workflow = given.workflow)
    AND (since IS NULL OR created >= since) AND (until IS NULL OR created <= until)
    AND NOT EXISTS (SELECT 1 FROM json_each(given.tags) AS wanted WHERE NOT EXISTS (
      SELECT 1 FROM name, json_each(name.value) AS has WHERE name.number = document.tags AND has.value = wanted.value))`;

/** The sequence of the newest in a document's session that meets the filter; 0 when none does. */
function newestMeeting(run: Run, row: DocumentRow, fixed: readonly SqliteValue[], tags: readonly string[]): number {
  const wanted = JSON.stringify(missing(tags, [row.session_tags]));
  const { newest } = run.get(NEWEST_MEETING, ...fixed, wanted, row.session) as { readonly newest: number | null };
  return newest ?? 0;
}

function hasAll(labels: string, wanted: readonly number[]): boolean {
  const there = JSON.parse(labels) as readonly number[];
  return wanted.every((name) => there.includes(name));
}

/** Tags that are in none of the lists, which are JSON. */
function missing(wanted: readonly string[], lists: readonly (string | null)[]): readonly string[] {
  const there = new Set(lists.flatMap((list) => (list === null ? [] : (JSON.parse(list) as readonly string[]))));
  return wanted.filter((tag) => !there.has(tag));
}

function numberOf(run: Run, value: string): number | undefined {
  return numberIn(run.get("SELECT number FROM name WHERE value = ?", value));
}

function sessionNumber(run: Run, id: string): number | undefined {
  return numberIn(run.get("SELECT number FROM session WHERE id = ?", id));
}

function numberIn(row: unknown): number | undefined {
  return (row as { readonly number: number } | undefined)?.number;
}

/** As `document.created`. */
export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
