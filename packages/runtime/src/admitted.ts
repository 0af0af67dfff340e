import { findCheckpoint, findHead, invalidInput, parseCheckpointId, parseSessionId, sessionNotFound, WorkrailError } from "@workrail/core";
import { checkChangeable, projectNotAllowed } from "@workrail/wrappers";
import type { SaveCheckpointParams } from "./context-management-service.ts";
import type { Confined } from "./isolation.ts";
import { sessionOfProject } from "./project-checkpoints/project-path.ts";
import type { Store } from "./store.ts";

/**
 * Checks a save of a caller with a right to some projects, and adds the project: that of the session or the parent, else the default.
 *
 * Such a caller starts sessions without choosing their ids: a taken id would reveal the ids of others.
 *
 * @throws INVALID_INPUT for another project; SESSION_NOT_FOUND for an unknown session.
 */
export async function admitted(store: Store, { projects }: Confined, params: SaveCheckpointParams): Promise<SaveCheckpointParams> {
  const { project, sessionId, kind, parentId, expectedParentId } = params;
  if (project !== undefined && !projects.includes(project)) throw projectNotAllowed(projects);
  const isOfProject = kind === "project" && project !== undefined && sessionId === sessionOfProject(project, store.parts.digests);
  if (isOfProject) return params;
  if (sessionId !== undefined) {
    // Also refuses a session that the caller cannot see, whichever project is given.
    const sessionProject = await projectOfSession(store, sessionId);
    return { ...params, project: project ?? sessionProject };
  }
  const parent = parentId ?? expectedParentId ?? undefined;
  const known =
    parent === undefined ? undefined : await store.using(() => findCheckpoint(store.parts.catalog, parseCheckpointId(parent, "parentId")));
  return { ...params, project: project ?? known?.project };
}

/**
 * Returns the project of a session to which a caller with a right to some projects saves.
 *
 * @throws SESSION_NOT_FOUND when there is none for the caller; INVALID_INPUT when it has checkpoints of other projects too.
 */
export async function projectOfSession(store: Store, given: string): Promise<string | undefined> {
  const sessionId = parseSessionId(given);
  const head = await store.using(() => findHead(store.parts.catalog, sessionId));
  if (head === undefined) throw unknownSession(sessionNotFound(sessionId));
  await store.using(() => checkChangeable(store.parts.catalog, sessionId));
  return head.project;
}

function unknownSession({ code, message, details }: WorkrailError): WorkrailError {
  return new WorkrailError(code, message, { details, hint: "Leave sessionId out to start a session: the answer contains its id." });
}

/** Refuses an id for a new checkpoint, for the same reason. @throws INVALID_INPUT */
export function refuseChosenId({ checkpointId }: SaveCheckpointParams): void {
  if (checkpointId === undefined) return;
  throw invalidInput("checkpointId", "You cannot choose the id of a checkpoint.", "Leave checkpointId out: the answer contains the id.");
}
