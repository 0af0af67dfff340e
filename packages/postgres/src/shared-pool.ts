import { openPool, pgDatabase, type PoolOptions } from "./pg-database.ts";
import type { Database } from "./sql-connection.ts";

interface Shared {
  readonly database: Database;
  users: number;
}

/** Pools that are open, by their options. */
const pools = new Map<string, Shared>();

/** Returns the pool of this process with these options, so that the stores of many tenants need no more connections than one. */
export function sharedPool(options: PoolOptions): Database {
  const key = JSON.stringify(options);
  const pool = pools.get(key) ?? { database: pgDatabase(openPool(options)), users: 0 };
  pool.users += 1;
  pools.set(key, pool);
  let leaving: Promise<void> | undefined;
  return {
    connect: () => pool.database.connect(),
    close: () => (leaving ??= leave(key, pool)),
  };
}

/** The last user closes the pool. */
async function leave(key: string, pool: Shared): Promise<void> {
  pool.users -= 1;
  if (pool.users > 0) return;
  pools.delete(key);
  await pool.database.close();
}
