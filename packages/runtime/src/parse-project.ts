import path from "node:path";
import { checkPath, invalidInput } from "@workrail/core";

/**
 * Checks the root of a project.
 *
 * @throws INVALID_INPUT unless it is an absolute path that can be stored as text.
 */
export function parseProject(given: string): string {
  checkPath(given, "project");
  if (path.isAbsolute(given)) return given;
  throw invalidInput("project", "project must be an absolute path.", "Resolve it against the right working directory.");
}
