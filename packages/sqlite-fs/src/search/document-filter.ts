import { CHECKPOINT_KINDS, type IndexFilter } from "@workrail/core";
import type { SqliteValue } from "../sqlite-driver.ts";
import type { Run } from "../derived-database.ts";

/** A row of `document`, as far as filters and scores need it. */
export interface DocumentRow {
  readonly number: number;
  readonly session: number;
  readonly sequence: number;
  readonly terms: number;
  readonly kind: number;
  readonly created: number;
  readonly project: number | null;
  readonly agent: number | null;
  readonly workflow: number | null;
  /** Number of the name that holds the list of tags. */
  readonly tags: number | null;
}

/**
 * Returns a test for documents that meet a filter, or that have a later document of their session that meets the filter.
 *
 * @returns `undefined` when no document can pass: the index does not have that project, agent, workflow or session.
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
  const lists = new Map<number, string>();
  const sessions = new Map<number, SessionRow>();
  const newest = new Map<number, number>();
  const sessionOf = (row: DocumentRow): SessionRow => known(sessions, row.session, () => run.get(SESSION, row.session) as SessionRow);
  const tagsOf = (row: DocumentRow): string | null => (row.tags === null ? null : known(lists, row.tags, (number) => nameOf(run, number)));
  return (row) => {
    if (session !== null && row.session !== session) return false;
    const meets =
      kinds.includes(row.kind) &&
      (project === null || row.project === project) &&
      (agent === null || row.agent === agent) &&
      (workflow === null || row.workflow === workflow) &&
      (since === null || row.created >= since) &&
      (until === null || row.created <= until) &&
      (tags.length === 0 || missing(tags, [tagsOf(row), sessionOf(row).tags]).length === 0);
    if (meets) return true;
    const last = known(newest, row.session, () => newestMeeting(run, row.session, { of: sessionOf(row), wanted, since, fixed, tags }));
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

interface SessionRow {
  readonly tags: string | null;
  /** JSON list of numbers of names. */
  readonly labels: string;
  readonly newest: number;
}

const SESSION = "SELECT tags, labels, newest FROM session WHERE number = ?";

interface Conditions {
  readonly of: SessionRow;
  /** Numbers of names that the session's documents must have had. */
  readonly wanted: readonly number[];
  readonly since: number | null;
  readonly fixed: readonly SqliteValue[];
  readonly tags: readonly string[];
}

/** Returns the sequence of the newest document of a session that meets the filter; 0 when there is none. */
function newestMeeting(run: Run, session: number, { of, wanted, since, fixed, tags }: Conditions): number {
  if (wanted.length > 0 && !hasAll(of.labels, wanted)) return 0;
  if (since !== null && of.newest < since) return 0;
  const { newest } = run.get(NEWEST_MEETING, ...fixed, JSON.stringify(missing(tags, [of.tags])), session) as {
    readonly newest: number | null;
  };
  return newest ?? 0;
}

function hasAll(labels: string, wanted: readonly number[]): boolean {
  const there = JSON.parse(labels) as readonly number[];
  return wanted.every((name) => there.includes(name));
}

/** Returns the tags that are in none of the JSON lists. */
function missing(wanted: readonly string[], lists: readonly (string | null)[]): readonly string[] {
  const there = new Set(lists.flatMap((list) => (list === null ? [] : (JSON.parse(list) as readonly string[]))));
  return wanted.filter((tag) => !there.has(tag));
}

function nameOf(run: Run, number: number): string {
  return (run.get("SELECT value FROM name WHERE number = ?", number) as { readonly value: string }).value;
}

/** Returns the cached value of a number, or finds and caches it. */
function known<T>(values: Map<number, T>, number: number, find: (number: number) => T): T {
  const value = values.get(number) ?? find(number);
  values.set(number, value);
  return value;
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

/** Converts a time to whole seconds, the unit of `document.created`. */
export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
