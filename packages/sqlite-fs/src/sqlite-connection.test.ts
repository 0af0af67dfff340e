import path from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/test-store.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { openDatabase } from "../test/open-database.ts";

describe("a connection", () => {
  it.each([
    ["journal_mode", "wal"],
    // Acknowledged commits survive a power cut: 2 is FULL.
    ["synchronous", 2],
    ["page_size", 1024],
    ["foreign_keys", 1],
    ["secure_delete", 1],
    ["trusted_schema", 0],
    ["cell_size_check", 1],
    ["journal_size_limit", 4 * 1024 * 1024],
    ["busy_timeout", 0],
  ])("has %s = %s", (name, expected) =>
    withConnection((connection) => {
      const row = connection.statement(`PRAGMA ${name}`).get() as Record<string, unknown>;
      expect(Object.values(row)).toEqual([expected]);
    }),
  );

  it("prepares a statement once", () =>
    withConnection((connection) => {
      expect(connection.statement("SELECT 1")).toBe(connection.statement("SELECT 1"));
    }));
});

function withConnection(test: (connection: SqliteConnection) => void): Promise<void> {
  return withDirectory(async (directory) => {
    const schema = { lockWaitMs: 0, journal: "WAL", keepCopy: async () => undefined } as const;
    const connection = await SqliteConnection.open(path.join(directory, "some.db"), openDatabase, schema);
    test(connection);
    connection.close();
  });
}
