import {
  ALL,
  SESSION_PROJECT,
  changesOf,
  invalidInput,
  nothing,
  rule,
  sessionNotFound,
  unknownCheckpoint,
  type Answers,
  type CatalogPort,
  type CheckpointId,
  type CheckpointRecord,
  type CheckpointRow,
  type Facts,
  type Read,
  type Reads,
  type RowChange,
  type Rule,
  type Select,
  type SelectSessions,
  type SessionId,
  type SessionRow,
  type Where,
  type WorkrailError,
} from "@workrail/core";

/** Session as a listing shows it. */
type ListedSession = Answers["sessions"][number];
/** Names of a read in a read of many. */
type Part<R extends Read = Read> = Readonly<Record<string, R>>;

/**
 * Restricts a catalog to the checkpoints of some projects: data of other projects does not exist for its reader, nor do counts of them.
 * A session exists where it has one of these checkpoints, with only their sums. The audit log, holds and removals belong to no project, and
 * are empty.
 *
 * A change fails when it concerns a session with checkpoints of other projects too, which is for reading only.
 */
export function confinedCatalog(catalog: CatalogPort, projects: readonly string[]): CatalogPort {
  const isOurs = ({ project }: CheckpointRecord): boolean => project !== undefined && projects.includes(project);

  return {
    async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
      const answers = Object.entries(reads).map(async ([name, read]) => [name, await answer(read)] as const);
      return Object.fromEntries(await Promise.all(answers)) as Facts<R>;
    },
    change: (change) => catalog.change(guarded(change)),
  };

  async function answer(read: Read): Promise<Answers[Read["of"]]> {
    switch (read.of) {
      case "checkpoint": {
        const { row } = await catalog.read({ row: read });
        return row !== undefined && isOurs(row.record) ? shown(row) : undefined;
      }
      case "checkpoints":
        return select(read);
      case "places":
        return (await select({ ...read, of: "checkpoints" })).map(({ record: { id, sequence } }) => ({ id, sequence }));
      case "count":
        return count(read.where);
      case "session":
        return session(read.id);
      case "sessions":
        return sessions(read);
      case "bytes":
        return (await select(everyRow("any"))).reduce((sum, { record }) => sum + record.blobBytes, 0);
      case "totals":
        return totals();
      case "contradictions":
        return { sums: [], edges: [] };
      case "blob":
        return (await catalog.read({ has: read })).has;
      case "mark":
        return undefined;
      case "edges":
      case "removals":
      case "erasures":
      case "holds":
      case "audit":
        return [];
    }
  }

  async function select(read: Select): Promise<readonly CheckpointRow[]> {
    const among = projectsOf(read.where);
    const [only, ...others] = among;
    if (only === undefined) return [];
    const { limit, offset = 0 } = read;
    const page = others.length === 0 ? { limit, offset } : { limit: Math.min(ALL, limit + offset), offset: 0 };
    const found = await catalog.read(forEach(among, (project) => ({ ...read, ...page, where: of(project, read.where) })));
    const rows = Object.values(found).flat();
    return (others.length === 0 ? rows : rows.toSorted(orderOf(read)).slice(offset, offset + limit)).map(shown);
  }

  async function count(where: Where): Promise<number> {
    return sumOf(await catalog.read(forEach(projectsOf(where), (project) => ({ of: "count", where: of(project, where) }))));
  }

  async function session(id: SessionId): Promise<SessionRow | undefined> {
    if ((await count({ state: "any", sessionId: id })) === 0) return undefined;
    const { row } = await catalog.read({ row: { of: "session", id } });
    return row === undefined ? undefined : (await withOwnSums([row]))[0];
  }

  async function sessions(read: SelectSessions): Promise<readonly ListedSession[]> {
    // A session that can be forgotten has no checkpoint, so it belongs to no project.
    const among = read.where.has === "nothing" ? [] : projectsOf({ state: "live", project: read.where.project });
    const found = await catalog.read(forEach(among, (project) => ({ ...read, where: { ...read.where, project } })));
    const byId = new Map(Object.values(found).flatMap((rows) => rows.map((row) => [row.id, row])));
    const rows = [...byId.values()].toSorted((one, other) => byTime(one.lastAccessedAt, other.lastAccessedAt) || byText(one.id, other.id));
    return withOwnSums(rows.slice(0, read.limit));
  }

  /** Replaces the sums of sessions with checkpoints of other projects. */
  async function withOwnSums<Row extends SessionRow>(rows: readonly Row[]): Promise<readonly Row[]> {
    const own = await Promise.all(rows.map(({ id }) => count({ state: "live", sessionId: id })));
    return Promise.all(rows.map(async (row, at) => (own[at] === row.checkpointCount ? row : { ...row, ...(await sumsOf(row.id)) })));
  }

  async function sumsOf(sessionId: SessionId): Promise<Partial<ListedSession>> {
    const records = (await select(everyRow("live", sessionId))).map(({ record }) => record);
    return {
      oldestLive: null,
      checkpointCount: records.length,
      asideCount: records.filter(({ kind }) => kind === "aside").length,
      damagedCount: records.filter(({ damaged }) => damaged).length,
      totalBytes: bytesOf(records),
    };
  }

  async function totals(): Promise<Answers["totals"]> {
    const live = await sessions({ of: "sessions", where: { has: "live" }, limit: ALL });
    const trash = (await select(everyRow("trash"))).map(({ record }) => record);
    return {
      sessions: live.length,
      checkpoints: live.reduce((sum, { checkpointCount }) => sum + checkpointCount, 0),
      damaged: live.reduce((sum, { damagedCount }) => sum + damagedCount, 0),
      liveBytes: live.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
      trashed: trash.length,
      trashBytes: bytesOf(trash),
      pendingRemovals: 0,
      neededRemovals: 0,
    };
  }

  /** Lets a rule see the whole catalog, but only when all sessions and checkpoints that it reads are permitted. */
  function guarded<Out>(step: Rule<Out>): Rule<Out> {
    const asked = sessionsIn(step.reads);
    const guards = Object.fromEntries(
      asked.flatMap((sessionId, at) => [
        [`${GUARD} all ${at}`, { of: "count", where: { state: "any", sessionId } } as const],
        ...projects.map(
          (project, p) => [`${GUARD} own ${at} ${p}`, { of: "count", where: { state: "any", sessionId, project } } as const] as const,
        ),
      ]),
    );
    return {
      reads: { ...step.reads, ...guards },
      ahead: step.ahead,
      blobsAhead: step.blobsAhead,
      decide(facts) {
        const counts = facts as Facts<Part<Extract<Read, { of: "count" }>>>;
        for (const [at, sessionId] of asked.entries()) {
          const own = projects.reduce((sum, _, p) => sum + (counts[`${GUARD} own ${at} ${p}`] ?? 0), 0);
          if (own !== counts[`${GUARD} all ${at}`]) throw own === 0 ? sessionNotFound(sessionId) : shared(sessionId);
        }
        for (const { record } of rowsIn(step.reads, facts)) if (!isOurs(record)) throw unknownCheckpoint(record.id);
        const next = step.decide(facts);
        if ("reads" in next) return guarded(next);
        for (const { record } of changedIn(next.rows)) if (!isOurs(record)) throw projectNotAllowed(projects);
        return next;
      },
    };
  }

  function projectsOf({ project, notProject }: Where): readonly string[] {
    return projects.filter((each) => each !== notProject && (project === undefined || each === project));
  }

  /** Hides the name of another project, in which a session began. */
  function shown(row: CheckpointRow): CheckpointRow {
    const { [SESSION_PROJECT]: begun, ...attributes } = row.record.attributes;
    if (begun === undefined || (typeof begun === "string" && projects.includes(begun))) return row;
    return { ...row, record: { ...row.record, attributes } };
  }
}

