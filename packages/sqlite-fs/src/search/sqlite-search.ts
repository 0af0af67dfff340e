import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  type ChangedSession,
  type ChangePosition,
  CHECKPOINT_KINDS,
  type IndexChange,
  type IndexedSession,
  type IndexFilter,
  type IndexHit,
  type IndexNews,
  type IndexQuery,
  type IndexState,
  type Matches,
  type PageOfMatches,
  type SearchEngine,
  type SessionId,
  type TextOfCheckpoint,
} from "@workrail/core";
import { countsOf, marked, Ranking, relatedScores, ScoreSheet } from "@workrail/search";
import { documentFilter, type DocumentRow, seconds } from "./document-filter.ts";
import { packedId, unpackedId } from "./packed-id.ts";
import { dropWords, FORGET_WORDS, keepWords, termsAlike, termsBeginning } from "./vocabulary.ts";
import { type Run, DerivedDatabase, type DerivedDatabaseOptions } from "../derived-database.ts";
import { wordListsOf } from "./word-lists.ts";
import { SEARCH_CONTENT } from "./search-schema.ts";
import { databaseDamaged } from "../storage-errors.ts";

/** Number of candidates that get exact scores, beyond twice the requested number. */
const LOOKED_AT = 40;
/** FTS5 pages merged in one step. Each takes six pages of the file. */
const MERGED_PAGES = 32;
/** Merging leaves empty pages. Truncates the file by as many pages as one merge step fills. */
const GIVE_BACK = `PRAGMA incremental_vacuum(${6 * MERGED_PAGES})`;

/** The search index in `search.db`, with FTS5. Derived from the store, and created anew when it is missing. */
export class SqliteSearch implements SearchEngine {
  readonly #database: DerivedDatabase;
  readonly #sheet = new ScoreSheet();

  constructor(options: DerivedDatabaseOptions) {
    this.#database = new DerivedDatabase(options, SEARCH_CONTENT);
  }

