import { isWorkrailError, WorkrailError } from "@workrail/core";
import type { StoreChanges, Workrail } from "@workrail/runtime";
import type { LazyStore } from "../lazy-store.ts";
import type { Concern, ListedResources, Resource } from "../resource.ts";
import { fittingItems } from "../tools/fitting-items.ts";
import { NOTE } from "../tools/view-fields.ts";

/** Template of the latest state of a session. */
export const LATEST = "workrail://sessions/{sessionId}/latest";

/** Sessions on a page of `resources/list`. */
const PAGE = 50;
const MOST_SUGGESTED = 100;

/** Resources with the saved work: the sessions, the latest checkpoint of each, any checkpoint, and one entry of it. */
export function storedWork(store: LazyStore): readonly Resource[] {
  return [
    {
      uri: "workrail://sessions",
      name: "sessions",
      title: "Saved sessions",
      description: "Sessions of the server's project, the most recently used first.",
      async read() {
        const workrail = await store.get();
        const { sessions, total } = await workrail.listSessions({ limit: 100 });
        return { sessions: await fittingItems(workrail, { sessions: [], total }, sessions), total };
      },
      concern: async () => ({ isNamed: false, isConcerned: () => true }),
    },
    {
      uri: LATEST,
      name: "latest",
      title: "Latest state of a session",
      description: "The latest checkpoint of a session, as much of it as fits one answer.",
      read: async ({ sessionId }) => view(await store.get(), { sessionId }),
      list: async (cursor) => sessionsFrom(await store.get(), cursor),
      complete: async (_name, typed) => sessionsLike(await store.get(), typed),
      // The session need not exist yet.
      concern: async ({ sessionId }) => ({ isNamed: true, isConcerned: (changes) => concernsSession(changes, sessionId) }),
    },
    {
      uri: "workrail://checkpoints/{checkpointId}",
      name: "checkpoint",
      title: "Checkpoint",
      description: "One checkpoint, as much of it as fits one answer.",
      read: async ({ checkpointId }) => view(await store.get(), { checkpointId }),
      complete: async (_name, typed) => checkpointsLike(await store.get(), typed),
      concern: async ({ checkpointId = "" }) => removalOf(await store.get(), checkpointId),
    },
    {
      uri: "workrail://checkpoints/{checkpointId}/{key}",
      name: "entry",
      title: "Entry of a checkpoint",
      description: "One top-level entry of a checkpoint's context, or its first page.",
      read: async ({ checkpointId, key = "" }) => view(await store.get(), { checkpointId, keys: [[key]] }),
      complete: async (name, typed, { checkpointId }) => {
        const workrail = await store.get();
        if (name === "checkpointId") return checkpointsLike(workrail, typed);
        return checkpointId === undefined ? [] : keysLike(workrail, checkpointId, typed);
      },
      concern: async ({ checkpointId = "" }) => removalOf(await store.get(), checkpointId),
    },
  ];
}

/** Suggests ids of sessions that begin with the typed text. */
export async function sessionsLike(workrail: Workrail, typed: string): Promise<readonly string[]> {
  const { sessions } = await workrail.listSessions({ limit: MOST_SUGGESTED });
  return sessions.map(({ id }) => id).filter((id) => id.startsWith(typed));
}

/** Suggests ids of checkpoints that begin with the typed text, newest first. */
async function checkpointsLike(workrail: Workrail, typed: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id } of workrail.eachCheckpoint()) {
    if (id.startsWith(typed)) found.push(id);
    if (found.length === MOST_SUGGESTED) break;
  }
  return found;
}

async function keysLike(workrail: Workrail, checkpointId: string, typed: string): Promise<readonly string[]> {
  const { context } = await workrail.loadCheckpoint({ checkpointId, isPeek: true });
  return Object.keys(context).filter((key) => key.startsWith(typed));
}

function concernsSession({ sessions, isUnknown }: StoreChanges, wanted: string | undefined): boolean {
  return isUnknown === true || sessions.some(({ sessionId }) => sessionId === wanted);
}

/** Subscribers learn only of the removal of a checkpoint: a saved one never changes. */
async function removalOf(workrail: Workrail, checkpointId: string): Promise<Concern> {
  const sessionId = await sessionOf(workrail, checkpointId);
  if (sessionId === undefined) throw new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${checkpointId}.`);
  return {
    isNamed: true,
    async isConcerned({ sessions, isUnknown }) {
      const mayBeGone = sessions.some((each) => each.sessionId === sessionId && (each.change === "changed" || each.change === "removed"));
      return (isUnknown === true || mayBeGone) && (await sessionOf(workrail, checkpointId)) === undefined;
    },
  };
}

/** Returns the session of a checkpoint by its whole id; `undefined` when there is none. */
async function sessionOf(workrail: Workrail, id: string): Promise<string | undefined> {
  try {
    const { checkpointId, sessionId } = await workrail.resolveCheckpoint(id, { inTrash: false });
    return checkpointId === id ? sessionId : undefined;
  } catch (error) {
    if (isWorkrailError(error) && (error.code === "CHECKPOINT_NOT_FOUND" || error.code === "INVALID_INPUT")) return undefined;
    throw error;
  }
}

async function view(workrail: Workrail, wanted: Parameters<Workrail["viewBriefly"]>[0]): Promise<object> {
  const { origin, ...rest } = await workrail.viewBriefly(wanted);
  return { origin: { ...origin, note: NOTE }, ...rest };
}

/** The cursor is the number of sessions before the page. */
async function sessionsFrom(workrail: Workrail, cursor = "0"): Promise<ListedResources> {
  const { sessions, total, offset } = await workrail.listSessions({ limit: PAGE, offset: Number(cursor) });
  const next = offset + sessions.length;
  return {
    resources: sessions.map(({ id, name }) => ({ variables: { sessionId: id }, name: id, title: name })),
    nextCursor: next < total && sessions.length > 0 ? String(next) : undefined,
  };
}
