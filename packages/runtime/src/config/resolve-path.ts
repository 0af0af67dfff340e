import os from "node:os";
import path from "node:path";

/**
 * An absolute path of one as people write it. `~` in front is the home directory: in the environment that a host gives to
 * a server, and in a file, no shell puts it in.
 *
 * @param from what a relative path is relative to. Default: the working directory.
 */
export function resolvePath(text: string, from = ""): string {
  const isAtHome = text === "~" || text.startsWith("~/") || text.startsWith(`~${path.sep}`);
  return isAtHome ? path.join(os.homedir(), text.slice(1)) : path.resolve(from, text);
}
