import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
  type ChangePosition,
  type CheckpointId,
  type CheckpointVector,
  dotProduct,
  NearestFirst,
  type Neighbour,
  type PendingSession,
  type SessionId,
  unitVector,
  type VectorEngine,
  type VectorNews,
  type VectorQuery,
  type VectorSpace,
  type VectorState,
} from "@workrail/core";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { VectorDatabase, type VectorDatabaseOptions } from "./vector-database.ts";

/** Compared in one go: a few milliseconds. */
const PAGE = 500;

const SPACE = "(SELECT id FROM space WHERE name = ? AND dimensions = ?)";

interface VectorRow {
  readonly id: number;
  readonly checkpoint_id: CheckpointId;
  readonly numbers: Uint8Array;
}

/** Vectors in the file `vectors.db`, compared one by one. */
export class SqliteVectors implements VectorEngine {
  readonly #database: VectorDatabase;

  constructor(options: VectorDatabaseOptions) {
    this.#database = new VectorDatabase(options);
  }

  async state({ name, dimensions }: VectorSpace): Promise<VectorState> {
    const sql = `
      SELECT position, (SELECT count(*) FROM pending WHERE space_id = space.id) AS pending,
             (SELECT count(*) FROM vector WHERE space_id = space.id) AS vectors
      FROM space WHERE name = ? AND dimensions = ?`;
    return this.#database.read({ position: undefined, pending: 0, vectors: 0 }, (database) => {
      const row = database.prepare(sql).get(name, dimensions) as (Omit<VectorState, "position"> & { position: string | null }) | undefined;
      return { pending: 0, vectors: 0, ...row, position: (row?.position ?? undefined) as ChangePosition | undefined };
    });
  }

  async note(space: VectorSpace, { position, sessions, restart = false }: VectorNews, at: Date): Promise<void> {
    await this.#database.write(true, (database) => {
      const id = spaceId(database, space);
      database.prepare("UPDATE space SET used_at = ? WHERE id = ?").run(at.getTime(), id);
      if (restart) database.prepare("DELETE FROM pending WHERE space_id = ?").run(id);
      if (restart || position !== undefined) database.prepare("UPDATE space SET position = ? WHERE id = ?").run(position ?? null, id);
      const note = database.prepare(
        "INSERT INTO pending VALUES (?, ?, ?) ON CONFLICT (space_id, session_id) DO UPDATE SET version = excluded.version",
      );
      const version = nextVersion(database, id);
      for (const sessionId of sessions) note.run(id, sessionId, version);
    });
  }

  async pending({ name, dimensions }: VectorSpace, limit: number): Promise<readonly PendingSession[]> {
    const sql = `SELECT session_id AS sessionId, version FROM pending WHERE space_id = ${SPACE} LIMIT ?`;
    return this.#database.read([], (database) => database.prepare(sql).all(name, dimensions, limit) as readonly PendingSession[]);
  }

  async settle(
    space: VectorSpace,
    { sessionId, version }: PendingSession,
    live: readonly CheckpointId[],
  ): Promise<readonly CheckpointId[]> {
    const { name, dimensions } = space;
    let missing = live;
    await this.#database.write(false, (database) => {
      const ids = JSON.stringify(live);
      database
        .prepare("DELETE FROM vector WHERE session_id = ? AND checkpoint_id NOT IN (SELECT value FROM json_each(?))")
        .run(sessionId, ids);
      const lacking = database.prepare(
        `SELECT value AS id FROM json_each(?) WHERE value NOT IN (SELECT checkpoint_id FROM vector WHERE session_id = ? AND space_id = ${SPACE})`,
      );
      missing = (lacking.all(ids, sessionId, name, dimensions) as readonly { readonly id: CheckpointId }[]).map(({ id }) => id);
      if (missing.length > 0) return;
      const done = database.prepare(`DELETE FROM pending WHERE space_id = ${SPACE} AND session_id = ? AND version = ?`);
      done.run(name, dimensions, sessionId, version);
    });
    return missing;
  }

  async put(space: VectorSpace, sessionId: SessionId, vectors: readonly CheckpointVector[]): Promise<void> {
    await this.#database.write(true, (database) => {
      const id = spaceId(database, space);
      const put = database.prepare(
        "INSERT OR REPLACE INTO vector (space_id, checkpoint_id, session_id, project, numbers) VALUES (?, ?, ?, ?, ?)",
      );
      for (const { checkpointId, project, vector } of vectors) {
        put.run(id, checkpointId, sessionId, project ?? null, bytesOf(unitVector(vector)));
      }
    });
  }

  async nearest(space: VectorSpace, { vector, limit, sessionId, project }: VectorQuery): Promise<readonly Neighbour[]> {
    const unit = unitVector(vector);
    const nearest = new NearestFirst(limit);
    const filters = [...(sessionId === undefined ? [] : ["session_id = ?"]), ...(project === undefined ? [] : ["project = ?"])];
    const values = [sessionId, project].filter((value) => value !== undefined);
    // Pages are in the order of the ids. By an index that has them in another, each page would have all of them sorted.
    const inSpace = filters.length === 0 ? `+space_id = ${SPACE}` : `space_id = ${SPACE}`;
    const where = [inSpace, "id > ?", ...filters].join(" AND ");
    const sql = `SELECT id, checkpoint_id, numbers FROM vector WHERE ${where} ORDER BY id LIMIT ${PAGE}`;
    for (let last = 0; ;) {
      const rows = await this.#database.read([], (database) => {
        return database.prepare(sql).all(space.name, space.dimensions, last, ...values) as readonly VectorRow[];
      });
      for (const { checkpoint_id: checkpointId, numbers } of rows) {
        nearest.add({ checkpointId, similarity: dotProduct(unit, vectorOf(numbers)) });
      }
      if (rows.length < PAGE) return nearest.all();
      last = rows.at(-1)?.id ?? last;
      await turnOfTheLoop();
    }
  }

  async forget(checkpoints: readonly CheckpointId[]): Promise<void> {
    if (checkpoints.length === 0) return;
    const sql = "DELETE FROM vector WHERE checkpoint_id IN (SELECT value FROM json_each(?))";
    await this.#database.write(false, (database) => void database.prepare(sql).run(JSON.stringify(checkpoints)));
  }

  async retire(unusedSince: Date): Promise<void> {
    const sql = "DELETE FROM space WHERE used_at < ?";
    await this.#database.write(false, (database) => void database.prepare(sql).run(unusedSince.getTime()));
  }

  async erase(): Promise<void> {
    this.#database.discard();
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function spaceId(database: SqliteDatabase, { name, dimensions }: VectorSpace): number {
  database.prepare("INSERT OR IGNORE INTO space (name, dimensions, used_at) VALUES (?, ?, 0)").run(name, dimensions);
  return (database.prepare("SELECT id FROM space WHERE name = ? AND dimensions = ?").get(name, dimensions) as { readonly id: number }).id;
}

/** One that no session had before in this space, so that whoever looked at it before it was noted anew does not take it for done. */
function nextVersion(database: SqliteDatabase, id: number): number {
  const sql = "UPDATE space SET notes = notes + 1 WHERE id = ? RETURNING notes";
  return (database.prepare(sql).get(id) as { readonly notes: number }).notes;
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function vectorOf(bytes: Uint8Array): Float32Array {
  const isAligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}
