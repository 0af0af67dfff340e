import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  type ChangePosition,
  type CheckpointId,
  type CheckpointVector,
  dotProduct,
  NearestFirst,
  type Neighbour,
  type PendingSession,
  type SessionId,
  type SpaceState,
  unitVector,
  type VectorEngine,
  type VectorNews,
  type VectorQuery,
  type VectorSpace,
  type VectorState,
} from "@workrail/core";
import { DerivedDatabase, type DerivedDatabaseOptions, type Run } from "./derived-database.ts";
import type { SqliteValue } from "./sqlite-driver.ts";
import { databaseDamaged } from "./storage-errors.ts";
import { VECTOR_CONTENT } from "./vector-schema.ts";

/** Vectors compared without a pause, which takes a few milliseconds. */
const PAGE = 500;

const SPACE_ID = "SELECT id FROM space WHERE name = ? AND dimensions = ?";
const SPACE = `(${SPACE_ID})`;
const STATE = `
  SELECT position, (SELECT count(*) FROM pending WHERE space_id = space.id) AS pending,
         (SELECT count(*) FROM vector WHERE space_id = space.id) AS vectors
  FROM space WHERE name = ? AND dimensions = ?`;
const SPACES = `
  SELECT name, dimensions, (SELECT count(*) FROM pending WHERE space_id = space.id) AS pending,
         (SELECT count(*) FROM vector WHERE space_id = space.id) AS vectors
  FROM space ORDER BY used_at DESC, id`;
const NOTE = "INSERT INTO pending VALUES (?, ?, ?) ON CONFLICT (space_id, session_id) DO UPDATE SET version = excluded.version";
const MISSING = `
  SELECT value AS id FROM json_each(?)
  WHERE value NOT IN (SELECT checkpoint_id FROM vector WHERE session_id = ? AND space_id = ${SPACE})`;
const SETTLED = `DELETE FROM pending WHERE space_id = ${SPACE} AND session_id = ? AND version = ?`;
const PUT = "INSERT OR REPLACE INTO vector (space_id, checkpoint_id, session_id, project, numbers) VALUES (?, ?, ?, ?, ?)";
const FORGET = "DELETE FROM vector WHERE checkpoint_id IN (SELECT value FROM json_each(?))";
const FORGET_OTHERS = "DELETE FROM vector WHERE session_id = ? AND checkpoint_id NOT IN (SELECT value FROM json_each(?))";

/** Pages are in the order of ids. With an index in another order, SQLite would sort all rows for each page. */
const PAGE_OF_ALL = `SELECT id, checkpoint_id, numbers FROM vector WHERE +space_id = ${SPACE} AND id > ? ORDER BY id LIMIT ${PAGE}`;
const PAGE_OF_PROJECT = `SELECT id, checkpoint_id, numbers FROM vector
  WHERE space_id = ${SPACE} AND id > ? AND project = ? ORDER BY id LIMIT ${PAGE}`;
const PAGE_OF_SESSION = `SELECT id, checkpoint_id, numbers FROM vector
  WHERE space_id = ${SPACE} AND id > ? AND session_id = ? AND (? IS NULL OR project = ?) ORDER BY id LIMIT ${PAGE}`;

type StateRow = Omit<VectorState, "position"> & { readonly position: ChangePosition | null };

interface VectorRow {
  readonly id: number;
  readonly checkpoint_id: CheckpointId;
  readonly numbers: Uint8Array;
}

/** Vectors in the file `vectors.db`. A query compares all of them. */
export class SqliteVectors implements VectorEngine {
  readonly #database: DerivedDatabase;

  constructor(options: DerivedDatabaseOptions) {
    this.#database = new DerivedDatabase(options, VECTOR_CONTENT);
  }