  state(): Promise<IndexState> {
    return this.#database.read((run) => {
      const { position, pending } = run.get(STATE) as { readonly position: ChangePosition | null; readonly pending: number };
      return { position: position ?? undefined, pending };
    });
  }

  note({ position, sessions, restart = false }: IndexNews): Promise<void> {
    return this.#database.write((run) => {
      if (restart) run.exec(FORGET);
      for (const { sessionId, isExtended } of sessions) noteSession(run, sessionId, isExtended);
      if (position !== undefined) run.run("INSERT OR REPLACE INTO state VALUES ('position', ?)", position);
    });
  }

  pending(limit: number): Promise<readonly ChangedSession[]> {
    return this.#database.read((run) => {
      const rows = run.all(PENDING, limit) as readonly { id: SessionId; is_extended: number }[];
      return rows.map(({ id, is_extended: isExtended }) => ({ sessionId: id, isExtended: isExtended === 1 }));
    });
  }

  indexed(session: SessionId, newest?: number): Promise<IndexedSession> {
    return this.#database.read((run) => {
      const rows = (run.all(INDEXED, newest ?? -1, session) as readonly IndexedRow[]).toReversed();
      const checkpoints = rows.filter(isDocument).map(({ id, sequence, previous }) => {
        return { checkpointId: unpackedId(id), sequence, previous: previous === null ? 0 : sequence - previous };
      });
      return { version: rows[0]?.version ?? 0, checkpoints };
    });
  }

  update(change: IndexChange): Promise<boolean> {
    return this.#database.write((run) => {
      const session = run.get(SESSION, change.sessionId) as { readonly number: number; readonly version: number } | undefined;
      if ((session?.version ?? 0) !== change.version) return false;
      const number = session?.number ?? addSession(run, change.sessionId);
      for (const id of change.remove) removeDocument(run, number, packedId(id));
      noteLabels(
        run,
        number,
        change.add.map((text) => addDocument(run, number, text)),
      );
      keepWords(run, change.add);
      const tags = change.sessionTags.length === 0 ? null : JSON.stringify(change.sessionTags);
      run.run("UPDATE session SET version = ?, tags = ? WHERE number = ?", nextChange(run), tags, number);
      if (change.isDone) run.run("UPDATE session SET noted = NULL, is_extended = NULL WHERE number = ?", number);
      run.run(DROP_EMPTY, number);
      run.run("UPDATE state SET value = value + ? WHERE key = 'untidied'", change.remove.length + change.add.length);
      run.exec(GIVE_BACK);
      return true;
    });
  }

  async match({ terms, required, filter }: IndexQuery): Promise<Matches> {
    const found = await this.#database.read((run) => {
      const texts = Number(valueOf(run, "texts"));
      const usual = Number(valueOf(run, "terms")) / Math.max(1, texts);
      const among = documentsOf(run, filter.sessionId);
      return { texts, usual, ranking: new Ranking(wordListsOf(run), { terms, required }, { sheet: this.#sheet, texts, among }) };
    });
    return {
      page: ({ project, ...page }) =>
        this.#database.read((run) => pageOf(run, found, { ...page, filter: project === undefined ? filter : { ...filter, project } })),
    };
  }

  termsLike(term: string, most: number): Promise<readonly string[]> {
    return this.#database.read((run) => {
      const longer = termsBeginning(run, term, most * 4);
      if (longer.length > 0) return longer.slice(0, most);
      // Most spelling mistakes are not in the first letters.
      const [first = "", second = ""] = term;
      const alike = termsAlike(run, term, { beginning: first + second, most });
      return alike.length > 0 ? alike : termsAlike(run, term, { beginning: first, most });
    });
  }

  async tidy(): Promise<boolean> {
    const hasMore = await this.#database.write((run) => {
      const [untidied, texts] = [Number(valueOf(run, "untidied")), Number(valueOf(run, "texts"))];
      // Merge the whole index when much of it is new; otherwise only the segments that grew.
      const isFull = untidied > 0 && untidied * 4 >= texts;
      const isMerged = isMerging(run, isFull ? -MERGED_PAGES : MERGED_PAGES);
      if (isFull) run.run("UPDATE state SET value = 0 WHERE key = 'untidied'");
      run.exec(GIVE_BACK);
      return isFull || isMerged;
    });
    if (!hasMore) await this.#database.emptyLog();
    return hasMore;
  }

  async erase(): Promise<void> {
    this.#database.remove();
  }

  /** Erases the remains of removed texts from the files. Returns `false` when other connections read the log for too long. */
  async purge(): Promise<boolean> {
    if (!this.#database.isThere()) return true;
    // FTS5 only marks removed texts until their segments are merged.
    let pages = -MERGED_PAGES;
    while (await this.#database.write((run) => isMerging(run, pages))) {
      pages = MERGED_PAGES;
      await yieldToEventLoop();
    }
    await this.#database.write((run) => {
      run.exec(DROP_NAMES);
      dropWords(run);
    });
    return this.#database.purge();
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

/** Results of a query, with the numbers that its scores depend on. */
interface Found {
  /** Replaced by a deeper one when a page needs more documents. */
  ranking: Ranking;
  readonly texts: number;
  /** Average number of terms of a text. */
  readonly usual: number;
}

interface PageRequest extends Omit<PageOfMatches, "project"> {
  readonly filter: IndexFilter;
}

function pageOf(run: Run, found: Found, { filter, limit, offset, related = [] }: PageRequest): IndexHit[] {
  const meets = documentFilter(run, filter);
  if (meets === undefined) return [];
  const more = relatedScores(wordListsOf(run), related, found.texts);
  let hits = bestOf(run, found, { meets, more, count: limit + offset });
  while (hits.length < limit + offset && found.ranking.isCut) {
    found.ranking = found.ranking.deeper(wordListsOf(run));
    hits = bestOf(run, found, { meets, more, count: limit + offset });
  }
  const { most } = found.ranking;
  const page = hits.slice(offset, offset + limit);
  const names = namesOf(run, page);
  return page.map(({ number, score }) => ({ ...namesIn(names, number), score: within01(score / most) }));
}

/** Limits a score to 0 to 1. Damaged sums, which are not detected, give any score: the order may suffer, but not the promised range. */
function within01(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score));
}

interface Wanted {
  readonly meets: (row: DocumentRow) => boolean;
  readonly more: (number: number, relativeLength: number) => number;
  readonly count: number;
}

