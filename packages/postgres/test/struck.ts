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

/**
 * Lets the server give up transactions, as it does for one that another one stands in the way of: instead of the struck statement it runs
 * one that fails with the code of the fault. A `BEGIN` and a `ROLLBACK` cannot fail so.
 */
export function givenUp(database: Database, faults: Faults): Database {
  return {
    async connect() {
      const connection = await database.connect();
      return {
        async run<Row>(statement: Statement<Row>): Promise<readonly Row[]> {
          const plan = /^(?:begin|rollback)/u.test(statement.sql) ? undefined : faults.strike(false);
          if (plan === undefined) return connection.run(statement);
          const failed = connection.run<Row>({ sql: `do $$ begin raise sqlstate '${plan.code}'; end $$`, parameters: [] });
          // A commit that fails ends its transaction.
          if (statement.sql === "commit") await Promise.allSettled([failed, connection.run({ sql: "rollback", parameters: [] })]);
          return failed;
        },
        release: (isBroken) => connection.release(isBroken),
      };
    },
    close: () => database.close(),
  };
}