  async state({ name, dimensions }: VectorSpace): Promise<VectorState> {
    const none = { position: undefined, pending: 0, vectors: 0 };
    if (!this.#database.isThere()) return none;
    const row = (await this.#database.read((run) => run.get(STATE, name, dimensions))) as StateRow | undefined;
    return row === undefined ? none : { ...row, position: row.position ?? undefined };
  }

  async spaces(): Promise<readonly SpaceState[]> {
    if (!this.#database.isThere()) return [];
    return (await this.#database.read((run) => run.all(SPACES))) as readonly SpaceState[];
  }

  async note(space: VectorSpace, { position, sessions, restart = false }: VectorNews, at: Date): Promise<void> {
    await this.#database.write((run) => {
      const id = spaceId(run, space);
      run.run("UPDATE space SET used_at = ? WHERE id = ?", at.getTime(), id);
      if (restart) run.run("DELETE FROM pending WHERE space_id = ?", id);
      if (restart || position !== undefined) run.run("UPDATE space SET position = ? WHERE id = ?", position ?? null, id);
      const version = nextVersion(run, id);
      for (const sessionId of sessions) run.run(NOTE, id, sessionId, version);
    });
  }

  async pending({ name, dimensions }: VectorSpace, limit: number): Promise<readonly PendingSession[]> {
    if (!this.#database.isThere()) return [];
    const sql = `SELECT session_id AS sessionId, version FROM pending WHERE space_id = ${SPACE} LIMIT ?`;
    return this.#database.read((run) => run.all(sql, name, dimensions, limit) as readonly PendingSession[]);
  }

  async settle(
    { name, dimensions }: VectorSpace,
    { sessionId, version }: PendingSession,
    live: readonly CheckpointId[],
  ): Promise<readonly CheckpointId[]> {
    if (!this.#database.isThere()) return live;
    const ids = JSON.stringify(live);
    return this.#database.write((run) => {
      run.run(FORGET_OTHERS, sessionId, ids);
      const missing = run.all(MISSING, ids, sessionId, name, dimensions) as readonly { readonly id: CheckpointId }[];
      if (missing.length === 0) run.run(SETTLED, name, dimensions, sessionId, version);
      return missing.map(({ id }) => id);
    });
  }

  async put(space: VectorSpace, sessionId: SessionId, vectors: readonly CheckpointVector[]): Promise<void> {
    await this.#database.write((run) => {
      const id = spaceId(run, space);
      for (const { checkpointId, project, vector } of vectors) {
        run.run(PUT, id, checkpointId, sessionId, project ?? null, bytesOf(unitVector(vector)));
      }
    });
  }

  async nearest(space: VectorSpace, { vector, limit, sessionId, project }: VectorQuery): Promise<readonly Neighbour[]> {
    const unit = unitVector(vector);
    const nearest = new NearestFirst(limit);
    const [sql, ...values] = pagesOf(sessionId, project);
    for (let last = 0; this.#database.isThere();) {
      const page = await this.#database.read((run) => {
        const rows = run.all(sql, space.name, space.dimensions, last, ...values) as readonly VectorRow[];
        return rows.map(({ id, checkpoint_id: checkpointId, numbers }) => ({ id, checkpointId, similarity: similarityOf(unit, numbers) }));
      });
      for (const { checkpointId, similarity } of page) nearest.add({ checkpointId, similarity });
      if (page.length < PAGE) break;
      last = page.at(-1)?.id ?? last;
      await yieldToEventLoop();
    }
    return nearest.all();
  }

  async forget(checkpoints: readonly CheckpointId[]): Promise<void> {
    if (checkpoints.length === 0 || !this.#database.isThere()) return;
    await this.#database.write((run) => run.run(FORGET, JSON.stringify(checkpoints)));
  }

  async retire(unusedSince: Date): Promise<void> {
    if (!this.#database.isThere()) return;
    await this.#database.write((run) => run.run("DELETE FROM space WHERE used_at < ?", unusedSince.getTime()));
  }

  async erase(): Promise<void> {
    this.#database.remove();
  }

  /** Erases the remains of removed vectors from the files. Returns `false` when other connections read the log for too long. */
  purge(): Promise<boolean> {
    return this.#database.purge();
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

/** Returns the statement for a filter, and the values of the filter. */
function pagesOf(sessionId: SessionId | undefined, project: string | undefined): readonly [sql: string, ...values: SqliteValue[]] {
  if (sessionId !== undefined) return [PAGE_OF_SESSION, sessionId, project ?? null, project ?? null];
  return project === undefined ? [PAGE_OF_ALL] : [PAGE_OF_PROJECT, project];
}

function spaceId(run: Run, { name, dimensions }: VectorSpace): number {
  run.run("INSERT OR IGNORE INTO space (name, dimensions, used_at) VALUES (?, ?, 0)", name, dimensions);
  return (run.get(SPACE_ID, name, dimensions) as { readonly id: number }).id;
}

/** Returns a version that is new in the space, so that a reader of an older note does not settle a newer one. */
function nextVersion(run: Run, id: number): number {
  return (run.get("UPDATE space SET notes = notes + 1 WHERE id = ? RETURNING notes", id) as { readonly notes: number }).notes;
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** @throws an error with the code SQLITE_CORRUPT when the bytes are not a vector of length one, as all stored vectors are. */
function similarityOf(unit: Float32Array, bytes: Uint8Array): number {
  const similarity = bytes.byteLength === unit.byteLength ? dotProduct(unit, vectorOf(bytes)) : Number.NaN;
  if (!(Math.abs(similarity) < 1.001)) throw databaseDamaged("A vector differs from the stored one.");
  return similarity;
}

function vectorOf(bytes: Uint8Array): Float32Array {
  const isAligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}
