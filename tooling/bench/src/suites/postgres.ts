import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrateStore } from "@workrail/runtime";
import { Pool, type PoolClient } from "pg";
import type { Bench } from "../bench.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { runWorker } from "../run-worker.ts";
import { type Summary, summarize } from "../statistics.ts";
import type { ScaleStore, ScaleTimings } from "../tasks/compare-scale.ts";
import { NO_LIMIT } from "../tasks/open-library.ts";
import { KB } from "./library.ts";
import { SERVER } from "./programs.ts";
import { type GuessRow, measureGuesses } from "./tenants.ts";

export interface PostgresResult {
  readonly nodes: readonly NodesRow[];
  /** Numbers of checkpoints, and the timings of each store. */
  readonly scale: readonly { readonly checkpoints: number; readonly timings: ScaleTimings }[];
  readonly guesses: readonly GuessRow[];
}

/** 16 clients that save through two nodes in turn, beside 16 connections that do the least that a save in SQL needs. */
export interface NodesRow {
  readonly sessions: "one" | "own";
  readonly floor: Clients;
  readonly measured: Clients;
  /** Saves per second over the floor's. */
  readonly throughputRatio: number;
}

/** Times are milliseconds. */
export interface Clients extends Summary {
  readonly perSecond: number;
}

const CLIENTS = 16;
const NODES = 2;
const ROUNDS = 3;
const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const AT_A_TIME = 10;
/** So few that each project of the smallest store has as many sessions as a search returns: all stores give answers of one size. */
const PROJECTS = 4;

/** Measures stores in a PostgreSQL server of this machine that waits for its disk. */
export async function measurePostgres(bench: Bench): Promise<PostgresResult> {
  bench.say("postgres: starting the server");
  const server = await startPostgres({ isDurable: true });
  try {
    const guesses = await measureGuesses(bench, server);
    return { guesses, nodes: await measureNodes(bench, server), scale: await measureGrowth(bench, server) };
  } finally {
    await server.destroy();
  }
}

/** Returns why no database can be measured. `undefined` when one can. */
export function whyNoPostgres(): string | undefined {
  return noPostgres();
}

async function measureGrowth(bench: Bench, server: PostgresServer): Promise<PostgresResult["scale"]> {
  const stores: (ScaleStore & { readonly checkpoints: number })[] = [];
  for (const checkpoints of bench.quick ? SIZES.slice(0, 2) : SIZES) {
    bench.say(`postgres: making a store of ${checkpoints} checkpoints`);
    const [name, dataDir] = [`of_${checkpoints}`, bench.fresh(`postgres-${checkpoints}`)];
    await server.createDatabase(name);
    const url = server.url(name);
    await migrateStore({ store: url });
    const sessions = checkpoints / IN_A_SESSION;
    const projects = Array.from({ length: Math.min(PROJECTS, sessions) }, (_, index) => `/home/dev/project-${index}`);
    const fast = `${url}?options=-c%20synchronous_commit%3Doff`;
    await runWorker("fillDatabase", {
      url: fast,
      dataDir,
      sessions,
      checkpoints: IN_A_SESSION,
      bytes: KB,
      atATime: AT_A_TIME,
      projects,
    });
    await server.run(name, ["analyze"]);
    stores.push({ dataDir, url, sessions, project: projects[0] as string, checkpoints });
  }
  bench.say("postgres: the same in each store");
  const timings = await runWorker("compareScale", { stores, openings: bench.quick ? 5 : 20, calls: bench.quick ? 30 : 200, bytes: KB });
  return stores.map(({ checkpoints }, at) => ({ checkpoints, timings: timings[at] as ScaleTimings }));
}

