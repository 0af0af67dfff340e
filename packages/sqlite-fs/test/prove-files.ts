import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { decodeEnvelope } from "@workrail/core";
import { tally } from "@workrail/storage-conformance/harness";
import type { AuditRow, CheckpointRow, SessionRow } from "../src/schema.ts";
import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { openDatabase } from "./open-database.ts";
import { sha256 } from "@workrail/storage-conformance/harness";

export interface ProvenFiles {
  /** Sequences of each session, in order. */
  readonly sequences: ReadonlyMap<string, readonly number[]>;
  /** The context of each checkpoint, by id. */
  readonly contexts: ReadonlyMap<string, unknown>;
}

/**
 * Checks the rows and files of a store from outside. Throws at the first violation: damage in the database, a row without
 * its whole blob, a gap or a repetition in a session's sequences, wrong counts, a change without its row in the audit log,
 * a changed or missing audit row.
 */
export function proveFiles(dataDir: string): ProvenFiles {
  const database = openDatabase(path.join(dataDir, "workrail.db"), 5_000);
  try {
    expectRows(database, "PRAGMA integrity_check", [{ integrity_check: "ok" }]);
    expectRows(database, "PRAGMA foreign_key_check", []);
    expectRows(
      database,
      `SELECT id FROM checkpoint WHERE id NOT IN (SELECT checkpoint_id FROM audit WHERE action = 'save')
         AND NOT EXISTS (SELECT 1 FROM audit WHERE action = 'rebuild')`,
      [],
    );
    proveChain(database.prepare("SELECT * FROM audit ORDER BY id").all() as readonly AuditRow[]);
    const contexts = new Map<string, unknown>();
    const sequences = new Map<string, number[]>();
    const rows = database.prepare("SELECT * FROM checkpoint ORDER BY session_id, sequence").all() as readonly CheckpointRow[];
    for (const row of rows) {
      contexts.set(row.id, contextOf(dataDir, row));
      sequences.set(row.session_id, [...(sequences.get(row.session_id) ?? []), row.sequence]);
    }
    for (const session of database.prepare("SELECT * FROM session").all() as readonly SessionRow[]) {
      proveSession(
        session,
        rows.filter((row) => row.session_id === session.id),
      );
    }
    return { sequences, contexts };
  } finally {
    database.close();
  }
}

function contextOf(dataDir: string, row: CheckpointRow): unknown {
  if (!fs.existsSync(path.join(dataDir, row.blob))) tally({ tries: 0, dangling: 1 });
  const bytes = fs.readFileSync(path.join(dataDir, row.blob));
  if (bytes.length !== row.blob_bytes) throw new Error(`The blob of ${row.id} has ${bytes.length} bytes instead of ${row.blob_bytes}.`);
  const blob = decodeEnvelope(gunzipSync(bytes), sha256);
  if (blob.kind !== "whole") throw new Error(`The blob of ${row.id} is a delta, though nobody compacted it.`);
  const { facts, context } = blob;
  if (facts.id !== row.id || facts.exactDigest !== row.exact_digest) throw new Error(`The blob of ${row.id} holds another checkpoint.`);
  return JSON.parse(Buffer.from(context).toString()) as unknown;
}

/** Verifies the chain of the audit log as `docs/reference/audit-log.md` describes it. */
function proveChain(rows: readonly AuditRow[]): void {
  let previous = "0".repeat(32);
  for (const [index, { id, at, action, session_id, checkpoint_id, agent_id, reason, digest }] of rows.entries()) {
    const fields = [index + 1, new Date(at).toISOString(), action, session_id, checkpoint_id, agent_id, reason];
    const expected = createHash("sha256")
      .update(`${previous}\n${JSON.stringify(fields)}`)
      .digest("hex")
      .slice(0, 32);
    previous = Buffer.from(digest ?? []).toString("hex");
    if (id !== index + 1 || previous !== expected) throw new Error(`Row ${index + 1} of the audit log is not as it was written.`);
  }
}

function proveSession(session: SessionRow, rows: readonly CheckpointRow[]): void {
  const expected = rows.map((_, index) => session.last_sequence - rows.length + 1 + index);
  const sequences = rows.map((row) => row.sequence);
  if (sequences.join() !== expected.join()) throw new Error(`Session ${session.id} has the numbers ${sequences.join()}.`);
  const bytes = rows.reduce((sum, row) => sum + row.blob_bytes, 0);
  if (session.checkpoint_count !== rows.length || session.total_bytes !== bytes) throw new Error(`Session ${session.id} counts wrongly.`);
}

function expectRows(database: SqliteDatabase, sql: string, expected: readonly unknown[]): void {
  const rows = database.prepare(sql).all();
  if (JSON.stringify(rows) !== JSON.stringify(expected)) throw new Error(`${sql} gave ${JSON.stringify(rows)}.`);
}
