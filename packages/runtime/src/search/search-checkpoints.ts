import { hasAtMost, CHECKPOINT_KINDS, type CheckpointKind, invalidInput, parseSessionId } from "@workrail/core";
import type { FoundCheckpoint, SearchInput } from "@workrail/search";
import type { CheckpointMetadata, Standing } from "../context-management-service.ts";
import type { Scope } from "../isolation.ts";
import { metadataOf } from "../metadata.ts";
import { parsePeriod } from "../parse-time.ts";

/** Query and filters of a search. All filters must match. Times are ISO 8601. */
export interface SearchCheckpointsParams {
  /** 1 to 1,000 characters. Any of the words may match; a phrase in quotation marks must match. */
  readonly query: string;
  readonly sessionId?: string | undefined;
  /** `null`: all projects. Default: by the setting `isolation`; the working directory's project breaks ties. */
  readonly project?: string | null | undefined;
  /** Default: all kinds except asides. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
  /** All of these tags must be on the checkpoint or on its session. */
  readonly tags?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  /** Default 5, 1 to 100. */
  readonly limit?: number | undefined;
  /** Cancels the search, which rejects with the signal's reason. Indexing continues in the background. */
  readonly signal?: AbortSignal | undefined;
  /** Called at intervals while the search waits for its index, with the number of sessions indexed and to index. */
  readonly onProgress?: FinishIndexOptions["onProgress"];
}

export interface SearchCheckpointsResult extends Standing {
  /** Best first. */
  hits: SearchHit[];
  /**
   * No hit has a word of the query, or the phrase occurs nowhere. The hits have words of the phrase, or words with a similar meaning,
   * beginning or spelling.
   */
  loose?: true;
  /** Number of sessions whose new texts were not indexed in time; their hits may be missing. */
  indexPending?: number;
  /**
   * Report of the search by meaning. Such a search runs when an embedder is configured, the hits by words leave room, and the query has no
   * phrase.
   */
  meaning?: MeaningNote;
}

export interface FinishIndexOptions {
  /** Called at intervals with the number of sessions indexed and in total. */
  onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Report of a search by meaning. */
export interface MeaningNote {
  /** The model that was asked. */
  embedder: string;
  /** Number of sessions with checkpoints that are not embedded yet and may be missing. */
  pending?: number;
  /** Why the search by meaning failed. */
  failed?: string;
}

export interface SearchHit {
  /**
   * The checkpoint in which the text first appeared; if that one does not match the filters, a later one that matches and still holds the
   * text.
   */
  checkpoint: CheckpointMetadata;
  /** The latest checkpoint of its session. */
  head: string;
  /** From 0 to 1: the share of the highest possible score, which a text of only query words gets. Rare words count most. */
  score: number;
  /** `1 - score`. */
  distance: number;
  /** An excerpt of the checkpoint's text with some of the words. */
  snippet?: string;
  /** Found by meaning, not by words. Such hits follow all others; their score is the cosine times the lowest score of the others. */
  by?: "meaning";
}

const MAX_QUERY = 1_000;
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 100;

/** @throws INVALID_INPUT for an invalid query or filter. */
export function searchInputOf(params: SearchCheckpointsParams, scope: Scope): SearchInput {
  const { query, limit = DEFAULT_LIMIT, sessionId, kinds, tags, since, until, agentId, workflowId } = params;
  if (typeof query !== "string" || query.trim() === "" || !hasAtMost(MAX_QUERY, query)) {
    throw invalidInput("query", `query must be a text of 1 to ${MAX_QUERY} characters.`, "Ask in a few words.");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidInput("limit", `limit must be a whole number from 1 to ${MAX_LIMIT}.`, "Ask for fewer results, or use other words.");
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
