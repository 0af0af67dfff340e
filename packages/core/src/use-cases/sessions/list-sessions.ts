import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Session } from "../../model/session.ts";
import { checkWhole, type ListPorts } from "../load/list-checkpoints.ts";
import { eachSession } from "../remove/view-store.ts";
import { findHead } from "../../catalog/queries/query-checkpoints.ts";

export interface ListSessionsInput {
  /** Only sessions with a checkpoint of this project. */
  readonly project?: string | undefined;
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
}

export interface SessionListing {
  /** Most recently used first. */
  readonly sessions: readonly ListedSession[];
  /** Sessions on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface ListedSession {
  readonly session: Session;
  /** Latest checkpoint; `undefined` when none is usable. */
  readonly head: CheckpointRecord | undefined;
}

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

/**
 * Lists sessions that hold checkpoints, most recently used first.
 *
 * @throws INVALID_INPUT for an invalid limit or offset.
 */
export async function listSessions({ catalog, locking }: ListPorts, input: ListSessionsInput = {}): Promise<SessionListing> {
  const { project, limit = DEFAULT_PAGE, offset = 0 } = input;
  checkWhole("limit", limit, { least: 1, most: MAX_PAGE });
  checkWhole("offset", offset, { least: 0 });
  return locking.shared(async () => {
    const all: Session[] = [];
    for await (const session of eachSession(catalog, { project })) all.push(session);
    const page = all.toReversed().slice(offset, offset + limit);
    const sessions: ListedSession[] = [];
    for (const session of page) sessions.push({ session, head: await findHead(catalog, session.id) });
    return { sessions, total: all.length, limit, offset };
  });
}
