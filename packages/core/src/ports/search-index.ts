import type { CheckpointKind } from "../model/checkpoint.ts";
import type { ChangePosition, CheckpointId, SessionId } from "../model/ids.ts";
import type { ChangedSession } from "./catalog.ts";

/**
 * Finds checkpoints by the terms of their texts. What it holds is derived from the store: it may be lost at any time, and
 * is then made again. It receives terms and compares them as they are; core makes them of texts.
 */
export interface SearchIndex {
  /** Texts that have one of `terms` at least, or what they allow instead, and all of `required`. */
  match(query: IndexQuery): Promise<Matches>;
  /** Terms of the index that begin as this one does, or else are like it but for a letter or two; the likeliest first. */
  termsLike(term: string, most: number): Promise<readonly string[]>;
}

/** Has an index follow the catalog. Several may do it for one index at the same time. */
export interface SearchIndexing {
  /** How far it is. */
  state(): Promise<IndexState>;
  /** Notes durably up to where the catalog's changes are known, and which sessions they were in; `restart` forgets everything before. */
  note(news: IndexNews): Promise<void>;
  /** Sessions that are to be looked at, in the order they were noted. */
  pending(limit: number): Promise<readonly ChangedSession[]>;
  /** What it holds of a session, oldest first; with `newest`, no more than these many of its newest. */
  indexed(session: SessionId, newest?: number): Promise<IndexedSession>;
  /**
   * Changes what it holds of one session, all of it or nothing. Resolves with `false`, and changes nothing, when the session is
   * no longer of that `version`.
   */
  update(change: IndexChange): Promise<boolean>;
  /** Does a bounded piece of what keeps it small and fast, and lets go of what was removed. `false` when there is nothing to do. */
  tidy(): Promise<boolean>;
}

/** An index, and the way to close it. */
export interface SearchEngine extends SearchIndex, SearchIndexing {
  /** Forgets everything, so that no file holds any of it. Called while nobody else uses the index. */
  erase(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface IndexState {
  /** Up to where the catalog's changes are known; `undefined` of a new index, and until it is noted after a restart. */
  readonly position: ChangePosition | undefined;
  /** Sessions that are to be looked at. */
  readonly pending: number;
}

export interface IndexNews {
  /** Absent: the one it has stays. */
  readonly position?: ChangePosition | undefined;
  readonly sessions: readonly ChangedSession[];
  /** Default `false`. */
  readonly restart?: boolean | undefined;
}

export interface IndexedSession {
  /** Another one after each change; 0 of a session that is not there. */
  readonly version: number;
  readonly checkpoints: readonly IndexedCheckpoint[];
}

export interface IndexedCheckpoint {
  readonly checkpointId: CheckpointId;
  readonly sequence: number;
  /** Sequence of the checkpoint that its text was compared with; 0: with none. */
  readonly previous: number;
}

/** A checkpoint with what its text has and that of its predecessor lacks. */
export interface TextOfCheckpoint extends IndexedCheckpoint {
  /** As often as each occurs. None, when it brought nothing. */
  readonly terms: readonly string[];
  /** Each once. They can be looked for as terms can, and are not counted as any. */
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
  /** That of the session this change was made for. */
  readonly version: number;
  readonly remove: readonly CheckpointId[];
  readonly add: readonly TextOfCheckpoint[];
  /** Tags of the session, which count as tags of its checkpoints. */
  readonly sessionTags: readonly string[];
  /** Whether the session need not be looked at any more. */
  readonly isDone: boolean;
}

/** Every condition must hold, for the checkpoint whose text is found or for a later one of its session. */
export interface IndexFilter {
  readonly sessionId?: SessionId | undefined;
  readonly project?: string | undefined;
  /** All of them must be on the checkpoint, or on its session. */
  readonly tags?: readonly string[] | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Absent: all but asides. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

export interface AskedTerm extends WeightedTerm {
  /** Counts for less, and only in a text that lacks the term: any of these terms, or any that begins so. */
  readonly instead?: Instead | undefined;
}

export interface Instead {
  readonly terms: readonly string[];
  /** Letters only. */
  readonly beginning?: string | undefined;
}

/** What a query found, as of then. */
export interface Matches {
  /** A page, the best first. What was removed since may be missing, or another text stand in its place: look at it. */
  page(page: PageOfMatches): Promise<readonly IndexHit[]>;
}

export interface PageOfMatches {
  readonly limit: number;
  /** Hits to pass over, from the best. */
  readonly offset: number;
  /** Terms that only have a say in the order of the best hits. Default: none. */
  readonly related?: readonly WeightedTerm[] | undefined;
  /** Only what meets the query's filter in this project, too. */
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
  /** From 0 to 1: of what a text could at most score that has all of `terms` many times. */
  readonly score: number;
}
