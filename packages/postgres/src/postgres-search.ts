import {
  type ChangedSession,
  type ChangePosition,
  CHECKPOINT_KINDS,
  type CheckpointId,
  isAlike,
  type IndexChange,
  type IndexedSession,
  type IndexFilter,
  type IndexHit,
  type IndexNews,
  type IndexQuery,
  type IndexState,
  type Matches,
  maxDistance,
  type PageOfMatches,
  type SearchEngine,
  type SessionId,
  type TextOfCheckpoint,
} from "@workrail/core";
import { type AskedDocuments, countsOf, marked, Ranking, relatedScores, ScoreSheet } from "@workrail/search";
import { type RawBuilder, sql } from "kysely";
import { ask } from "./ask.ts";
import { AskedLists } from "./asked-lists.ts";
import { builder, type Query } from "./queries/query-builder.ts";
import { storedText } from "./stored-text.ts";
import type { Transactions } from "./transactions.ts";

/** Number of candidates beyond the requested ones whose rough scores are made exact. */
const LOOKED_AT = 40;
/** Factor of the candidates that the next round looks at. */
const MORE = 4;
/** Words looked at in one step of tidying. */
const TIDIED = 500;
/** Words that are compared with a term. */
const MOST_WORDS = 20_000;
/** Documents that are counted to tell which of several words are likely. */
const COUNTED = 200;

/** The search index in tables of a tenant. All processes share it. */
export class PostgresSearch implements SearchEngine {
  readonly #tenant: string;
  readonly #transactions: Transactions;
  readonly #sheet = new ScoreSheet();
  /** As of the last look at the state, which comes before each search. Scores need it only roughly. */
  #size: Size | undefined;

  constructor(tenant: string, transactions: Transactions) {
    this.#tenant = tenant;
    this.#transactions = transactions;
  }

