import type { ChangePosition, CheckpointId, SessionId } from "../model/ids.ts";

/** Vectors that can be compared: of the same embedder, as its name says, and of the same length. */
export interface VectorSpace {
  readonly name: string;
  readonly dimensions: number;
}

/**
 * Holds vectors of checkpoints' texts and finds those nearest to another. What it holds is derived from the store, but dear: it may be
 * lost at any time, and is then made again by an embedder.
 */
export interface VectorIndex {
  /**
   * The nearest first, by the cosine of the angle; of two that are equally near the one with the lesser id. None where the space
   * is not known. Gives other work its turn.
   */
  nearest(space: VectorSpace, query: VectorQuery): Promise<readonly Neighbour[]>;
  /** Forgets the vectors of these checkpoints in every space, so that nothing is left of them; those it has none of are passed over. */
  forget(checkpoints: readonly CheckpointId[]): Promise<void>;
}

/** Has vectors follow the catalog, each space for itself. Several may do it at the same time. */
export interface VectorIndexing {
  /** How far a space is; as of a new one, where it is not known. */
  state(space: VectorSpace): Promise<VectorState>;
  /** Every space that is known, the one used last first. */
  spaces(): Promise<readonly SpaceState[]>;
  /**
   * Notes durably up to where the catalog's changes are known for a space, and which sessions they were in. The space is known from
   * then on, and `at` is when it was last in use.
   */
  note(space: VectorSpace, news: VectorNews, at: Date): Promise<void>;
  /** Sessions that are to be looked at. */
  pending(space: VectorSpace, limit: number): Promise<readonly PendingSession[]>;
  /**
   * Tells which of a session's live checkpoints have no vector in the space, and forgets in every space the vectors of those that
   * are not live. Where none lacks one, the session is not pending any more, unless it was noted again since.
   */
  settle(space: VectorSpace, session: PendingSession, live: readonly CheckpointId[]): Promise<readonly CheckpointId[]>;
  /** Holds these vectors of a session's checkpoints, in the place of those it has. Their length is the space's. */
  put(space: VectorSpace, sessionId: SessionId, vectors: readonly CheckpointVector[]): Promise<void>;
  /** Forgets the spaces that were not in use since. */
  retire(unusedSince: Date): Promise<void>;
}

/** A holder of vectors, and the way to close it. */
export interface VectorEngine extends VectorIndex, VectorIndexing {
  /** Forgets everything, so that no file holds any of it. Called while nobody else uses it. */
  erase(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly limit: number;
  /** Only checkpoints of this session. */
  readonly sessionId?: SessionId | undefined;
  /** Only checkpoints of this project. */
  readonly project?: string | undefined;
}

export interface Neighbour {
  readonly checkpointId: CheckpointId;
  /** The cosine: from -1 to 1, which is the same direction. */
  readonly similarity: number;
}

export interface VectorState {
  /** Up to where the catalog's changes are known; `undefined` of a new space, and until it is noted after a restart. */
  readonly position: ChangePosition | undefined;
  /** Sessions that are to be looked at. */
  readonly pending: number;
  /** Vectors it holds. */
  readonly vectors: number;
}

/** A space, and how far it is. */
export interface SpaceState extends VectorSpace, Omit<VectorState, "position"> {}

export interface VectorNews {
  /** Absent: the one it has stays. */
  readonly position?: ChangePosition | undefined;
  readonly sessions: readonly SessionId[];
  /** Forgets the position and what was pending before, and no vector. Default `false`. */
  readonly restart?: boolean | undefined;
}

export interface PendingSession {
  readonly sessionId: SessionId;
  /** Another one after each note of the session. */
  readonly version: number;
}

export interface CheckpointVector {
  readonly checkpointId: CheckpointId;
  readonly project: string | undefined;
  /** Of any length but 0. */
  readonly vector: Float32Array;
}
