import {
  CHECKPOINT_KINDS,
  type CheckpointRecord,
  eachRecord,
  eachSession,
  findHead,
  findSession,
  isItsOwnFault,
  type Locking,
  readContext,
  type ReadPorts,
  type Session,
  type SessionId,
  sessionNotFound,
  type TokenCounter,
} from "@workrail/core";

export interface StatsPorts extends ReadPorts {
  readonly locking: Locking;
  readonly tokens: TokenCounter;
}

export interface StatsInput {
  readonly sessionId?: SessionId | undefined;
  /** Only checkpoints of this project. */
  readonly project?: string | undefined;
  /** Count the tokens of each session's latest context, which must be read for it. Default `true`. */
  readonly tokens?: boolean | undefined;
  /** Called after each session. */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Sizes of checkpoints, stored and uncompressed. */
export interface Figures {
  readonly checkpoints: number;
  /** Bytes of all contexts as JSON text. */
  readonly contextBytes: number;
  /** Bytes of their files. */
  readonly storedBytes: number;
  /** `contextBytes` divided by `storedBytes`; `undefined` when nothing is stored. */
  readonly ratio: number | undefined;
  /** Total tokens of each session's latest context; `undefined` when not counted. */
  readonly tokens: number | undefined;
}

export interface SessionStats extends Figures {
  readonly sessionId: SessionId;
  /** Project of its newest checkpoint. */
  readonly project: string | undefined;
  readonly lastAccessedAt: Date;
}

export interface ProjectStats extends Figures {
  /** `undefined` for sessions without a project. */
  readonly project: string | undefined;
  readonly sessions: number;
}

export interface StoreStats {
  readonly total: Figures & { readonly sessions: number };
  /** Largest on disk first. */
  readonly projects: readonly ProjectStats[];
  readonly sessions: readonly SessionStats[];
}

/** Figures of a session before they are summed up. */
interface Part extends Omit<SessionStats, "ratio"> {}

/**
 * Sums up sizes of sessions and projects: checkpoints, bytes, and tokens of the latest contexts.
 *
 * @throws SESSION_NOT_FOUND.
 */
export async function storeStats(ports: StatsPorts, input: StatsInput = {}): Promise<StoreStats> {
  return ports.locking.shared(async () => {
    const sessions = await chosen(ports, input);
    const parts: Part[] = [];
    for (const [index, session] of sessions.entries()) {
      parts.push(await partOf(ports, session, input));
      input.onProgress?.({ done: index + 1, total: sessions.length });
    }
    const projects = Map.groupBy(parts, ({ project }) => project);
    return {
      total: { sessions: parts.length, ...sum(parts) },
      projects: bySize([...projects].map(([project, own]) => ({ project, sessions: own.length, ...sum(own) }))),
      sessions: bySize(
        parts.map(({ sessionId, project, lastAccessedAt, ...part }) => ({ sessionId, project, lastAccessedAt, ...sum([part]) })),
      ),
    };
  });
}

async function chosen({ catalog }: StatsPorts, { sessionId, project }: StatsInput): Promise<readonly Session[]> {
  if (sessionId !== undefined) {
    const session = await findSession(catalog, sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    return [session];
  }
  const sessions: Session[] = [];
  for await (const session of eachSession(catalog, { project })) sessions.push(session);
  return sessions;
}

async function partOf(ports: StatsPorts, session: Session, { project, tokens = true }: StatsInput): Promise<Part> {
  let newest: CheckpointRecord | undefined;
  const figures = { checkpoints: 0, contextBytes: 0, storedBytes: 0 };
  for await (const record of eachRecord(ports.catalog, { sessionId: session.id, project, kinds: CHECKPOINT_KINDS })) {
    newest ??= record;
    figures.checkpoints += 1;
    figures.contextBytes += record.contextBytes;
    figures.storedBytes += record.blobBytes;
  }
  const { id: sessionId, lastAccessedAt } = session;
  return { sessionId, project: newest?.project, lastAccessedAt, ...figures, tokens: tokens ? await tokensOf(ports, sessionId) : undefined };
}

/** Counts the tokens of the latest context, without counting as an access. `undefined` for an unreadable one, which `verify` reports. */
async function tokensOf(ports: StatsPorts, sessionId: SessionId): Promise<number | undefined> {
  const head = await findHead(ports.catalog, sessionId);
  if (head === undefined) return undefined;
  try {
    return await ports.tokens.count((await readContext(ports, head)).contextText());
  } catch (error) {
    if (!isItsOwnFault(error)) throw error;
    return undefined;
  }
}

function sum(parts: readonly Pick<Part, "checkpoints" | "contextBytes" | "storedBytes" | "tokens">[]): Figures {
  const add = (value: (part: (typeof parts)[number]) => number): number => parts.reduce((total, part) => total + value(part), 0);
  const [contextBytes, storedBytes] = [add((part) => part.contextBytes), add((part) => part.storedBytes)];
  const counted = parts.filter(({ tokens }) => tokens !== undefined);
  return {
    checkpoints: add(({ checkpoints }) => checkpoints),
    contextBytes,
    storedBytes,
    ratio: storedBytes === 0 ? undefined : Math.round((contextBytes / storedBytes) * 10) / 10,
    tokens: counted.length === 0 ? undefined : counted.reduce((total, { tokens = 0 }) => total + tokens, 0),
  };
}

function bySize<T extends Figures>(all: readonly T[]): readonly T[] {
  return all.toSorted((left, right) => right.storedBytes - left.storedBytes);
}
