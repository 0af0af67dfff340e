import { createTeamDatabase, type PostgresServer } from "@workrail/faults";
import { migrateStore, openWorkrail, type Workrail } from "@workrail/runtime";
import { alternate, type Comparison } from "../alternate.ts";
import type { Bench } from "../bench.ts";
import { generateContext } from "../generate-context.ts";
import { NO_LIMIT } from "../tasks/open-library.ts";
import { KB } from "./library.ts";

/** A query for another tenant's data, compared with a query for absent data. */
export interface GuessRow extends Comparison {
  readonly question: string;
}

/** Words that only the other tenant has, and words that no tenant has. */
const [THEIRS, NOBODYS] = ["quokkabridge", "quaggabridge"] as const;
const SESSIONS = 20;

/** Measures whether a tenant can tell by time what another one has. */
export async function measureGuesses(bench: Bench, server: PostgresServer): Promise<readonly GuessRow[]> {
  bench.say("postgres: guesses of another tenant");
  const { owner, user } = await createTeamDatabase(server);
  await migrateStore({ store: owner });
  const open = (tenant: string): Promise<Workrail> => {
    const env = { WORKRAIL_DATA_DIR: bench.fresh(tenant) };
    return openWorkrail({ env, store: user, settings: { tenant }, project: null, upkeep: false, limits: { maxCheckpoints: NO_LIMIT } });
  };
  await using own = await open("own");
  await using other = await open("other");
  for (const [workrail, word] of [
    [own, "own"],
    [other, THEIRS],
  ] as const) {
    for (let save = 0; save < (bench.quick ? 200 : 2_000); save++) {
      const context = { ...generateContext(KB, save + 1), subject: `${word} ${save}` };
      await workrail.saveCheckpoint({ sessionId: `${word}-${save % SESSIONS}`, context });
    }
    await workrail.searchCheckpoints({ query: word });
  }
  const [newest] = (await other.findCheckpoints({ limit: 1 })).checkpoints;
  const theirs = newest?.id as string;
  const nobodys = `${theirs.slice(0, -1)}${theirs.endsWith("0") ? "1" : "0"}`;
  const questions = {
    "load a checkpoint by its id": [(id: string) => failure(own.loadCheckpoint({ checkpointId: id })), theirs, nobodys],
    "list a session": [(sessionId: string) => own.findCheckpoints({ sessionId }), `${THEIRS}-1`, `${NOBODYS}-1`],
    "search a word": [(query: string) => own.searchCheckpoints({ query }), THEIRS, NOBODYS],
  } as const;
  const effort = { fewest: 100, most: bench.quick ? 300 : 2_000, forMs: 60_000 };
  const rows: GuessRow[] = [];
  for (const [question, [ask, ofTheirs, ofNobody]] of Object.entries(questions)) {
    rows.push({ question, ...(await alternate(effort, { floor: () => ask(ofNobody), measured: () => ask(ofTheirs) })) });
  }
  return rows;
}

/** Resolves with the error that a call must end with. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("A checkpoint of another tenant was loaded.");
}
