import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Folder in which Debian keeps the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** Folder with the server's programs: the newest of Debian's, or one of the path. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const debian = versions.length === 0 ? [] : [path.join(DEBIAN, String(Math.max(...versions)), "bin")];
  return [...debian, ...(process.env["PATH"] ?? "").split(path.delimiter)].find((folder) => existsSync(path.join(folder, "initdb")));
}

/** Runs a program of the server, as the user `postgres` when this process is root. */
export async function asServer(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const file = path.join(postgresPrograms() ?? "", program);
  const options = { cwd: "/", env: { ...process.env, ...environment, LC_ALL: "C.UTF-8" } };
  await (isRoot() ? run("runuser", ["-u", "postgres", "--", file, ...args], options) : run(file, [...args], options));
}

/** Gives a folder to the server's user. */
export async function giveToServer(folder: string): Promise<void> {
  if (isRoot()) await chown(folder, idOf("-u"), idOf("-g"));
}

/** True when no user can run the server: it refuses root, and there is no user `postgres`. */
export function hasNoServerUser(): boolean {
  return isRoot() && !hasUser("postgres");
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function hasUser(name: string): boolean {
  try {
    execFileSync("id", [name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function idOf(option: "-u" | "-g"): number {
  return Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
}
