import type { ListedSessionMetadata } from "@workrail/runtime";
import * as z from "zod";
import { reading } from "./call.ts";

/** A session in the list of sessions. */
export interface SessionRow {
  readonly id: string;
  /** A readable name, when the id is generated. */
  readonly name?: string | undefined;
  readonly project?: string | undefined;
  /** ISO 8601. */
  readonly lastUsedAt: string;
  readonly checkpoints: number;
  readonly damaged?: number | undefined;
  /** Stored bytes. */
  readonly bytes: number;
  readonly tags: readonly string[];
  readonly pins: readonly string[];
  /** No part of the session is removed automatically. */
  readonly isKept: boolean;
  /** The latest checkpoint. */
  readonly head?:
    | { readonly id: string; readonly at: string; readonly name?: string | undefined; readonly agent?: string | undefined }
    | undefined;
}

export interface SessionList {
  readonly sessions: readonly SessionRow[];
  readonly total: number;
  /** Root of the project in use. */
  readonly project?: string | undefined;
  /** Option of a command that finds this store, when it is not the default one. */
  readonly storeOption?: string | undefined;
  /** True when the page may change the store. */
  readonly mayWrite: boolean;
}

const MOST = 100;

/** Lists sessions, the most recently used first. */
export const sessions = reading(
  z.object({ everywhere: z.boolean().default(true), offset: z.int().min(0).default(0) }),
  async ({ store, project, storeOption, mayWrite }, { everywhere, offset }): Promise<SessionList> => {
    const found = await store.listSessions({ project: everywhere ? null : project, limit: MOST, offset });
    return { sessions: found.sessions.map(sessionRow), total: found.total, project, storeOption, mayWrite };
  },
);

export function sessionRow(session: ListedSessionMetadata): SessionRow {
  const { latest } = session;
  return {
    id: session.id,
    name: session.name,
    project: session.project,
    lastUsedAt: session.lastAccessedAt,
    checkpoints: session.checkpointCount,
    damaged: session.damagedCount,
    bytes: session.totalSizeBytes,
    tags: session.tags ?? [],
    pins: session.criticalKeys ?? [],
    isKept: session.retention === "all",
    head: latest === undefined ? undefined : { id: latest.id, at: latest.createdAt, name: latest.name, agent: latest.agentId },
  };
}
