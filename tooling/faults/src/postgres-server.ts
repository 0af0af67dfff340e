import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Folder in which Debian keeps the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** A PostgreSQL server of a test, with its data in a temporary folder. */
export interface PostgresServer {
  /** URL of a database of the server. Default: `postgres`, and a superuser of that name. */
  url(database?: string, user?: string): string;
  /** Creates an empty database. */
  createDatabase(name: string): Promise<void>;
  /** Runs statements as the superuser, each in a transaction of its own. */
  run(database: string, statements: readonly string[]): Promise<void>;
  /** Ends every process of the server at once, as `kill -9` does: nothing is written, and the next start recovers from the log. */
  kill(): Promise<void>;
  /** Starts the server again. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  destroy(): Promise<void>;
}

/** Tells why no server can be started here; `undefined` when one can. */
export function noPostgres(): string | undefined {
  if (process.platform === "win32") return "the tests start no PostgreSQL on Windows";
  if (programs() === undefined) return "PostgreSQL is not installed";
  return isRoot() && !hasUser("postgres") ? "PostgreSQL refuses root, and there is no user postgres" : undefined;
}

/**
 * Starts a server on a free port.
 *
 * @param isDurable false: commits are not written to the disk, so that tests are faster, and a `kill` may lose them.
 */
export async function startPostgres({ isDurable }: { readonly isDurable: boolean }): Promise<PostgresServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "workrail-postgres-"));
  if (isRoot()) await chown(folder, idOf("-u"), idOf("-g"));
  const data = path.join(folder, "data");
  const port = await freePort();
  await asServer("initdb", [
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "postgres",
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
    ...(isDurable ? [] : ["--no-sync"]),
  ]);
  const fast = isDurable ? "" : " -c fsync=off -c synchronous_commit=off -c full_page_writes=off";
  const settings = `-c listen_addresses=127.0.0.1 -p ${port} -k ${folder} -c max_connections=200 -c log_min_messages=panic${fast}`;
  const control = (...args: readonly string[]) => asServer("pg_ctl", ["-D", data, "-l", path.join(folder, "log"), "-w", ...args]);
  const server: PostgresServer = {
    url: (database = "postgres", user = "postgres") => `postgres://${user}@127.0.0.1:${port}/${database}`,
    createDatabase: (name) => asServer("createdb", ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", name]),
    run: (database, statements) => {
      const each = statements.flatMap((statement) => ["-c", statement]);
      return asServer("psql", ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-d", database, "-qv", "ON_ERROR_STOP=1", ...each]);
    },
    kill: () => control("stop", "-m", "immediate"),
    start: () => control("start", "-o", settings),
    async destroy() {
      if (existsSync(path.join(data, "postmaster.pid"))) await control("stop", "-m", "immediate");
      await rm(folder, { recursive: true, force: true });
    },
  };
  // A test that is interrupted leaves no server behind.
  process.once("exit", () => killAtOnce(data));
  await server.start();
  return server;
}

/** A database as a team has it, with two users who are no superusers and do not bypass row-level security. */
export interface TeamDatabase {
  /** URL for the owner, who makes the tables. */
  readonly owner: string;
  /** URL for the user of servers and commands, who owns nothing. */
  readonly user: string;
}

/** Creates the database `team` of a server, as `docs/how-to/share-a-store.md` tells. */
export async function createTeamDatabase(server: PostgresServer): Promise<TeamDatabase> {
  await server.run("postgres", ["create user workrail_owner", "create user workrail", "create database team owner workrail_owner"]);
  await server.run("team", [
    "alter default privileges for role workrail_owner grant usage on schemas to workrail",
    "alter default privileges for role workrail_owner grant select, insert, update, delete on tables to workrail",
  ]);
  return { owner: server.url("team", "workrail_owner"), user: server.url("team", "workrail") };
}

async function asServer(program: string, args: readonly string[]): Promise<void> {
  const file = path.join(programs() ?? "", program);
  const options = { cwd: "/", env: { ...process.env, LC_ALL: "C.UTF-8" } };
  await (isRoot() ? run("runuser", ["-u", "postgres", "--", file, ...args], options) : run(file, [...args], options));
}

function killAtOnce(data: string): void {
  const file = path.join(data, "postmaster.pid");
  if (existsSync(file)) process.kill(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGQUIT");
}

/** Folder with the server's programs: the newest of Debian's, or one of the path. */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const debian = versions.length === 0 ? [] : [path.join(DEBIAN, String(Math.max(...versions)), "bin")];
  return [...debian, ...(process.env["PATH"] ?? "").split(path.delimiter)].find((folder) => existsSync(path.join(folder, "initdb")));
}

function isRoot(): boolean {
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