/** Returns the best documents, best first. May return more than wanted. */
function bestOf(run: Run, { ranking, usual }: Found, { meets, more, count }: Wanted): readonly Scored[] {
  const hits: Scored[] = [];
  const piece = LOOKED_AT + 2 * count;
  for (let from = 0; hits.length < count; from += piece) {
    const numbers = ranking.best(from, piece);
    if (numbers.length === 0) break;
    const rows = (run.all(DOCUMENTS, JSON.stringify(numbers)) as readonly DocumentRow[]).filter(meets);
    const scored = rows.map(({ number, terms }) => {
      const relativeLength = terms / usual;
      return { number, score: ranking.exact(number, relativeLength, more(number, relativeLength)) };
    });
    hits.push(...scored.sort((one, other) => other.score - one.score || other.number - one.number));
  }
  return hits;
}

interface Scored {
  readonly number: number;
  readonly score: number;
}

type HitNames = Omit<IndexHit, "score">;

function namesOf(run: Run, hits: readonly Scored[]): ReadonlyMap<number, HitNames> {
  const rows = run.all(NAMES, JSON.stringify(hits.map(({ number }) => number))) as readonly NamesRow[];
  return new Map(
    rows.map(({ number, id, session_id, sequence }) => [number, { checkpointId: unpackedId(id), sessionId: session_id, sequence }]),
  );
}

function namesIn(names: ReadonlyMap<number, HitNames>, number: number): HitNames {
  const found = names.get(number);
  if (found === undefined) throw databaseDamaged("A document of the index is of no session.");
  return found;
}

interface NamesRow {
  readonly number: number;
  readonly id: string | Uint8Array;
  readonly session_id: SessionId;
  readonly sequence: number;
}

const NOTE = `INSERT INTO session (id, version, noted, is_extended) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, noted = coalesce(noted, excluded.noted),
    is_extended = min(coalesce(is_extended, 1), excluded.is_extended)`;

const SESSION = "SELECT number, version FROM session WHERE id = ?";

const DROP_EMPTY =
  "DELETE FROM session WHERE number = ? AND noted IS NULL AND NOT EXISTS (SELECT 1 FROM document WHERE document.session = session.number)";

const STATE = `SELECT (SELECT value FROM state WHERE key = 'position') AS position,
  (SELECT count(*) FROM session WHERE noted IS NOT NULL) AS pending`;
const PENDING = "SELECT id, is_extended FROM session WHERE noted IS NOT NULL ORDER BY noted LIMIT CAST(? AS INTEGER)";

/** Returns at least one row for a session that exists. */
const INDEXED = `SELECT version, document.id, sequence, previous FROM session
  LEFT JOIN (SELECT * FROM document) AS document ON document.session = session.number
    AND document.sequence IN (SELECT sequence FROM document WHERE session = session.number ORDER BY sequence DESC LIMIT ?)
  WHERE session.id = ? ORDER BY sequence DESC`;

const DOCUMENTS_OF = "SELECT document.number FROM session JOIN document ON document.session = session.number WHERE session.id = ?";
const DOCUMENT = "SELECT number, terms FROM document WHERE session = ? AND id = ?";
const DOCUMENTS = `SELECT number, session, sequence, terms, kind, created, project, agent, workflow, tags
  FROM json_each(?) AS wanted JOIN document ON document.number = wanted.value`;
const NAMES = `SELECT document.number, document.id, session.id AS session_id, sequence
  FROM json_each(?) AS wanted JOIN document ON document.number = wanted.value JOIN session ON session.number = document.session`;

/** Deletes names that no document has. Labels of sessions may still have their numbers, which only causes needless lookups. */
const DROP_NAMES = `DELETE FROM name WHERE number NOT IN (SELECT project FROM document WHERE project IS NOT NULL
  UNION SELECT agent FROM document WHERE agent IS NOT NULL UNION SELECT workflow FROM document WHERE workflow IS NOT NULL
  UNION SELECT tags FROM document WHERE tags IS NOT NULL)`;

const FORGET = `INSERT INTO term (term) VALUES ('delete-all'); DELETE FROM document; DELETE FROM name; DELETE FROM session; ${FORGET_WORDS};
  DELETE FROM state WHERE key = 'position'; UPDATE state SET value = 0 WHERE key IN ('texts', 'terms')`;

interface IndexedRow {
  readonly version: number;
  readonly id: string | Uint8Array | null;
  readonly sequence: number | null;
  readonly previous: number | null;
}

function isDocument(row: IndexedRow): row is IndexedRow & { readonly id: string | Uint8Array; readonly sequence: number } {
  return row.id !== null;
}

