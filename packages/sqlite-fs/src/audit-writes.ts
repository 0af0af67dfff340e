import {
  type AuditCut,
  type AuditDigest,
  type AuditEvent,
  type AuditPlace,
  CHAIN_START,
  cutEvent,
  linked,
  type LoggedEvent,
  placeOf,
  rechain,
  type Rewriting,
} from "@workrail/core";
import { loggedOf } from "./rows.ts";
import type { AuditRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Audit rows of one write transaction. Each row is chained to the one before; no other writer can add a row in between. */
export class AuditWrites {
  readonly #connection: SqliteConnection;
  readonly #digest: AuditDigest;
  #last: AuditPlace | undefined;

  constructor(connection: SqliteConnection, digest: AuditDigest) {
    this.#connection = connection;
    this.#digest = digest;
  }

  add(event: AuditEvent): void {
    this.#last ??= this.#lastRow();
    this.#put(linked(event, this.#last, this.#digest));
  }

  /** See `Catalog.cutAudit`. */
  cut({ before, at, limit }: AuditCut): number {
    const rows = this.#connection.statement(OLDER).all(before.getTime(), limit) as AuditRow[];
    const last = rows.at(-1);
    if (last === undefined) return 0;
    // Add the row first, so that the log always has a row to chain the next one to.
    this.add(cutEvent(placeOf(loggedOf(last)), at));
    this.#connection.statement("DELETE FROM audit WHERE id <= ?").run(last.id);
    return rows.length;
  }

  rewrite(rewriting: Rewriting): void {
    const rows = (this.#connection.statement("SELECT * FROM audit ORDER BY id").all() as AuditRow[]).map(loggedOf);
    const fresh = rechain(rows, rewriting, this.#digest);
    const replace = this.#connection.statement("UPDATE audit SET agent_id = ?, digest = ? WHERE id = ?");
    for (const row of fresh.slice(0, rows.length)) replace.run(row.agentId ?? null, bytesOf(row), row.number);
    for (const row of fresh.slice(rows.length)) this.#put(row);
  }

  #lastRow(): AuditPlace {
    const row = this.#connection.statement("SELECT * FROM audit ORDER BY id DESC LIMIT 1").get();
    return row === undefined ? CHAIN_START : placeOf(loggedOf(row as AuditRow));
  }

  #put(row: LoggedEvent): void {
    this.#last = placeOf(row);
    const { number, at, action, sessionId, checkpointId, agentId, reason } = row;
    const texts = [sessionId, checkpointId, agentId, reason].map((text) => text ?? null);
    this.#connection.statement(PUT).run(number, at.getTime(), action, ...texts, bytesOf(row));
  }
}

function bytesOf(row: LoggedEvent): Uint8Array {
  return Buffer.from(placeOf(row).digest, "hex");
}

const PUT = "INSERT INTO audit (id, at, action, session_id, checkpoint_id, agent_id, reason, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

/** Rows before the first one that is kept. */
const OLDER = `SELECT * FROM audit WHERE id < coalesce((SELECT id FROM audit WHERE at >= ? ORDER BY id LIMIT 1), 9e15) ORDER BY id LIMIT ?`;
