import { createTeamDatabase, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate } from "@workrail/postgres";
import { afterAll, beforeAll } from "vitest";
import { TEST_URL } from "./server-harness.ts";

/** Starts a server with a migrated database for the tests of the block, and names it to `server-harness.ts`. */
export function useServer(): void {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    process.env[TEST_URL] = user;
    await migrate(owner);
  });
  afterAll(() => {
    delete process.env[TEST_URL];
    return server.destroy();
  });
}
