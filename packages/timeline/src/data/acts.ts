import { WorkrailError } from "@workrail/core";
import * as z from "zod";
import { writing } from "./call.ts";
import { type SessionRow, sessionRow } from "./sessions.ts";

const SESSION = { sessionId: z.string() };
const AUTHOR = "workrail ui";

/** Pins an entry of the session's latest context, or removes the pin. @throws INVALID_INPUT when that context has no such entry. */
export const pin = writing(
  z.object({ ...SESSION, key: z.string(), isPinned: z.boolean() }),
  async ({ store }, { sessionId, key, isPinned }): Promise<{ readonly message: string }> => {
    const { status, message } = await store.markCritical({ sessionId, contextKey: key, critical: isPinned, agentId: AUTHOR });
    if (status === "KEY_NOT_FOUND") throw new WorkrailError("INVALID_INPUT", message, { details: { field: "key" } });
    return { message };
  },
);

const TAGS = z.array(z.string()).max(100).default([]);

export const tag = writing(z.object({ ...SESSION, add: TAGS, remove: TAGS }), async ({ store }, params): Promise<SessionRow> =>
  sessionRow(await store.tagSession(params)),
);

/** Protects a session from automatic removal, or ends the protection. */
export const keep = writing(z.object({ ...SESSION, isKept: z.boolean() }), async ({ store }, { sessionId, isKept }): Promise<SessionRow> =>
  sessionRow(await store.keepSession(sessionId, isKept)),
);

/** Moves a checkpoint to the trash. */
export const remove = writing(
  z.object({ checkpointId: z.string() }),
  async ({ store }, { checkpointId }): Promise<{ readonly removed: number }> => {
    const { removed } = await store.cleanUp({ checkpointIds: [checkpointId], includeKept: true });
    return { removed: removed.reduce((sum, { checkpointIds }) => sum + checkpointIds.length, 0) };
  },
);

/** Takes a checkpoint out of the trash. */
export const restore = writing(
  z.object({ ...SESSION, checkpointId: z.string() }),
  async ({ store }, { sessionId, checkpointId }): Promise<{ readonly restored: readonly string[] }> => {
    const { checkpointIds } = await store.restoreFromTrash({ sessionId, checkpointIds: [checkpointId] });
    return { restored: checkpointIds };
  },
);

/** Saves the state of a checkpoint again as the latest of its session. Work continues from there; nothing is lost. */
export const fork = writing(
  z.object({ checkpointId: z.string(), name: z.string().max(200).optional() }),
  async ({ store }, { checkpointId, name }): Promise<{ readonly checkpointId: string; readonly sequence: number }> => {
    const { context, sessionId, metadata } = await store.loadCheckpoint({ checkpointId, isPeek: true });
    const { workflowId, project } = metadata;
    const labels = name === undefined || name.trim() === "" ? {} : { metadata: { name: name.trim() } };
    const save = { sessionId, context, parentId: checkpointId, workflowId, project, agentId: AUTHOR, force: true, ...labels };
    const saved = await store.saveCheckpoint(save);
    const { metadata: own } = await store.loadCheckpoint({ checkpointId: saved.checkpointId, isPeek: true });
    return { checkpointId: saved.checkpointId, sequence: own.sequence };
  },
);
