import fs from "node:fs";
import path from "node:path";
import { asSpelled } from "@workrail/blob-files";
import { type Digester, parseSessionId, type SessionId, uuidOf } from "@workrail/core";
import { invalidField } from "./project-draft.ts";

const FIELD = "projectPath";

/**
 * Normalises the path of a project for storing and comparing: no `..`, no trailing slash, spelled as in the file system.
 *
 * @throws INVALID_INPUT unless it is an absolute path.
 */
export function parseProjectPath(given: string): string {
  if (typeof given === "string" && path.isAbsolute(given) && !given.includes("\0")) return asSpelled(path.resolve(given));
  throw invalidField(FIELD, `${FIELD} must be an absolute path`);
}

/** @throws INVALID_INPUT unless it is the absolute path of an existing directory. */
export async function parseExistingProject(given: string): Promise<string> {
  const project = parseProjectPath(given);
  const stat = await fs.promises.stat(project).catch(() => undefined);
  if (stat?.isDirectory() === true) return project;
  throw invalidField(FIELD, `${FIELD} must be a directory that exists`);
}

/** Returns the session of a project's checkpoints, derived from the path. */
export function sessionOfProject(project: string, digests: Digester): SessionId {
  return parseSessionId(uuidOf(digests.sha256(`project\n${project}`)));
}
