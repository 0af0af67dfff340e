import { randomUUID } from "node:crypto";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate } from "@workrail/postgres";
import { type ChainedStorage, chained, type CheckpointId, listCheckpoints, ProcessLocking, type SessionId } from "@workrail/core";
import { sha256 } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveRecord } from "./a-record.ts";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Connection, Database, Statement } from "../src/sql-connection.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)("round trips", () => {
  let server: PostgresServer;
  let trips: Trips;
  let storage: ChainedStorage;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    await migrate(owner);
    trips = new Trips(pgDatabase(openPool({ url: user, maxConnections: 3 })));
    storage = chained(await openOver(trips), (text) => sha256.sha256(text));
  });
  afterAll(async () => {
    await storage.close();
    await server.destroy();
  });

  const save = async (sessionId: SessionId, options: Parameters<typeof saveRecord>[2] = {}): Promise<CheckpointId> => {
    const { id, outcome } = await saveRecord(storage, sessionId, options);
    expect(outcome.status).toBe("committed");
    return id;
  };

  it("are three for a save, the first of a session and later ones", async () => {
    const session = randomUUID() as SessionId;
    for (let time = 1; time <= 3; time++) expect(await trips.of(() => save(session))).toBe(3);
  });

  it("are three for a save that removes an older checkpoint", async () => {
    const session = randomUUID() as SessionId;
    await save(session, { keepNewest: 1 });
    // A save reads the session before it begins.
    const { seen } = await storage.catalog.read({ seen: { of: "session", id: session } });
    expect(await trips.of(() => save(session, { keepNewest: 1, seen }))).toBe(3);
  });

  it("are two for a save whose blob is a part of the change, also when it is refused and rolled back", async () => {
    const session = randomUUID() as SessionId;
    expect(await trips.of(() => save(session, { isTogether: true }))).toBe(2);
    const id = await save(session, { isTogether: true });
    expect(await trips.of(() => saveRecord(storage, session, { id, bytes: new Uint8Array(7), isTogether: true }))).toBe(2);
    expect(await storage.blobs.get(storage.blobs.refOf({ sessionId: session, checkpointId: id }))).toHaveLength(100);
    const other = randomUUID() as CheckpointId;
    const refused = { id: other, expectedHead: null, isTogether: true };
    expect(await trips.of(() => saveRecord(storage, session, refused))).toBe(2);
    expect(await storage.blobs.get(storage.blobs.refOf({ sessionId: session, checkpointId: other }))).toBeUndefined();
  });

  it("are one for a blob and one for any number of reads", async () => {
    const sessionId = randomUUID() as SessionId;
    const id = await save(sessionId);
    expect(await trips.of(() => storage.blobs.get(storage.blobs.refOf({ sessionId, checkpointId: id })))).toBe(1);
    const reads = {
      row: { of: "checkpoint", id },
      session: { of: "session", id: sessionId },
      head: { of: "checkpoints", where: { state: "live", sessionId }, order: "newest", limit: 1 },
      totals: { of: "totals" },
      contradictions: { of: "contradictions" },
    } as const;
    expect(await trips.of(() => storage.catalog.read(reads))).toBe(1);
  });

  it("are one for the first page of a session's checkpoints, and two for a page further on", async () => {
    const session = randomUUID() as SessionId;
    for (let time = 1; time <= 3; time++) await save(session);
    const pages = { catalog: storage.catalog, locking: new ProcessLocking() };
    expect(await trips.of(() => listCheckpoints(pages, { sessionId: session, limit: 1 }))).toBe(1);
    expect(await trips.of(() => listCheckpoints(pages, { sessionId: session, limit: 1, offset: 1 }))).toBe(2);
  });

  it("are one for all reads that wait for a connection together", async () => {
    const sessionId = randomUUID() as SessionId;
    const ids = [await save(sessionId), await save(sessionId), await save(sessionId)];
    const refs = ids.map((checkpointId) => storage.blobs.refOf({ sessionId, checkpointId }));
    const blobs = await Promise.all(refs.map((ref) => storage.blobs.get(ref)));
    const readAll = (): Promise<unknown> => {
      return Promise.all([
        ...ids.map((id) => storage.catalog.read({ row: { of: "checkpoint", id } })),
        ...refs.map((ref) => storage.blobs.get(ref)),
      ]);
    };
    expect(await trips.of(readAll)).toBe(1);
    expect(await readAll()).toEqual([
      ...ids.map((id) => ({ row: expect.objectContaining({ record: expect.objectContaining({ id }) }) })),
      ...blobs,
    ]);
  });

  it("leave each read its own error", async () => {
    const sessionId = randomUUID() as SessionId;
    const id = await save(sessionId);
    const impossible = { of: "checkpoints", where: { state: "live", sessionId }, order: "newest", limit: -1 } as const;
    const [read, failed, also] = await Promise.allSettled([
      storage.catalog.read({ row: { of: "checkpoint", id } }),
      storage.catalog.read({ rows: impossible }),
      storage.catalog.read({ row: { of: "session", id: sessionId } }),
    ]);
    expect(read).toMatchObject({ status: "fulfilled", value: { row: { record: { id } } } });
    expect(also).toMatchObject({ status: "fulfilled", value: { row: { id: sessionId } } });
    expect(failed).toMatchObject({ status: "rejected", reason: { code: "STORAGE_UNAVAILABLE" } });
  });

  it("give every read its answer when more wait than share a transaction", async () => {
    const sessionId = randomUUID() as SessionId;
    const id = await save(sessionId);
    const reads = Array.from({ length: 50 }, () => storage.catalog.read({ row: { of: "checkpoint", id } }));
    for (const { row } of await Promise.all(reads)) expect(row?.record.id).toBe(id);
  });
});

/** Counts how often the process waits for the database. */
class Trips implements Database {
  readonly #database: Database;
  #count = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async of(work: () => Promise<unknown>): Promise<number> {
    const before = this.#count;
    await work();
    return this.#count - before;
  }

  async connect(): Promise<Connection> {
    const connection = await this.#database.connect();
    let underWay = 0;
    return {
      run: async <Row>(statement: Statement<Row>) => {
        if (underWay === 0) this.#count += 1;
        underWay += 1;
        try {
          return await connection.run(statement);
        } finally {
          underWay -= 1;
        }
      },
      release: (isBroken) => connection.release(isBroken),
    };
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
