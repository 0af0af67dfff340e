import type { CheckpointKind } from "../model/checkpoint.ts";
import type { ChangePosition, CheckpointId, SessionId } from "../model/ids.ts";
import type { ChangedSession } from "../model/session.ts";

/**
 * Finds checkpoints by the terms of their texts. Its content is derived from the store: it may be lost at any time and is then
 * rebuilt. Terms are compared as they are; the caller turns texts into terms.
 */
export interface SearchIndex {
  /** Finds texts that contain at least one of `terms` (or an allowed substitute) and all of `required`. */
  match(query: IndexQuery): Promise<Matches>;
  /** Returns indexed terms that start with `term` or differ from it by one or two letters, most likely first. */
  termsLike(term: string, most: number): Promise<readonly string[]>;
}

/** Lets an index follow the catalog. Several processes may do so for one index at the same time. */
export interface SearchIndexing {
  /** Returns the progress of the index. */
  state(): Promise<IndexState>;
  /**
   * Records durably the position up to which catalog changes are known, and the sessions they affected. `restart` discards older
   * notes.
   */
  note(news: IndexNews): Promise<void>;
  /** Returns sessions to be indexed, in the order they were noted. */
  pending(limit: number): Promise<readonly ChangedSession[]>;
  /** Returns the indexed checkpoints of a session, oldest first. With `newest`, at most that many of the newest. */
  indexed(session: SessionId, newest?: number): Promise<IndexedSession>;
  /**
   * Changes the indexed checkpoints of one session, all or nothing. Resolves with `false` and changes nothing when the session's
   * version is no longer `version`.
   */
  update(change: IndexChange): Promise<boolean>;
  /** Does a bounded step of maintenance: keeps the index small and fast, and drops removed data. `false` when nothing is left to do. */
  tidy(): Promise<boolean>;
}

/** Search index that can be closed. */
export interface SearchEngine extends SearchIndex, SearchIndexing {
  /** Deletes the whole index from every file. Called while no other caller uses the index. */
  erase(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface IndexState {
  /** Position up to which catalog changes are known; `undefined` for a new index, and after a restart until it is noted. */
  readonly position: ChangePosition | undefined;
  /** Sessions waiting to be indexed. */
  readonly pending: number;
}

export interface IndexNews {
  /** Absent: the stored position stays. */
  readonly position?: ChangePosition | undefined;
  readonly sessions: readonly ChangedSession[];
  /** Default `false`. */
  readonly restart?: boolean | undefined;
}

export interface IndexedSession {
  /** Changes with every update; 0 for an unknown session. */
  readonly version: number;
  readonly checkpoints: readonly IndexedCheckpoint[];
}

export interface IndexedCheckpoint {
  readonly checkpointId: CheckpointId;
  readonly sequence: number;
  /** Sequence of the checkpoint whose text this text was compared with; 0 for none. */
  readonly previous: number;
}

/** Checkpoint with the text that its predecessor lacks. */
export interface TextOfCheckpoint extends IndexedCheckpoint {
  /** Terms, repeated as often as they occur. Empty when the checkpoint added nothing. */
  readonly terms: readonly string[];
  /** Stop words, each once. They are searchable like terms but do not count in scores. */
  readonly stopWords: readonly string[];
  readonly kind: CheckpointKind;
  readonly createdAt: Date;
  readonly project: string | undefined;
  readonly agentId: string | undefined;
  readonly workflowId: string | undefined;
  readonly tags: readonly string[];
}

export interface IndexChange {
  readonly sessionId: SessionId;
  /** Version of the session that the change is based on. */
  readonly version: number;
  readonly remove: readonly CheckpointId[];
  readonly add: readonly TextOfCheckpoint[];
  /** Tags of the session. They count as tags of its checkpoints. */
  readonly sessionTags: readonly string[];
  /** True when the session needs no further indexing. */
  readonly isDone: boolean;
}

/** Every condition must hold, for the checkpoint whose text matches or for a later checkpoint of its session. */
export interface IndexFilter {
  readonly sessionId?: SessionId | undefined;
  readonly project?: string | undefined;
  /** All of these tags must be on the checkpoint or on its session. */
  readonly tags?: readonly string[] | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Absent: all kinds except asides. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

export interface AskedTerm extends WeightedTerm {
  /** Substitutes that count less, and only in a text without the term. */
  readonly instead?: Substitute | undefined;
}

export interface Substitute {
  readonly terms: readonly string[];
  /** Prefix of substitute terms. Letters only. */
  readonly beginning?: string | undefined;
}

/** Result of a query, as of the time of the query. */
export interface Matches {
  /**
   * Returns a page of hits, best first. A checkpoint removed since may be missing, or its place taken by another text: check each
   * hit.
   */
  page(page: PageOfMatches): Promise<readonly IndexHit[]>;
}

export interface PageOfMatches {
  readonly limit: number;
  /** Hits to skip, from the best. */
  readonly offset: number;
  /** Terms that only affect the order of the best hits. Default: none. */
  readonly related?: readonly WeightedTerm[] | undefined;
  /** Only hits that meet the query's filter in this project as well. */
  readonly project?: string | undefined;
}

export interface IndexQuery {
  readonly terms: readonly AskedTerm[];
  /** Terms that must all occur. */
  readonly required: readonly string[];
  readonly filter: IndexFilter;
}

export interface IndexHit {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly sequence: number;
  /** From 0 to 1: fraction of the highest score possible, which a text with many occurrences of all `terms` would reach. */
  readonly score: number;
}
