import fs from "node:fs";
import path from "node:path";
import { asSpelled } from "@workrail/blob-files";
import { type Digester, invalidField, parseSessionId, type SessionId, uuidOf } from "@workrail/core";

const FIELD = "projectPath";

/**
 * The path of a project in the form that is stored and compared: without `..`, without a slash at its end, and as the
 * file system spells it.
 *
 * @throws INVALID_INPUT unless it is an absolute path.
 */
export function parseProjectPath(given: string): string {
  if (typeof given === "string" && path.isAbsolute(given) && !given.includes("\0")) return asSpelled(path.resolve(given));
  throw invalidField(FIELD, `${FIELD} must be an absolute path`);
}

/** @throws INVALID_INPUT unless it is an absolute path of a directory that exists. */
export async function parseExistingProject(given: string): Promise<string> {
  const project = parseProjectPath(given);
  const stat = await fs.promises.stat(project).catch(() => undefined);
  if (stat?.isDirectory() === true) return project;
  throw invalidField(FIELD, `${FIELD} must be a directory that exists`);
}

/** The session that holds the checkpoints of a project: the same for the same path. */
export function sessionOfProject(project: string, digests: Digester): SessionId {
  return parseSessionId(uuidOf(digests.sha256(`project\n${project}`)));
}
