import type { ChangePosition, CheckpointId, SessionId } from "../model/ids.ts";

/** Vectors that can be compared: same embedder name and same length. */
export interface VectorSpace {
  readonly name: string;
  readonly dimensions: number;
}

/**
 * Holds vectors of checkpoint texts and finds the nearest ones. Its content is derived from the store: it may be lost at any time, and
 * an embedder then computes it again, at some cost.
 */
export interface VectorIndex {
  /**
   * Returns the nearest checkpoints first, by cosine similarity; ties are ordered by id. Empty when the space is unknown. Yields to
   * other work.
   */
  nearest(space: VectorSpace, query: VectorQuery): Promise<readonly Neighbour[]>;
  /** Deletes all traces of the vectors of these checkpoints, in every space. Checkpoints without vectors are skipped. */
  forget(checkpoints: readonly CheckpointId[]): Promise<void>;
}

/** Lets vectors follow the catalog, separately for each space. Several processes may do so at the same time. */
export interface VectorIndexing {
  /** Returns the progress of a space; an unknown space is reported as a new one. */
  state(space: VectorSpace): Promise<VectorState>;
  /** Lists every known space, most recently used first. */
  spaces(): Promise<readonly SpaceState[]>;
  /**
   * Records durably the position up to which catalog changes are known for a space, and the sessions they affected. Makes the space
   * known from then on; `at` is its time of last use.
   */
  note(space: VectorSpace, news: VectorNews, at: Date): Promise<void>;
  /** Returns sessions to be embedded. */
  pending(space: VectorSpace, limit: number): Promise<readonly PendingSession[]>;
  /**
   * Returns the live checkpoints of a session that have no vector in the space, and deletes the vectors of checkpoints that are not
   * live, in every space. When none lacks a vector, the session is no longer pending, unless it was noted again since.
   */
  settle(space: VectorSpace, session: PendingSession, live: readonly CheckpointId[]): Promise<readonly CheckpointId[]>;
  /** Stores vectors of a session's checkpoints, replacing existing ones. Their length must be the space's. */
  put(space: VectorSpace, sessionId: SessionId, vectors: readonly CheckpointVector[]): Promise<void>;
  /** Deletes the spaces that were not used since `unusedSince`. */
  retire(unusedSince: Date): Promise<void>;
}

/** Vector index that can be closed. */
export interface VectorEngine extends VectorIndex, VectorIndexing {
  /** Deletes the whole index from every file. Called while no other caller uses the index. */
  erase(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly limit: number;
  /** Only this session's checkpoints. */
  readonly sessionId?: SessionId | undefined;
  /** Only this project's checkpoints. */
  readonly project?: string | undefined;
}

export interface Neighbour {
  readonly checkpointId: CheckpointId;
  /** Cosine similarity from -1 to 1; 1 is the same direction. */
  readonly similarity: number;
}

export interface VectorState {
  /** Position up to which catalog changes are known; `undefined` for a new space, and after a restart until it is noted. */
  readonly position: ChangePosition | undefined;
  /** Sessions waiting to be embedded. */
  readonly pending: number;
  /** Number of vectors held. */
  readonly vectors: number;
}

/** Space with its progress. */
export interface SpaceState extends VectorSpace, Omit<VectorState, "position"> {}

export interface VectorNews {
  /** Absent: the stored position stays. */
  readonly position?: ChangePosition | undefined;
  readonly sessions: readonly SessionId[];
  /** Discards the position and the pending sessions, but no vectors. Default `false`. */
  readonly restart?: boolean | undefined;
}

export interface PendingSession {
  readonly sessionId: SessionId;
  /** Changes with every note of the session. */
  readonly version: number;
}

export interface CheckpointVector {
  readonly checkpointId: CheckpointId;
  readonly project: string | undefined;
  /** Vector of any norm but 0. */
  readonly vector: Float32Array;
}
