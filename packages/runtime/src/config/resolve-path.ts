import path from "node:path";
import { homeDirectory } from "@workrail/blob-files";

/**
 * Resolves a path as people write it to an absolute path. A leading `~` is the home directory: no shell expands it in a file, or in the
 * environment that a host gives to a server.
 *
 * @param from base of a relative path. Default: the working directory.
 */
export function resolvePath(text: string, from = ""): string {
  const isAtHome = text === "~" || text.startsWith("~/") || text.startsWith(`~${path.sep}`);
  return isAtHome ? path.join(homeDirectory(), text.slice(1)) : path.resolve(from, text);
}
