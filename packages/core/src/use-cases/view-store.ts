import type { CheckpointView, SessionView, TrashView } from "../clean-up/plan.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../model/checkpoint.ts";
import type { PageCursor } from "../model/ids.ts";
import { KEEP_TAG, type Session } from "../model/session.ts";
import type { Catalog, SessionQuery, TrashedCheckpoint, TrashQuery } from "../ports/catalog.ts";

const PAGE = 200;

/** Sessions, the least recently used first, page by page. */
export async function* eachSession(catalog: Catalog, query: Omit<SessionQuery, "limit" | "after">): AsyncGenerator<Session> {
  let after: PageCursor | undefined;
  do {
    const page = await catalog.sessions({ ...query, limit: PAGE, after });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

/** What is in the trash, the longest there first, page by page. */
export async function* eachTrashed(catalog: Catalog, query: Omit<TrashQuery, "limit" | "after">): AsyncGenerator<TrashedCheckpoint> {
  let after: PageCursor | undefined;
  do {
    const page = await catalog.trash({ ...query, limit: PAGE, after });
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}

/** The same, as a plan needs it. */
export async function viewTrash(catalog: Catalog, query: Omit<TrashQuery, "limit" | "after"> = {}): Promise<readonly TrashView[]> {
  const entries: TrashView[] = [];
  for await (const { record, trashedAt } of eachTrashed(catalog, query)) {
    entries.push({ id: record.id, sessionId: record.sessionId, bytes: record.blobBytes, trashedAt });
  }
  return entries;
}

/** A session with its checkpoints of every kind. */
export async function viewSession(catalog: Catalog, { id, lastAccessedAt, tags }: Session): Promise<SessionView> {
  const checkpoints: CheckpointView[] = [];
  const filter = { sessionId: id, kinds: CHECKPOINT_KINDS };
  let after: PageCursor | undefined;
  do {
    const page = await catalog.list({ filter, limit: PAGE, offset: 0, after });
    checkpoints.push(...page.records.map(viewRecord));
    after = page.next;
  } while (after !== undefined);
  return { id, lastAccessedAt, isKept: tags.includes(KEEP_TAG), checkpoints: checkpoints.toReversed() };
}

function viewRecord({ id, blobBytes, project, tags, kind, damaged }: CheckpointRecord): CheckpointView {
  return { id, bytes: blobBytes, project, isKept: tags.includes(KEEP_TAG), canBeHead: kind !== "aside" && !damaged };
}
