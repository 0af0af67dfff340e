import { join } from "node:path";
import process from "node:process";
import { isDeepStrictEqual } from "node:util";
import { createTeamDatabase, noPostgres, type PostgresServer, RoundRobin, startPostgres, tally } from "@workrail/faults";
import { migrateStore, openWorkrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnyClient, connectHttp } from "../testing/any-client.ts";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { TestHome } from "../testing/server-process.ts";

/** Saves of each client. Even, and a multiple of the kills over 16. */
const SAVES = Number(process.env["WORKRAIL_NODE_SAVES"] ?? 10);
const KILLS = Number(process.env["WORKRAIL_NODE_KILLS"] ?? 2);
const CLIENTS = Array.from({ length: 16 }, (_, index) => `client-${index}`);
const STEPS = Array.from({ length: SAVES }, (_, step) => step);
/** A kill comes after each so many saves. */
const EVERY = Math.floor((SAVES * CLIENTS.length) / KILLS);
const MOST_TRIES = 1_000;
const LONG = { timeout: 7_200_000 };
/** Codes of calls that a client may repeat as they are. */
const REPEATABLE = new Set<unknown>(["STORAGE_UNAVAILABLE", "LOCK_TIMEOUT", "STORE_IN_USE"]);

const missing = noPostgres();

/** Every second save goes to a session that all clients share, the others to a session of the client. */
const sessionOf = (client: string, step: number): string => (step % 2 === 0 ? "shared" : client);
const contextOf = (client: string, step: number): object => ({ goal: `Keep the work of ${client}`, step, notes: `${step} `.repeat(50) });

/** Two servers on one database behind a load balancer, each with a data directory of its own, as on two machines. */
class Team {
  readonly home: TestHome;
  readonly database: PostgresServer;
  readonly #store: string;
  readonly #nodes: HttpFixture[] = [];

  private constructor(home: TestHome, database: PostgresServer, store: string) {
    this.home = home;
    this.database = database;
    this.#store = store;
  }

  static async start(): Promise<Team> {
    const home = await TestHome.create();
    const database = await startPostgres({ isDurable: true });
    const { owner, user } = await createTeamDatabase(database);
    await migrateStore({ store: owner });
    const team = new Team(home, database, user);
    for (const node of [0, 1]) await team.startNode(node);
    return team;
  }

  async startNode(node: number): Promise<void> {
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-rate-limit", "0"];
    const program = { command: process.execPath, args, cwd: this.home.project };
    this.#nodes[node] = await HttpFixture.start({ program, env: this.environment(`node-${node}`) });
  }

  environment(machine: string): Readonly<Record<string, string>> {
    return {
      WORKRAIL_DATA_DIR: join(this.home.directory, machine),
      WORKRAIL_STORE: this.#store,
      WORKRAIL_MAX_CHECKPOINTS: "1000000",
      RATE_LIMIT_CHECKPOINT_SAVE: "0",
    };
  }

  node(node: number): HttpFixture {
    const found = this.#nodes[node];
    if (found === undefined) throw new Error(`Node ${node} was never started.`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node[Symbol.asyncDispose]();
    await this.database.destroy();
    await this.home[Symbol.asyncDispose]();
  }
}

const KILLED: Readonly<Record<string, (team: Team, kill: number) => Promise<void>>> = {
  "a node": async (team, kill) => {
    team.node(kill % 2).kill("SIGKILL");
    await team.node(kill % 2).exit();
    await team.startNode(kill % 2);
  },
  "the database": async ({ database }) => {
    await database.kill();
    await database.start();
  },
};

describe.skipIf(missing !== undefined)(`two nodes behind a load balancer${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let team: Team;
  beforeAll(async () => {
    team = await Team.start();
  });
  afterAll(() => team?.[Symbol.asyncDispose]());

  it.each(Object.entries(KILLED))("lose, repeat and reorder no save of 16 clients while %s is killed", LONG, async (what, kill) => {
    const under = (name: string): string => `${what.replace(" ", "-")}-${name}`;
    await using balancer = await RoundRobin.start([() => team.node(0).url, () => team.node(1).url]);
    const connections = await Promise.all(
      CLIENTS.map((_, index) => connectHttp(index % 2 === 0 ? "v1 client" : "v2 client of 2026-07-28", balancer.url)),
    );
    let [saved, kills, killing] = [0, 0, Promise.resolve()];
    const saving = async (connection: AnyClient, index: number): Promise<void> => {
      const client = CLIENTS[index] ?? "";
      for (let step = 0; step < SAVES; step += 1) {
        const given = {
          sessionId: under(sessionOf(client, step)),
          checkpointId: under(`${client}-${step}`),
          context: contextOf(client, step),
        };
        for (let tries = 1; !(await isSaved(connection, given)); tries += 1)
          if (tries === MOST_TRIES) throw new Error("It never succeeds.");
        saved += 1;
        if (saved % EVERY !== 0) continue;
        killing = killing.then(() => kill(team, kills++));
      }
    };
    await Promise.all(connections.map(saving));
    await killing;
    for (const connection of connections) await connection.close();

    await using store = await openWorkrail({ env: team.environment("reader"), project: null, upkeep: false });
    const rows = new Map<string, { readonly sessionId: string; readonly sequence: number }>();
    for await (const row of store.eachCheckpoint({ project: null })) if (row.id.startsWith(under("client"))) rows.set(row.id, row);
    const isLost = async (client: string, step: number): Promise<boolean> => {
      const id = under(`${client}-${step}`);
      if (rows.get(id)?.sessionId !== under(sessionOf(client, step))) return true;
      return !isDeepStrictEqual((await store.loadCheckpoint({ checkpointId: id })).context, contextOf(client, step));
    };
    const lost: string[] = [];
    await Promise.all(
      CLIENTS.map(async (client) => {
        for (const step of STEPS) if (await isLost(client, step)) lost.push(`${client}-${step}`);
      }),
    );
    const sequenceOf = (client: string, step: number): number => rows.get(under(`${client}-${step}`))?.sequence ?? 0;
    const reordered = CLIENTS.filter((client) =>
      STEPS.some((step) => step > 1 && sequenceOf(client, step) <= sequenceOf(client, step - 2)),
    );
    tally({ tries: kills, acknowledged: saved, lost: lost.length, wrong: reordered.length });
    expect({ lost, reordered, checkpoints: rows.size, kills }).toEqual({ lost: [], reordered: [], checkpoints: saved, kills: KILLS });
    for (const sessionId of new Set([...rows.values()].map((row) => row.sessionId))) {
      const sequences = [...rows.values()].filter((row) => row.sessionId === sessionId).map(({ sequence }) => sequence);
      expect(sequences.toSorted((one, other) => one - other)).toEqual(sequences.map((_, index) => index + 1));
    }
    expect((await store.verifyStore()).findings).toEqual([]);
    expect((await store.verifyAuditLog()).findings).toEqual([]);
  });
});

/** Saves. Resolves to false when there was no answer, or one that asks to try again. */
async function isSaved(client: AnyClient, given: Readonly<Record<string, unknown>>): Promise<boolean> {
  const result = await client.callTool("workflow_checkpoint_save", given).catch((error: unknown) => error);
  if (result instanceof Error) return false;
  const { isError, _meta, content } = result as Awaited<ReturnType<AnyClient["callTool"]>>;
  if (isError !== true) return true;
  if (REPEATABLE.has(_meta?.["code"])) return false;
  throw new Error(JSON.stringify(content));
}
