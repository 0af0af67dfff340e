import type { PGlite } from "@electric-sql/pglite";
import type { Connection, Database, Statement } from "../src/sql-connection.ts";

/** The one connection of a PGlite, which callers take in turns. Closing leaves it open for other stores. */
export function pgliteDatabase(pglite: PGlite): Database {
  return {
    async connect() {
      const before = turns.get(pglite);
      const turn = Promise.withResolvers<void>();
      turns.set(pglite, turn.promise);
      await before;
      return connectionOf(pglite, turn.resolve);
    },
    close: async () => undefined,
  };
}

const turns = new WeakMap<PGlite, Promise<void>>();

function connectionOf(pglite: PGlite, release: () => void): Connection {
  return {
    async run<Row>({ sql, parameters }: Statement<Row>) {
      const { rows } = await pglite.query<Row>(sql, [...parameters]);
      return rows;
    },
    release,
  };
}
