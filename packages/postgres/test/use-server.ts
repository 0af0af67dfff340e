import { createTeamDatabase, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate } from "@workrail/postgres";
import { afterAll, beforeAll } from "vitest";
import type { Database } from "../src/sql-connection.ts";
import { sharedPool } from "../src/shared-pool.ts";
import { MOST_CONNECTIONS, TEST_URL } from "./server-harness.ts";

/**
 * Starts a server with a migrated database for the tests of the block, and names it to `server-harness.ts`. The connections stay open
 * between tests, because a new one plans each statement again; `shared-pool.test.ts` proves that the last storage closes them.
 */
export function useServer(): void {
  let server: PostgresServer;
  let connections: Database;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    process.env[TEST_URL] = user;
    await migrate(owner);
    connections = sharedPool({ url: user, maxConnections: MOST_CONNECTIONS });
  });
  afterAll(async () => {
    delete process.env[TEST_URL];
    await connections.close();
    await server.destroy();
  });
}
