import { setTimeout as pause } from "node:timers/promises";
import { type Locking, type Log, ProcessLocking, runFinally, type SessionId, WorkrailError } from "@workrail/core";
import { sql } from "kysely";
import { ask } from "./ask.ts";
import { builder } from "./queries/query-builder.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Transactions } from "./transactions.ts";

export interface PostgresLockingOptions {
  readonly tenant: string;
  readonly transactions: Transactions;
  /** Id of this opener. */
  readonly opener: string;
  /** Time until the lease of a process that died is over. */
  readonly leaseMs: number;
  /** Set with each renewal of the lease. */
  readonly clock: DatabaseClock;
  readonly log: Log;
}

/**
 * Lock between processes by leases in rows: a connection behind a pool of transactions can hold no lock of a session. Each opener has a
 * row in `opener`; whoever works alone is named in the row of the store. Times are those of the database. A process that slept beyond
 * its lease can do no harm: its next change finds the store taken.
 */
export class PostgresLocking implements Locking {
  readonly #gate = new ProcessLocking();
  readonly #options: PostgresLockingOptions;
  #timer: NodeJS.Timeout | undefined;
  #isAlone = false;

  /**
   * Announces an opener of the store. Waits while another opener works alone.
   *
   * @throws STORE_IN_USE when that takes longer than two leases.
   */
  static async open(options: PostgresLockingOptions): Promise<PostgresLocking> {
    const locking = new PostgresLocking(options);
    const deadline = performance.now() + 2 * options.leaseMs;
    while (!(await locking.#share())) {
      if (performance.now() > deadline) throw inUse();
      await pause(options.leaseMs / 50);
    }
    locking.#timer = setInterval(() => void locking.#renew(), options.leaseMs / 3).unref();
    return locking;
  }

  private constructor(options: PostgresLockingOptions) {
    this.#options = options;
  }

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#gate.inOrder(session, work);
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(work);
  }

  exclusively<T>(work: () => Promise<T>, isNeeded: () => Promise<boolean> = async () => true): Promise<T> {
    return this.#gate.exclusively(async () => {
      await this.#takeAlone(isNeeded);
      this.#isAlone = true;
      return runFinally(work, async () => {
        this.#isAlone = false;
        await this.#endAlone();
      });
    });
  }

  /** A lease that cannot be ended runs out. */
  async close(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { transactions, tenant, opener } = this.#options;
    const end = builder.deleteFrom("opener").where("tenant_id", "=", tenant).where("id", "=", opener);
    await transactions.run((connection) => ask(connection, end)).catch((error: unknown) => this.#report(error));
  }

  /** Begins or renews the lease of this opener. False while another one works alone. */
  #share(): Promise<boolean> {
    const { transactions, tenant, opener } = this.#options;
    return transactions.change(async ({ locked }) => {
      const { alone_by: alone } = await locked;
      if (alone !== null && alone !== opener) return { outcome: false, hasWritten: false, writes: [] };
      const expired = builder.deleteFrom("opener").where("tenant_id", "=", tenant).where("until", "<", NOW);
      const lease = builder
        .insertInto("opener")
        .values({ tenant_id: tenant, id: opener, until: this.#until() })
        .onConflict((conflict) => conflict.columns(["tenant_id", "id"]).doUpdateSet((eb) => ({ until: eb.ref("excluded.until") })));
      return { outcome: true, hasWritten: false, writes: [expired, lease, ...(this.#isAlone ? [this.#alone()] : [])] };
    });
  }

  /** Waits for processes that died. One that renews its lease is alive, and refuses the lock. */
  async #takeAlone(isNeeded: () => Promise<boolean>): Promise<void> {
    const { leaseMs } = this.#options;
    const deadline = performance.now() + 2 * leaseMs;
    const seen = new Map<string, number>();
    for (;;) {
      const others = await this.#tryAlone();
      if (others.length === 0) return;
      const isAlive = others.some(({ id, until }) => until > (seen.get(id) ?? until));
      if (isAlive || performance.now() > deadline || !(await isNeeded())) throw inUse();
      for (const { id, until } of others) if (!seen.has(id)) seen.set(id, until);
      await pause(leaseMs / 20);
    }
  }

  /** Takes the store for this opener alone, unless there are others. Returns the others. */
  #tryAlone(): Promise<readonly Opener[]> {
    const { transactions, tenant, opener } = this.#options;
    const others = builder
      .selectFrom("opener")
      .select(["id", sql<number>`(extract(epoch from until) * 1000)::bigint`.as("until")])
      .where("tenant_id", "=", tenant)
      .where("id", "<>", opener)
      .where("until", ">", NOW);
    return transactions.change(async ({ connection, locked }) => {
      const [{ alone_by: alone }, found] = await Promise.all([locked, ask(connection, others)]);
      const all = alone === null || alone === opener ? found : [...found, { id: alone, until: 0 }];
      return { outcome: all, hasWritten: false, writes: all.length === 0 ? [this.#alone()] : [] };
    });
  }

  #alone() {
    const { tenant, opener } = this.#options;
    return builder.updateTable("store").set({ alone_by: opener, alone_until: this.#until() }).where("tenant_id", "=", tenant);
  }

  async #endAlone(): Promise<void> {
    const { transactions, tenant, opener } = this.#options;
    const end = builder.updateTable("store").set({ alone_by: null, alone_until: null }).where("tenant_id", "=", tenant);
    await transactions.run((connection) => ask(connection, end.where("alone_by", "=", opener)));
  }

  #until() {
    return sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(this.#options.leaseMs / 1_000)})`;
  }

  /** A lease that cannot be renewed now may be renewed next time. */
  async #renew(): Promise<void> {
    const { transactions, clock } = this.#options;
    try {
      await this.#share();
      await transactions.run((connection) => clock.set(connection));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.log.warn("the lease of the open store could not be written", { error });
  }
}

interface Opener {
  readonly id: string;
  readonly until: number;
}

const NOW = sql<Date>`clock_timestamp()`;

function inUse(): WorkrailError {
  return new WorkrailError("STORE_IN_USE", "Another process has the store open.", {
    hint: "Close the other programs that use this store, then try again.",
  });
}
