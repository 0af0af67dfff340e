import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { copyPostgresData, initializePostgres } from "./new-postgres-data.ts";
import { asServer, giveToServer, hasNoServerUser, postgresPrograms } from "./postgres-programs.ts";

const ROLES = readFileSync(new URL("../../../deploy/roles.sql", import.meta.url), "utf8");

/** A PostgreSQL server of a test, with its data in a temporary folder. */
export interface PostgresServer {
  /** URL of a database of the server. Default: `postgres`, and a superuser of that name. */
  url(database?: string, user?: string): string;
  /** Creates an empty database. */
  createDatabase(name: string): Promise<void>;
  /** Runs statements as the superuser, each in a transaction of its own. */
  run(database: string, statements: readonly string[]): Promise<void>;
  /** Runs a file of psql as the superuser. */
  runFile(database: string, text: string, environment: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Ends every process of the server at once, as `kill -9` does: nothing is written, and the next start recovers from the log. A server
   * that ended by itself stays so.
   */
  kill(): Promise<void>;
  /** Starts the server again. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  destroy(): Promise<void>;
}

/** Tells why no server can be started here; `undefined` when one can. */
export function noPostgres(): string | undefined {
  if (process.platform === "win32") return "the tests start no PostgreSQL on Windows";
  if (postgresPrograms() === undefined) return "PostgreSQL is not installed";
  return hasNoServerUser() ? "PostgreSQL refuses root, and there is no user postgres" : undefined;
}

/**
 * Starts a server on a free port.
 *
 * @param isDurable false: commits are not written to the disk, so that tests are faster, and a `kill` may lose them.
 * @param disk directory for the data, as of a small disk. Default: a temporary one.
 */
export async function startPostgres({ isDurable, disk }: { readonly isDurable: boolean; readonly disk?: string }): Promise<PostgresServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "workrail-postgres-"));
  await giveToServer(folder);
  if (disk !== undefined) await giveToServer(disk);
  const data = path.join(disk ?? folder, "data");
  const port = await freePort();
  if (disk === undefined) await copyPostgresData(data);
  else await initializePostgres(data, ["--wal-segsize=1"]);
  const fast = isDurable ? "" : " -c fsync=off -c synchronous_commit=off -c full_page_writes=off";
  const settings = `-c listen_addresses=127.0.0.1 -p ${port} -k ${folder} -c max_connections=200 -c log_min_messages=panic${fast}`;
  const control = (...args: readonly string[]) => asServer("pg_ctl", ["-D", data, "-l", path.join(folder, "log"), "-w", ...args]);
  const psql = (database: string): readonly string[] => [
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-U",
    "postgres",
    "-d",
    database,
    "-qXv",
    "ON_ERROR_STOP=1",
  ];
  const stop = async (): Promise<void> => {
    if (existsSync(path.join(data, "postmaster.pid"))) await control("stop", "-m", "immediate");
  };
  const killIt = (): void => killAtOnce(data);
  const server: PostgresServer = {
    url: (database = "postgres", user = "postgres") => `postgres://${user}@127.0.0.1:${port}/${database}`,
    createDatabase: (name) => asServer("createdb", ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", name]),
    run: (database, statements) => {
      const each = statements.flatMap((statement) => ["-c", statement]);
      return asServer("psql", [...psql(database), ...each]);
    },
    async runFile(database, text, environment) {
      // The server's user may be unable to read files of the repository.
      const file = path.join(folder, "run.sql");
      await writeFile(file, text, { mode: 0o644 });
      await asServer("psql", [...psql(database), "-f", file], environment);
    },
    kill: stop,
    start: () => control("start", "-o", settings),
    async destroy() {
      await stop();
      process.off("exit", killIt);
      await rm(folder, { recursive: true, force: true });
    },
  };
  // A test that is interrupted leaves no server behind.
  process.once("exit", killIt);
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

/** Creates the database `team` of a server, with the users of `deploy/roles.sql`. */
export async function createTeamDatabase(server: PostgresServer): Promise<TeamDatabase> {
  await server.createDatabase("team");
  const environment = { WORKRAIL_OWNER_PASSWORD: 'it\'s "the owner"', WORKRAIL_DB_PASSWORD: "secret" };
  await server.runFile("team", ROLES, environment);
  return { owner: server.url("team", "workrail_owner"), user: server.url("team", "workrail") };
}

function killAtOnce(data: string): void {
  const file = path.join(data, "postmaster.pid");
  if (existsSync(file)) process.kill(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGQUIT");
}

/** Finds a port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
