import type { Answers, Facts, Read, Reads, Tables, Where } from "@workrail/core";
import { ask } from "./ask.ts";
import { prepared } from "./queries/prepared.ts";
import type { Query } from "./queries/query-builder.ts";
import {
  auditQuery,
  blobQuery,
  bytesQuery,
  checkpointQuery,
  checkpointsQuery,
  countQuery,
  edgesQuery,
  erasuresQuery,
  holdsQuery,
  missingEdgesQuery,
  placesQuery,
  removalsQuery,
  sessionQuery,
  sessionsQuery,
  totalsQuery,
  wrongSumsQuery,
} from "./queries/read-queries.ts";
import { checkpointOf, erasureOf, listedSessionOf, loggedOf, sessionOf } from "./rows.ts";
import type { Connection } from "./sql-connection.ts";

/** Answers a read from the tables of a tenant. */
export function answerRead<R extends Read>(on: Connection, tenant: string, read: R): Promise<Answers[R["of"]]> {
  return ANSWERS[read.of](on, tenant, read as never) as Promise<Answers[R["of"]]>;
}

/** Answers reads, all in one round trip. */
export async function answerReads<R extends Reads>(on: Connection, tenant: string, reads: R): Promise<Facts<R>> {
  const answers = Object.entries(reads).map(async ([name, read]) => [name, await answerRead(on, tenant, read)] as const);
  return Object.fromEntries(await Promise.all(answers)) as Facts<R>;
}

/** The best plan for a listing depends on the values; one for the checkpoints of a session does not. */
const ofFew = ({ where }: { readonly where: Where }): boolean => (where.sessionId ?? where.ids ?? where.blobs) !== undefined;

/** The reads of a save. */
const READS = {
  checkpoint: prepared(checkpointQuery),
  checkpoints: prepared(checkpointsQuery, ofFew),
  places: prepared(placesQuery, ofFew),
  count: prepared(countQuery, ofFew),
  session: prepared(sessionQuery),
  removals: prepared(removalsQuery),
  erasures: prepared(erasuresQuery),
  blob: prepared(blobQuery),
  bytes: prepared(bytesQuery),
  audit: prepared(auditQuery, ({ query }) => Object.keys(query).join() === "limit"),
};

const ANSWERS: {
  readonly [K in Read["of"]]: (on: Connection, tenant: string, read: Extract<Read, { readonly of: K }>) => Promise<Answers[K]>;
} = {
  checkpoint: async (on, tenant, read) => (await all(on, READS.checkpoint(tenant, read), checkpointOf))[0],
  checkpoints: async (on, tenant, read) => (read.limit === 0 ? [] : all(on, READS.checkpoints(tenant, read), checkpointOf)),
  places: async (on, tenant, read) =>
    read.limit === 0 ? [] : all(on, READS.places(tenant, read), (row) => row as Answers["places"][number]),
  count: async (on, tenant, read) => (await ask(on, READS.count(tenant, read)))[0]?.total ?? 0,
  session: async (on, tenant, read) => (await all(on, READS.session(tenant, read), sessionOf))[0],
  sessions: (on, tenant, read) => all(on, sessionsQuery(tenant, read), listedSessionOf),
  edges: (on, tenant, read) => all(on, edgesQuery(tenant, read), (row) => row as Tables["edge"]),
  removals: (on, tenant, read) => all(on, READS.removals(tenant, read), (row) => ({ ...erasureOf(row), isDone: false })),
  erasures: (on, tenant, read) => all(on, READS.erasures(tenant, read), erasureOf),
  holds: (on, tenant) => all(on, holdsQuery(tenant), ({ holder, until }) => ({ holder, until: new Date(until) })),
  bytes: async (on, tenant, read) => (await ask(on, READS.bytes(tenant, read)))[0]?.bytes ?? 0,
  async totals(on, tenant) {
    const [row] = await ask(on, totalsQuery(tenant));
    return {
      sessions: row?.sessions ?? 0,
      checkpoints: row?.checkpoints ?? 0,
      damaged: row?.damaged ?? 0,
      liveBytes: row?.live_bytes ?? 0,
      trashed: row?.trashed ?? 0,
      trashBytes: row?.trash_bytes ?? 0,
      pendingRemovals: row?.pending ?? 0,
      neededRemovals: row?.needed ?? 0,
    };
  },
  audit: (on, tenant, read) => all(on, READS.audit(tenant, read), loggedOf),
  mark: async () => undefined,
  blob: async (on, tenant, read) => (await ask(on, READS.blob(tenant, read))).length > 0,
  async contradictions(on, tenant) {
    const [sums, edges] = await Promise.all([
      all(on, wrongSumsQuery(tenant), (row) => {
        const was = sessionOf(row);
        return { was, now: { ...was, checkpointCount: row.real_count, asideCount: row.real_asides, totalBytes: row.real_bytes } };
      }),
      all(on, missingEdgesQuery(tenant), (row) => row as Tables["edge"]),
    ]);
    return { sums, edges };
  },
};

async function all<Row, Answer>(on: Connection, query: Query<Row>, answerOf: (row: Row) => Answer): Promise<readonly Answer[]> {
  return (await ask(on, query)).map(answerOf);
}
