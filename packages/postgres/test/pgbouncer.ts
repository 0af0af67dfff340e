import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@workrail/faults";

const PROGRAM = [
  "/usr/sbin/pgbouncer",
  ...(process.env["PATH"] ?? "").split(path.delimiter).map((folder) => path.join(folder, "pgbouncer")),
].find((file) => existsSync(file));

/** Runs a program as another user, in its own process. */
const SET_USER = "setpriv";

/** Tells why PgBouncer cannot be started here; `undefined` when it can. */
export function noPgBouncer(): string | undefined {
  return PROGRAM === undefined ? "PgBouncer is not installed" : undefined;
}

export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in front of a database, pooling by transaction. Up to version 1.23 it does not know about kept statements by default. */
export async function startPgBouncer(url: string, { connections }: { readonly connections: number }): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = await mkdtemp(path.join(os.tmpdir(), "workrail-pgbouncer-"));
  await chmod(folder, 0o755);
  const own = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  const server = [
    `host=${hostname}`,
    `port=${port}`,
    `user=${username}`,
    ...(password === "" ? [] : [`password=${decodeURIComponent(password)}`]),
  ];
  await writeFile(
    file,
    `[databases]
* = ${server.join(" ")}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
`,
    { mode: 0o644 },
  );
  const bouncer = start(file);
  await reachable(own, bouncer);
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    async stop() {
      const ended = once(bouncer, "exit");
      bouncer.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses root. */
function start(file: string): ChildProcess {
  const isRoot = process.getuid?.() === 0;
  const args = isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups", PROGRAM ?? "", file] : [file];
  return spawn(isRoot ? SET_USER : (PROGRAM ?? ""), args, { stdio: "ignore" });
}

async function reachable(port: number, bouncer: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (bouncer.exitCode !== null || tries === 100) throw error;
      await pause(50);
    } finally {
      socket.destroy();
    }
  }
}