async function measureNodes(bench: Bench, server: PostgresServer): Promise<readonly NodesRow[]> {
  const url = server.url("postgres");
  await migrateStore({ store: url });
  const bare = new Pool({ connectionString: url, max: CLIENTS });
  for (const statement of BARE_TABLES) await bare.query(statement);
  const nodes = await Promise.all(Array.from({ length: NODES }, () => Node.start(url, bench.fresh("node"))));
  try {
    const rows: NodesRow[] = [];
    for (const sessions of ["one", "own"] as const) {
      bench.say(`postgres: ${CLIENTS} clients, ${sessions === "one" ? "one session" : "a session each"}`);
      const times = { floor: [] as Round[], measured: [] as Round[] };
      const each = bench.quick ? 10 : 60;
      for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round++) {
        const sessionOf = (client: number): string => (sessions === "one" ? `one ${round}` : `${client} ${round}`);
        times.floor.push(await playRound(each, (client, step) => saveBare(bare, sessionOf(client), contextOf(client, step))));
        times.measured.push(
          await playRound(each, (client, step) =>
            (nodes[(client + step) % NODES] as Node).save(sessionOf(client), contextOf(client, step)),
          ),
        );
      }
      const [floor, measured] = [clientsOf(times.floor), clientsOf(times.measured)];
      rows.push({ sessions, floor, measured, throughputRatio: measured.perSecond / floor.perSecond });
    }
    return rows;
  } finally {
    await bare.end();
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

interface Round {
  readonly times: readonly number[];
  readonly ms: number;
}

async function playRound(each: number, save: (client: number, step: number) => Promise<void>): Promise<Round> {
  const times: number[] = [];
  const began = performance.now();
  const play = async (client: number): Promise<void> => {
    for (let step = 0; step < each; step++) {
      const started = performance.now();
      await save(client, step);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => play(client)));
  return { times, ms: performance.now() - began };
}

function clientsOf(rounds: readonly Round[]): Clients {
  const times = rounds.flatMap((round) => round.times);
  return { ...summarize(times), perSecond: (times.length * 1_000) / rounds.reduce((sum, { ms }) => sum + ms, 0) };
}

const CONTEXTS = Array.from({ length: CLIENTS }, (_, client) => generateContext(KB, client + 1));

function contextOf(client: number, step: number): object {
  return atStep(CONTEXTS[client] as ReturnType<typeof generateContext>, step);
}

const BARE_TABLES = [
  "create schema bare",
  "create table bare.session (id text primary key, head bigint not null)",
  "create table bare.checkpoint (session text, sequence bigint, id text not null, bytes bytea not null, primary key (session, sequence))",
];

/** The least that a save needs: the session's row locked, a compressed row, the new head. */
async function saveBare(pool: Pool, session: string, context: object): Promise<void> {
  const client: PoolClient = await pool.connect();
  try {
    await client.query("begin");
    await client.query("insert into bare.session values ($1, 0) on conflict do nothing", [session]);
    const { rows } = await client.query<{ head: string }>("select head from bare.session where id = $1 for update", [session]);
    const next = Number(rows[0]?.head) + 1;
    const bytes = gzipSync(JSON.stringify(context));
    await client.query("insert into bare.checkpoint values ($1, $2, $3, $4)", [session, next, randomUUID(), bytes]);
    await client.query("update bare.session set head = $2 where id = $1", [session, next]);
    await client.query("commit");
  } finally {
    client.release();
  }
}

/** A server on HTTP. */
class Node {
  readonly #child: ChildProcess;
  readonly #url: string;
  #calls = 0;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(store: string, dataDir: string): Promise<Node> {
    const child = spawn(process.execPath, [SERVER, "--http", "0", "--http-rate-limit", "0"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, WORKRAIL_STORE: store, WORKRAIL_DATA_DIR: dataDir, WORKRAIL_MAX_CHECKPOINTS: String(NO_LIMIT) },
    });
    for await (const line of createInterface(child.stderr)) {
      const [, url] = /serves (http\S+)/u.exec(line) ?? [];
      if (url === undefined) continue;
      child.stderr.resume();
      return new Node(child, url);
    }
    throw new Error("The node ended before it served.");
  }

  async save(sessionId: string, context: object): Promise<void> {
    const params = { name: "workflow_checkpoint_save", arguments: { sessionId, context, force: true } };
    const response = await fetch(this.#url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++this.#calls, method: "tools/call", params }),
    });
    const text = await response.text();
    if (!response.ok || text.includes('"isError":true')) throw new Error(`A save failed: ${text.slice(0, 500)}`);
  }

  async stop(): Promise<void> {
    this.#child.kill();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }
}
