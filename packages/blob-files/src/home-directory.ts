import os from "node:os";

/** Returns the user's home directory. An empty `HOME`, as in some containers, would be the working directory, and so a project. */
export function homeDirectory(): string {
  return os.homedir() || os.userInfo().homedir;
}
