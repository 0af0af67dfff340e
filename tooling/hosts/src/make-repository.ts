import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes a git repository with one commit that holds the files. */
export async function makeRepository(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const author = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
  await run("git", ["init", "-q", "-b", "main"], { cwd: folder });
  await run("git", ["add", "-A"], { cwd: folder });
  await run("git", [...author, "commit", "-q", "-m", "Start"], { cwd: folder });
}
