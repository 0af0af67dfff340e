import { type Faults, faultError } from "@workrail/storage-conformance/harness";
import type { Connection, Database, Statement } from "../src/sql-connection.ts";

/** Loses connections as a network does: before the server has a statement, or after it has done it and before the answer. */
export function struck(database: Database, faults: Faults): Database {
  return {
    connect: async () => struckConnection(await database.connect(), faults),
    close: () => database.close(),
  };
}

function struckConnection(connection: Connection, faults: Faults): Connection {
  let lost: Error | undefined;
  return {
    async run<Row>(statement: Statement<Row>): Promise<readonly Row[]> {
      if (lost !== undefined) throw lost;
      const plan = faults.strike(false);
      if (plan === undefined) return connection.run(statement);
      lost = Object.assign(faultError(plan, statement.sql), { code: "ECONNRESET" });
      if (plan.kind === "fails-after") await connection.run(statement).catch(() => undefined);
      throw lost;
    },
    release: (isBroken) => connection.release(isBroken || lost !== undefined),
  };
}