  async state(): Promise<IndexState> {
    const [row] = await this.#read<{ readonly position: ChangePosition | null; readonly pending: number } & Size>(sql`
      select position, texts, terms,
        (select count(*) from workrail.search_session where tenant_id = ${this.#tenant} and noted is not null) as pending
      from workrail.search_state where tenant_id = ${this.#tenant}`);
    this.#size = row;
    return { position: row?.position ?? undefined, pending: row?.pending ?? 0 };
  }

  note({ position, sessions, restart = false }: IndexNews): Promise<void> {
    const notes = sessions.map(({ sessionId, isExtended }) => sql`select workrail.search_note(${sessionId}, ${isExtended})`);
    const statements = [
      ...(restart ? [sql`select workrail.search_restart()`] : []),
      sql`select workrail.search_change()`,
      ...notes,
      ...(position === undefined ? [] : [sql`update workrail.search_state set position = ${position} where tenant_id = ${this.#tenant}`]),
    ];
    return this.#transactions.run(async (connection) => {
      await Promise.all(statements.map((statement) => ask(connection, query(statement))));
    });
  }

  async pending(limit: number): Promise<readonly ChangedSession[]> {
    return this.#read<ChangedSession>(sql`
      select id as "sessionId", is_extended as "isExtended" from workrail.search_session
      where tenant_id = ${this.#tenant} and noted is not null order by noted limit ${limit}`);
  }

  async indexed(session: SessionId, newest?: number): Promise<IndexedSession> {
    const [[row], documents] = await this.#transactions.reading((connection) =>
      Promise.all([
        ask(
          connection,
          query<{ readonly version: number }>(
            sql`select version from workrail.search_session where tenant_id = ${this.#tenant} and id = ${session}`,
          ),
        ),
        ask(
          connection,
          query<{ readonly checkpointId: CheckpointId; readonly sequence: number; readonly previous: number }>(
            sql`select id as "checkpointId", sequence, previous from workrail.search_document
              where tenant_id = ${this.#tenant} and session_id = ${session} order by sequence desc limit ${newest ?? null}`,
          ),
        ),
      ]),
    );
    return { version: row?.version ?? 0, checkpoints: documents.toReversed() };
  }

  async update({ sessionId, version, remove, add, sessionTags, isDone }: IndexChange): Promise<boolean> {
    const texts = add.map((text) => ({ text, counts: countsOf(text.terms) }));
    const added = JSON.stringify(texts.map(({ text, counts }) => documentOf(text, counts)));
    const terms = [...new Set(texts.flatMap(({ counts }) => [...counts.keys()]))];
    this.#size = undefined;
    const [row] = await this.#rows<{ readonly isDone: boolean }>(sql`select workrail.search_update(${sessionId}, ${version},
      ${[...remove]}::text[], ${added}::jsonb, ${terms}::text[], ${[...sessionTags]}::text[], ${isDone}) as "isDone"`);
    return row?.isDone === true;
  }

  async match({ terms, required, filter }: IndexQuery): Promise<Matches> {
    const { sessionId } = filter;
    const [{ texts, terms: all }, among] = await Promise.all([
      this.#size ?? this.state().then(() => this.#size ?? NOTHING),
      sessionId === undefined ? undefined : this.#documentsOf(sessionId),
    ]);
    const lists = new AskedLists((asked) => this.#numbers(asked));
    const ranking = await lists.complete(() => new Ranking(lists, { terms, required }, { sheet: this.#sheet, texts, among }));
    const found: Found = { ranking, lists, texts, usual: all / Math.max(1, texts) };
    return { page: ({ project, ...page }) => this.#page(found, project === undefined ? filter : { ...filter, project }, page) };
  }

  async termsLike(term: string, most: number): Promise<readonly string[]> {
    const longer = (await this.#words(term, 1, Number.MAX_SAFE_INTEGER)).filter((word) => word !== term).slice(0, COUNTED);
    const known = await this.#likeliest(longer);
    if (known.length > 0) return known.slice(0, most);
    const length = Array.from(term).length;
    const apart = maxDistance(term);
    // Most spelling mistakes are not in the first letters.
    const [first = "", second = ""] = term;
    for (const beginning of [first + second, first]) {
      const alike = (await this.#words(beginning, length - apart, length + apart)).filter((word) => isAlike(term, word));
      const likely = await this.#likeliest(alike.slice(0, COUNTED));
      if (likely.length > 0) return likely.slice(0, most);
    }
    return [];
  }

  async tidy(): Promise<boolean> {
    const [row] = await this.#rows<{ readonly hasMore: boolean }>(sql`select workrail.search_tidy(${TIDIED}) as "hasMore"`);
    return row?.hasMore === true;
  }

  async erase(): Promise<void> {
    this.#size = undefined;
    await this.#rows(sql`select workrail.search_restart()`);
  }

  async close(): Promise<void> {}

  async #page(found: Found, filter: IndexFilter, { limit, offset, related = [] }: Omit<PageOfMatches, "project">): Promise<IndexHit[]> {
    const { lists, texts } = found;
    const more = await lists.complete(() => relatedScores(lists, related, texts));
    let hits = await this.#best(found, filter, { more, count: limit + offset });
    while (hits.length < limit + offset && found.ranking.isCut) {
      const { ranking } = found;
      found.ranking = await lists.complete(() => ranking.deeper(lists));
      hits = await this.#best(found, filter, { more, count: limit + offset });
    }
    const { most } = found.ranking;
    return hits.slice(offset, offset + limit).map(({ row: { id, session_id: sessionId, sequence }, score }) => {
      return { checkpointId: id, sessionId, sequence, score: Math.min(1, Math.max(0, score / most)) };
    });
  }

  /** Returns the best documents, best first. May return more than wanted. */
  async #best({ ranking, usual }: Found, filter: IndexFilter, { more, count }: Wanted): Promise<readonly Scored[]> {
    const hits: Scored[] = [];
    // Where few documents meet the filter, each round looks at more of them.
    for (let [from, piece] = [0, LOOKED_AT + 2 * count]; hits.length < count; from += piece, piece *= MORE) {
      const numbers = ranking.best(from, piece);
      if (numbers.length === 0) break;
      const scored = (await this.#meeting(numbers, filter)).map((row) => {
        const relativeLength = row.terms / usual;
        return { row, score: ranking.exact(row.number, relativeLength, more(row.number, relativeLength)) };
      });
      hits.push(...scored.sort((one, other) => other.score - one.score || other.row.number - one.row.number));
    }
    return hits;
  }

  /** Returns the documents that meet a filter, or that have a later document of their session that does. */
  #meeting(numbers: readonly number[], filter: IndexFilter): Promise<readonly DocumentRow[]> {
    const later = sql`exists (select 1 from workrail.search_document as later where later.tenant_id = found.tenant_id
      and later.session_id = found.session_id and later.sequence > found.sequence and ${meets("later", filter)})`;
    return this.#read<DocumentRow>(sql`select found.number, found.session_id, found.sequence, found.id, found.terms
      from workrail.search_document as found
      join workrail.search_session as session on session.tenant_id = found.tenant_id and session.id = found.session_id
      where found.tenant_id = ${this.#tenant} and found.number = any(${[...numbers]}::bigint[])
        and (${filter.sessionId === undefined ? sql`true` : sql`found.session_id = ${filter.sessionId}`})
        and ((${meets("found", filter)}) or ${later})`);
  }

  async #documentsOf(session: SessionId): Promise<readonly number[]> {
    const documents = await this.#read<{ readonly number: number }>(sql`select number from workrail.search_document
      where tenant_id = ${this.#tenant} and session_id = ${session} order by number`);
    return documents.map(({ number }) => number);
  }

  /** Reads several lists in one round trip. */
  #numbers(asked: readonly AskedDocuments[]): Promise<readonly (readonly number[])[]> {
    return this.#transactions.reading((connection) =>
      Promise.all(
        asked.map(async ({ having, words, span, most, isLatest }) => {
          const [row] = await ask(
            connection,
            query<{ readonly numbers: readonly string[] }>(
              sql`select workrail.search_numbers(${having}, ${[...words]}::text[], ${span.first}, ${span.last}, ${most}, ${isLatest}) as numbers`,
            ),
          );
          return (row?.numbers ?? []).map(Number).sort((one, other) => one - other);
        }),
      ),
    );
  }