/** Checks that a session may be changed through a confined catalog. @throws as its changes do. */
export function checkChangeable(catalog: CatalogPort, sessionId: SessionId): Promise<undefined> {
  return catalog.change(rule({ reads: { session: { of: "session", id: sessionId } }, decide: () => nothing(undefined) }));
}

/** Returns the error for a project outside of the caller's. Also for one that does not exist: the answer must not tell. */
export function projectNotAllowed(projects: readonly string[], field = "project"): WorkrailError {
  return invalidInput(field, `${field} must be one of yours: ${projects.join(", ")}.`, "Name one of them, or leave it out.");
}

const GUARD = "confined:";

function shared(sessionId: SessionId): WorkrailError {
  const hint = "Read the needed parts, and save them to a new session.";
  return invalidInput(
    "sessionId",
    `Session ${sessionId} was saved to from another project, too: you can read your part, and change nothing.`,
    hint,
  );
}

function forEach<R extends Read>(projects: readonly string[], toRead: (project: string) => R): Part<R> {
  return Object.fromEntries(projects.map((project, at) => [String(at), toRead(project)]));
}

function of(project: string, { notProject: _met, repository: _wider, ...where }: Where): Where {
  return { ...where, project };
}

function everyRow(state: Where["state"], sessionId?: SessionId): Select {
  return { of: "checkpoints", where: { state, sessionId }, order: "any", limit: ALL };
}

function sessionsIn(reads: Reads): readonly SessionId[] {
  const ids = Object.values(reads).map((read) => {
    if (read.of === "session") return read.id;
    return read.of === "checkpoints" || read.of === "places" || read.of === "count" ? read.where.sessionId : undefined;
  });
  return [...new Set(ids)].filter((id) => id !== undefined);
}

function rowsIn(reads: Reads, facts: Facts<Reads>): readonly CheckpointRow[] {
  return Object.entries(reads).flatMap(([name, { of: kind }]) => {
    if (kind === "checkpoints") return facts[name] as Answers["checkpoints"];
    const row = kind === "checkpoint" ? (facts[name] as Answers["checkpoint"]) : undefined;
    return row === undefined ? [] : [row];
  });
}

function changedIn(rows: readonly RowChange[]): readonly CheckpointRow[] {
  return changesOf("checkpoint", rows).flatMap(({ was, now }) => [was, now].filter((row) => row !== undefined));
}

function orderOf({ order, where }: Select): (one: CheckpointRow, other: CheckpointRow) => number {
  const placeOf = ({ commit = 0, record }: CheckpointRow): number => (where.sessionId === undefined ? commit : record.sequence);
  switch (order) {
    case "newest":
      return (one, other) => placeOf(other) - placeOf(one);
    case "oldest":
      return (one, other) => placeOf(one) - placeOf(other);
    case "trashed":
      return (one, other) => byTime(one.trashedAt, other.trashedAt) || byText(one.record.id, other.record.id);
    case "any":
      return () => 0;
  }
}

function byTime(one: Date | undefined, other: Date | undefined): number {
  return (one?.getTime() ?? 0) - (other?.getTime() ?? 0);
}

function byText(one: CheckpointId | SessionId, other: CheckpointId | SessionId): number {
  return one < other ? -1 : Number(one > other);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

function bytesOf(records: readonly CheckpointRecord[]): number {
  return records.reduce((sum, { blobBytes }) => sum + blobBytes, 0);
}