/** Returns the documents of a session, ascending; `undefined` without a session, which means all documents. */
function documentsOf(run: Run, session: SessionId | undefined): readonly number[] | undefined {
  if (session === undefined) return undefined;
  const rows = run.all(DOCUMENTS_OF, session) as readonly { readonly number: number }[];
  return rows.map(({ number }) => number).sort((one, other) => one - other);
}

function valueOf(run: Run, key: string): unknown {
  return (run.get("SELECT value FROM state WHERE key = ?", key) as { readonly value: unknown } | undefined)?.value;
}

/** Returns a new number each time. */
function nextChange(run: Run): number {
  run.run("UPDATE state SET value = value + 1 WHERE key = 'changes'");
  return Number(valueOf(run, "changes"));
}

function noteSession(run: Run, id: SessionId, isExtended: boolean): void {
  const change = nextChange(run);
  run.run(NOTE, id, change, change, isExtended ? 1 : 0);
}

/** Merges a part of the index of terms; a negative number begins to merge all of it. True when there was anything to merge. */
function isMerging(run: Run, pages: number): boolean {
  const before = changesOf(run);
  run.run("INSERT INTO term (term, rank) VALUES ('merge', ?)", pages);
  return changesOf(run) - before >= 2;
}

function changesOf(run: Run): number {
  return (run.get("SELECT total_changes() AS changes") as { readonly changes: number }).changes;
}

function addSession(run: Run, id: SessionId): number {
  run.run("INSERT INTO session (id, version) VALUES (?, 0)", id);
  return (run.get(SESSION, id) as { readonly number: number }).number;
}

function removeDocument(run: Run, session: number, id: string | Uint8Array): void {
  const row = run.get(DOCUMENT, session, id) as { readonly number: number; readonly terms: number } | undefined;
  if (row === undefined) return;
  run.run("DELETE FROM document WHERE number = ?", row.number);
  run.run("DELETE FROM term WHERE rowid = ?", row.number);
  if (row.terms > 0) count(run, -1, -row.terms);
}

function addDocument(run: Run, session: number, text: TextOfCheckpoint): Named {
  const counts = countsOf(text.terms);
  const given = [text.project, text.agentId, text.workflowId, text.tags.length === 0 ? undefined : JSON.stringify(text.tags)];
  const names = given.map((name) => (name === undefined ? null : nameNumber(run, name)));
  const created = seconds(text.createdAt);
  const { number } = run.get(
    `INSERT INTO document (session, sequence, id, previous, terms, kind, created, project, agent, workflow, tags)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    session,
    text.sequence,
    packedId(text.checkpointId),
    text.previous === 0 ? null : text.sequence - text.previous,
    counts.size,
    CHECKPOINT_KINDS.indexOf(text.kind),
    created,
    ...names,
  ) as { number: number };
  const words = [...marked(counts), ...text.stopWords];
  if (words.length > 0) run.run("INSERT INTO term (rowid, words) VALUES (?, ?)", number, words.join(" "));
  if (counts.size > 0) count(run, 1, counts.size);
  return { names: names.filter((name) => name !== null), created };
}

/** Adds labels to a session. Labels are never removed: a session may be looked up needlessly, but is never missed. */
function noteLabels(run: Run, session: number, added: readonly Named[]): void {
  const row = run.get("SELECT labels, newest FROM session WHERE number = ?", session) as {
    readonly labels: string;
    readonly newest: number;
  };
  const labels = new Set([...(JSON.parse(row.labels) as readonly number[]), ...added.flatMap(({ names }) => names)]);
  const newest = added.reduce((latest, { created }) => Math.max(latest, created), row.newest);
  run.run("UPDATE session SET labels = ?, newest = ? WHERE number = ?", JSON.stringify([...labels]), newest, session);
}

/** Numbers of a document's names, and the time when its checkpoint was saved. */
interface Named {
  readonly names: readonly number[];
  readonly created: number;
}

function count(run: Run, texts: number, terms: number): void {
  run.run("UPDATE state SET value = value + ? WHERE key = 'texts'", texts);
  run.run("UPDATE state SET value = value + ? WHERE key = 'terms'", terms);
}

function nameNumber(run: Run, value: string): number {
  run.run("INSERT OR IGNORE INTO name (value) VALUES (?)", value);
  return (run.get("SELECT number FROM name WHERE value = ?", value) as { readonly number: number }).number;
}