  /** Returns words with a beginning whose numbers of characters are in a range. Some may be of no document any more. */
  async #words(beginning: string, shortest: number, longest: number): Promise<readonly string[]> {
    const rows = await this.#read<{ readonly term: string }>(sql`select term from (
      select term from workrail.search_word where tenant_id = ${this.#tenant} and term >= ${beginning} and term < ${beginning} || chr(1114111)
      limit ${MOST_WORDS}) as word where char_length(term) between ${shortest}::bigint and ${longest}::bigint`);
    return rows.map(({ term }) => term);
  }

  /** Returns the words that documents have, those of the most documents first. */
  async #likeliest(words: readonly string[]): Promise<readonly string[]> {
    if (words.length === 0) return [];
    const span = { first: 0, last: Number.MAX_SAFE_INTEGER };
    const found = await this.#numbers(words.map((word) => ({ having: "any", words: [word], span, most: COUNTED, isLatest: true })));
    return words
      .map((word, at) => ({ word, documents: found[at]?.length ?? 0 }))
      .filter(({ documents }) => documents > 0)
      .sort((one, other) => other.documents - one.documents)
      .map(({ word }) => word);
  }

  #read<Row>(statement: RawBuilder<unknown>): Promise<readonly Row[]> {
    return this.#transactions.reading((connection) => ask(connection, query<Row>(statement)));
  }

  #rows<Row>(statement: RawBuilder<unknown>): Promise<readonly Row[]> {
    return this.#transactions.run((connection) => ask(connection, query<Row>(statement)));
  }
}

interface Size {
  readonly texts: number;
  /** Sum over all texts. */
  readonly terms: number;
}

const NOTHING: Size = { texts: 0, terms: 0 };

/** Results of a query, with the numbers that its scores depend on. */
interface Found {
  /** Replaced by a deeper one when a page needs more documents. */
  ranking: Ranking;
  readonly lists: AskedLists;
  readonly texts: number;
  /** Average number of terms of a text. */
  readonly usual: number;
}

interface Wanted {
  readonly more: (number: number, relativeLength: number) => number;
  readonly count: number;
}

interface DocumentRow {
  readonly number: number;
  readonly session_id: SessionId;
  readonly sequence: number;
  readonly id: CheckpointId;
  readonly terms: number;
}

interface Scored {
  readonly row: DocumentRow;
  readonly score: number;
}

function query<Row>(statement: RawBuilder<unknown>): Query<Row> {
  return { compile: () => statement.compile(builder) };
}

/** Condition of a filter on a document whose session is `session`. */
function meets(document: "found" | "later", filter: IndexFilter): RawBuilder<unknown> {
  const { project, tags = [], since, until, workflowId, agentId } = filter;
  const kinds = filter.kinds ?? CHECKPOINT_KINDS.filter((kind) => kind !== "aside");
  const of = (column: string): RawBuilder<unknown> => sql.ref(`${document}.${column}`);
  const conditions = [
    sql`${of("kind")} = any(${[...kinds]}::text[])`,
    ...(project === undefined ? [] : [sql`${of("project")} = ${project}`]),
    ...(agentId === undefined ? [] : [sql`${of("agent_id")} = ${agentId}`]),
    ...(workflowId === undefined ? [] : [sql`${of("workflow_id")} = ${workflowId}`]),
    ...(since === undefined ? [] : [sql`${of("created_at")} >= ${since.getTime()}`]),
    ...(until === undefined ? [] : [sql`${of("created_at")} <= ${until.getTime()}`]),
    ...(tags.length === 0 ? [] : [sql`${[...tags]}::text[] <@ (${of("tags")} || session.tags)`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** Returns a document for `search_update`, with texts as the database can hold them. */
function documentOf(text: TextOfCheckpoint, counts: ReadonlyMap<string, number>): object {
  const { checkpointId, sequence, previous, stopWords, kind, createdAt, project, agentId, workflowId, tags } = text;
  return {
    id: stored(checkpointId),
    sequence,
    previous,
    terms: counts.size,
    kind,
    createdAt: createdAt.getTime(),
    project: stored(project),
    agentId: stored(agentId),
    workflowId: stored(workflowId),
    tags: tags.map(stored),
    words: [...marked(counts), ...stopWords].map(stored),
  };
}

function stored<T extends string | undefined>(text: T): T {
  return (text === undefined ? undefined : storedText(text)) as T;
}
