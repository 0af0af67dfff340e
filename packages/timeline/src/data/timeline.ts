import type { Layer } from "@workrail/core";
import type { CheckpointMetadata } from "@workrail/runtime";
import * as z from "zod";
import { reading } from "./call.ts";
import { type SessionRow, sessionRow } from "./sessions.ts";

/** A checkpoint on the timeline. */
export interface TimelineRow {
  readonly id: string;
  readonly parentId: string | null;
  /** Place in the session, from 1. */
  readonly sequence: number;
  /** ISO 8601. */
  readonly at: string;
  readonly name?: string | undefined;
  readonly agent?: string | undefined;
  readonly kind: string;
  readonly phase?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly branch?: string | undefined;
  /** Saved in a repository. */
  readonly isInRepository?: true | undefined;
  readonly isDamaged?: true | undefined;
  readonly isParentGone?: true | undefined;
  /** Stored bytes. */
  readonly bytes: number;
}

export interface Timeline {
  readonly session: SessionRow;
  /** The checkpoint that work continues from. */
  readonly headId?: string | undefined;
  /** Newest first. */
  readonly rows: readonly TimelineRow[];
  /** Number of checkpoints, including those beyond the limit. */
  readonly total: number;
}

/** Returns the checkpoints of a session, newest first. */
export const timeline = reading(
  z.object({ sessionId: z.string(), limit: z.int().min(1).optional() }),
  async ({ store }, { sessionId, limit }): Promise<Timeline> => {
    const { session, headId, checkpoints, total } = await store.traceSession({ sessionId, limit });
    return { session: sessionRow(session), headId, rows: checkpoints.map(timelineRow), total };
  },
);

export function timelineRow(checkpoint: CheckpointMetadata & { readonly parentGone?: true }): TimelineRow {
  return {
    id: checkpoint.id,
    parentId: checkpoint.parentId,
    sequence: checkpoint.sequence,
    at: checkpoint.createdAt,
    name: checkpoint.name,
    agent: checkpoint.agentId,
    kind: checkpoint.kind,
    phase: checkpoint.phase,
    tags: checkpoint.tags,
    branch: checkpoint.gitState?.branch,
    isInRepository: checkpoint.gitState === undefined ? undefined : true,
    isDamaged: checkpoint.damaged,
    isParentGone: checkpoint.parentGone,
    bytes: checkpoint.contextSizeBytes,
  };
}

/** Size of a context by layers. */
export interface ContextSize {
  readonly id: string;
  /** Tokens of the whole context as JSON; absent when it cannot be read. */
  readonly tokens?: number | undefined;
  readonly layers: { readonly [L in Layer]?: { readonly entries: number; readonly tokens: number } };
}

const MOST_SIZES = 50;

/** Counts the tokens of checkpoints by layers. Reads each context, so the page asks only for what it shows. */
export const sizes = reading(
  z.object({ ids: z.array(z.string()).max(MOST_SIZES) }),
  async ({ store }, { ids }): Promise<readonly ContextSize[]> => {
    const found: ContextSize[] = [];
    for (const id of ids) {
      try {
        const { to, layers } = await store.compareCheckpoints({ fromId: id, toId: id });
        const own = Object.entries(layers).map(([layer, shift]) => [layer, shift.to]);
        found.push({ id, tokens: to.tokens, layers: Object.fromEntries(own) as ContextSize["layers"] });
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        found.push({ id, layers: {} });
      }
    }
    return found;
  },
);

/** A checkpoint that is damaged, or was removed meanwhile, has no size. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["CORRUPTED", "CHECKPOINT_NOT_FOUND"].includes(String(error.code));
}
