import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixture, latestContext, makeFolder, readAll, writeKeeperFile } from "../test/in-folder.ts";

describe("mcp-memory-keeper", () => {
  let made = makeFolder();
  beforeEach(() => {
    made = makeFolder();
  });
  afterEach(() => made.remove());

  const inDatabase = (file: string, ...statements: readonly string[]): void => {
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
  };

  it("contains each session that the program wrote, with its checkpoints and its state", async () => {
    const { sessions, skipped } = await readAll("mcp-memory-keeper", writeKeeperFile(made.folder));
    expect(skipped).toEqual([expect.stringMatching(/context\.db, session [0-9a-f-]{36}: it is empty$/u)]);
    expect(sessions).toMatchObject([{ project: "/srv/shop", name: "cart bug", pins: ["current_task"], writer: "mcp-memory-keeper" }]);
    const [saved, now] = [...(sessions[0]?.checkpoints ?? [])];
    expect(saved).toMatchObject({
      name: "before refactor",
      parentId: null,
      kind: "workflow",
      createdAt: new Date("2026-11-24T12:20:14.000Z"),
    });
    expect(Object.keys(saved?.context ?? {})).toEqual(["current_task", "decision_store", "mcp-memory-keeper"]);
    expect(saved?.context["mcp-memory-keeper"]).toMatchObject({ checkpoint: { description: "tests are green" } });
    expect(now).toMatchObject({ parentId: saved?.id, createdAt: new Date("2026-11-24T12:20:14.870Z") });
    expect(now?.context).toMatchObject({
      current_task: "find where the cart is dropped",
      decision_store: "carts stay in Redis — not in the cookie",
      next_step: "write a test for the login",
      "mcp-memory-keeper": {
        session: { name: "cart bug", description: "the cart is lost" },
        items: [
          { key: "current_task", category: "task", priority: "high" },
          { key: "decision_store", category: "decision", channel: "back-end", created_at: "2026-11-24 12:20:14" },
          { key: "next_step", category: "progress" },
        ],
        files: [{ file_path: "/srv/shop/src/cart.ts" }],
        journal: [{ entry: "slow day", mood: "tired" }],
        relationships: [{ from_key: "current_task", to_key: "decision_store" }],
      },
    });
  });

  it("reads data that is only in the log of a running server, and changes no file beside it", async () => {
    const file = writeKeeperFile(made.folder);
    const server = new DatabaseSync(file);
    server.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE context_items SET value = 'new' WHERE key = 'next_step'");
    const state = () => readdirSync(made.folder).map((name) => [name, readFileSync(join(made.folder, name)).toString("base64")]);
    const before = state();
    const [session] = (await readAll("mcp-memory-keeper", made.folder)).sessions;
    expect(latestContext(session)).toMatchObject({ next_step: "new" });
    expect(state()).toEqual(before);
    server.close();
  });

  it("has no project when its directory cannot be a path", async () => {
    const file = writeKeeperFile(made.folder);
    inDatabase(file, "UPDATE sessions SET working_directory = '/srv/' || char(0) || 'shop'");
    expect((await readAll("mcp-memory-keeper", file)).sessions).toMatchObject([{ project: undefined, name: "cart bug" }]);
  });

  it.skipIf(process.platform === "win32")("follows a link to the database and its log", async () => {
    mkdirSync(join(made.folder, "real"));
    const file = writeKeeperFile(join(made.folder, "real"));
    symlinkSync(file, join(made.folder, "link.db"));
    expect((await readAll("mcp-memory-keeper", join(made.folder, "link.db"))).sessions).toHaveLength(1);
  });

  it("has the same ids for a copy, and new ids for changed content", async () => {
    const file = writeKeeperFile(made.folder);
    const [before] = (await readAll("mcp-memory-keeper", file)).sessions;
    inDatabase(
      file,
      "INSERT INTO context_items (id, session_id, key, value, created_at, updated_at) SELECT 'i', session_id, 'later', 'x', '2027-01-01 00:00:00', '2027-01-01 00:00:00' FROM checkpoints",
    );
    const [after] = (await readAll("mcp-memory-keeper", file)).sessions;
    const [first, second] = [before, after].map((session) => [...(session?.checkpoints ?? [])]);
    expect(after?.id).toBe(before?.id);
    // No item of the checkpoint has this id.
    expect(second?.[0]?.id).toBe(first?.[0]?.id);
    expect(second?.[1]?.id).not.toBe(first?.[1]?.id);
    expect(second?.[1]?.createdAt).toEqual(new Date("2027-01-01T00:00:00.000Z"));
  });

  it("takes a database of an earlier version, which has fewer tables and columns", async () => {
    const file = join(made.folder, "old.db");
    inDatabase(
      file,
      "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, created_at TIMESTAMP)",
      "CREATE TABLE context_items (id TEXT PRIMARY KEY, session_id TEXT, key TEXT, value TEXT)",
      "INSERT INTO sessions VALUES ('s', 'old', '2025-06-27 02:07:07')",
      "INSERT INTO context_items VALUES ('1', 's', 'mcp-memory-keeper', 'its own'), ('2', 's', '__proto__', 'p'), ('3', 's', 'n', 7), ('4', 's', 'b', x'00ff')",
    );
    const { sessions, skipped } = await readAll("mcp-memory-keeper", file);
    expect(skipped).toEqual([`${file}, session s, item b: its value is not text`]);
    expect(sessions).toMatchObject([{ name: "old", createdAt: new Date("2025-06-27T02:07:07.000Z") }]);
    const context = latestContext(sessions[0]) ?? {};
    expect(Object.entries(context)).toMatchObject([
      ["mcp-memory-keeper", "its own"],
      ["__proto__", "p"],
      ["n", "7"],
      ["mcp-memory-keeper (2)", { session: { name: "old" } }],
    ]);
  });

  it("names a session that is too large, and takes the others", async () => {
    const file = writeKeeperFile(made.folder);
    inDatabase(
      file,
      "INSERT INTO sessions (id, name) VALUES ('large', 'large')",
      // The triggers would write the value four more times.
      "DROP TRIGGER track_context_insert",
      "INSERT INTO context_items (id, session_id, key, value, sequence_number) VALUES ('l', 'large', 'k', CAST(zeroblob(70000000) AS TEXT), 1)",
    );
    const { sessions, skipped } = await readAll("mcp-memory-keeper", file);
    expect(sessions).toHaveLength(1);
    expect(skipped).toContain(`${file}, session large: its rows in context_items exceed the size limit`);
  });

  it("skips views, which may be endless", async () => {
    const file = join(made.folder, "view.db");
    inDatabase(
      file,
      "CREATE VIEW context_items AS WITH RECURSIVE n(session_id) AS (SELECT 's' UNION ALL SELECT 's' FROM n) SELECT session_id, 'k' AS key, 'v' AS value FROM n",
      "CREATE TABLE sessions (id TEXT)",
      "INSERT INTO sessions VALUES ('s')",
    );
    await expect(readAll("mcp-memory-keeper", file)).rejects.toMatchObject({
      message: `${file} cannot be read: it has no sessions of mcp-memory-keeper.`,
    });
  });

  it("refuses other databases and files", async () => {
    const file = join(made.folder, "context.db");
    await expect(readAll("mcp-memory-keeper", file)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("does not exist"),
    });
    await expect(readAll("mcp-memory-keeper", made.folder)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    writeFileSync(file, "no database at all, but long enough to be taken for one".repeat(100));
    await expect(readAll("mcp-memory-keeper", file)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    writeFileSync(file, fixture("mcp-memory-keeper-0.14.1.db.gz").subarray(0, 20_000));
    await expect(readAll("mcp-memory-keeper", file)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    writeFileSync(file, "");
    truncateSync(file, 513 * 1024 * 1024);
    await expect(readAll("mcp-memory-keeper", file)).rejects.toMatchObject({ message: `${file} cannot be read: it is too large.` });
  });
});
