import {
  hasAtMost,
  CHECKPOINT_KINDS,
  type CheckpointKind,
  type FoundCheckpoint,
  invalidInput,
  parseSessionId,
  type SearchInput,
} from "@workrail/core";
import type { CheckpointMetadata, Standing } from "../context-management-service.ts";
import type { Scope } from "../isolation.ts";
import { metadataOf } from "../metadata.ts";
import { parsePeriod } from "../parse-time.ts";

/** What to look for, and where. All filters must hold. Times are ISO 8601. */
export interface SearchCheckpointsParams {
  /** 1 to 1,000 characters. Words, any of which may occur; "what is in quotation marks" must occur as such. */
  readonly query: string;
  readonly sessionId?: string | undefined;
  /** `null`: whatever the project. Default: as the setting `isolation` says, whatever the project, where the working directory's project breaks ties. */
  readonly project?: string | null | undefined;
  /** Default: all but asides. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
  /** All of them must be on the checkpoint, or on its session. */
  readonly tags?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  /** Default 5, 1 to 100. */
  readonly limit?: number | undefined;
}

export interface SearchCheckpointsResult extends Standing {
  /** The best first. */
  hits: SearchHit[];
  /** None has a word that was asked for, or what was a phrase is nowhere: these have words of the phrase, or what means, begins or is spelled alike. */
  loose?: true;
  /** Sessions whose newest texts could not be indexed before this answer: what they brought may be missing in it. */
  indexPending?: number;
  /** What a search by meaning came to, which is made where an embedder is configured, the words leave places, and none of them has to occur as such. */
  meaning?: MeaningNote;
}

export interface FinishIndexOptions {
  /** Called now and then with how many sessions of how many are indexed. */
  onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** What a search by meaning came to. */
export interface MeaningNote {
  /** The model that was asked. */
  embedder: string;
  /** Sessions with checkpoints that are not embedded yet, and so may be missing. */
  pending?: number;
  /** Why nothing was looked for by meaning. */
  failed?: string;
}

export interface SearchHit {
  /** Where the text appeared; or, where that one does not meet the filters, a later one that does and still holds the text. */
  checkpoint: CheckpointMetadata;
  /** The latest checkpoint of its session. */
  head: string;
  /** From 0 to 1: of what a text could at most score that is full of the words that were asked for, the rare ones counting most. */
  score: number;
  /** `1 - score`. */
  distance: number;
  /** A piece of the checkpoint's text with some of the words. */
  snippet?: string;
  /**
   * It was not found by the words, but because it means the like. Such hits stand behind all others; their score is the cosine,
   * times the least score of the others.
   */
  by?: "meaning";
}

const MAX_QUERY = 1_000;
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 100;

/** @throws INVALID_INPUT for what cannot be looked for. */
export function searchInputOf(params: SearchCheckpointsParams, scope: Scope): SearchInput {
  const { query, limit = DEFAULT_LIMIT, sessionId, kinds, tags, since, until, agentId, workflowId } = params;
  if (typeof query !== "string" || query.trim() === "" || !hasAtMost(MAX_QUERY, query)) {
    throw invalidInput("query", `query must be a text of 1 to ${MAX_QUERY} characters.`, "Ask in a few words.");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidInput("limit", `limit must be a whole number from 1 to ${MAX_LIMIT}.`, "Ask for fewer, or in other words.");
  }
  if (kinds?.some((kind) => !CHECKPOINT_KINDS.includes(kind)) === true) {
    throw invalidInput("kinds", `kinds must be of ${CHECKPOINT_KINDS.join(", ")}.`, "Leave it out to search all but asides.");
  }
  const filter = {
    sessionId: sessionId === undefined ? undefined : parseSessionId(sessionId),
    project: scope.only,
    kinds,
    tags,
    ...parsePeriod({ since, until }),
    agentId,
    workflowId,
  };
  return { query, filter, projectFirst: scope.first, limit };
}

export function searchHitOf({ record, session, head, score, snippet }: FoundCheckpoint): SearchHit {
  const rounded = Math.round(score * 10_000) / 10_000;
  return {
    checkpoint: metadataOf(record, session?.pins),
    head,
    score: rounded,
    distance: Math.round((1 - rounded) * 10_000) / 10_000,
    ...(snippet === undefined ? {} : { snippet }),
  };
}
