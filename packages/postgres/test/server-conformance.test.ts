import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate } from "@workrail/postgres";
import { describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { harness, TEST_URL } from "./server-harness.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    process.env[TEST_URL] = user;
    await migrate(owner);
  });
  afterAll(() => server.destroy());

  describeStorage(harness, { runs: 60, operations: 100, kills: 3, faults: false });
});
