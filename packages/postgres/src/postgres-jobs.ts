import { type Job, type Log, runFinally } from "@workrail/core";
import { sql } from "kysely";
import { ask } from "./ask.ts";
import { builder } from "./queries/query-builder.ts";
import type { Transactions } from "./transactions.ts";

export interface PostgresJobsOptions {
  readonly tenant: string;
  readonly transactions: Transactions;
  /** Id of this opener. */
  readonly opener: string;
  /** Time until the claim of a dead process expires. */
  readonly leaseMs: number;
  readonly log: Log;
}

/**
 * Claims jobs by rows with a lease, measured by the clock of the database. A process that sleeps beyond its lease may repeat the work of
 * another. That is slower but correct: each change of the catalog decides again what remains to be done.
 */
export class PostgresJobs {
  readonly #options: PostgresJobsOptions;
  /** Number of calls: each call of an opener is a claim of its own. */
  #calls = 0;

  constructor(options: PostgresJobsOptions) {
    this.#options = options;
  }

  /** `claimJob` of the storage. */
  async claim<T>(job: Job, work: () => Promise<T>): Promise<{ readonly done: T } | undefined> {
    const { opener, leaseMs, log } = this.#options;
    const holder = `${opener}.${++this.#calls}`;
    if (!(await this.#take(job, holder))) return undefined;
    const renewal = setInterval(() => {
      this.#extend(job, holder, leaseMs).catch((error: unknown) => log.warn("the claim of a job could not be renewed", { job, error }));
    }, leaseMs / 3).unref();
    return runFinally(
      async () => ({ done: await work() }),
      async () => {
        clearInterval(renewal);
        // A claim that cannot be given back expires.
        await this.#extend(job, holder, 0).catch((error: unknown) =>
          log.warn("the claim of a job could not be given back", { job, error }),
        );
      },
    );
  }

  /** Takes a job that is free. Does not wait for a process that is taking it at the same time. */
  #take(job: Job, holder: string): Promise<boolean> {
    const { transactions, tenant, leaseMs } = this.#options;
    const known = builder
      .insertInto("job")
      .values({ tenant_id: tenant, name: job, holder: "", until: NOW })
      .onConflict((conflict) => conflict.doNothing());
    const free = builder
      .selectFrom("job")
      .select("name")
      .where("tenant_id", "=", tenant)
      .where("name", "=", job)
      .where("until", "<=", NOW)
      .forUpdate()
      .skipLocked();
    const taking = builder
      .updateTable("job")
      .set({ holder, until: after(leaseMs) })
      .where("tenant_id", "=", tenant)
      .where("name", "in", free)
      .returning("name");
    return transactions.run(async (connection) => {
      const [, taken] = await Promise.all([ask(connection, known), ask(connection, taking)]);
      return taken.length > 0;
    });
  }

  async #extend(job: Job, holder: string, ms: number): Promise<void> {
    const { transactions, tenant } = this.#options;
    const held = builder
      .updateTable("job")
      .set({ until: after(ms) })
      .where("tenant_id", "=", tenant)
      .where("name", "=", job);
    await transactions.run((connection) => ask(connection, held.where("holder", "=", holder)));
  }
}

const NOW = sql<Date>`clock_timestamp()`;

function after(ms: number) {
  return sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(ms / 1_000)})`;
}
