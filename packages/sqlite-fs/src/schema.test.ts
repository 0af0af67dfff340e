import path from "node:path";
import { expect, it } from "vitest";
import { withDatabase } from "../test/open-database.ts";
import { withStore } from "../test/test-store.ts";
import type { StoredTables } from "./schema.ts";

type TypeOf<T> = [T] extends [number | null] ? "INTEGER" : [T] extends [string | null] ? "TEXT" : "BLOB";

/** Declaration of a column, as the type of its values demands it. */
type Declared<T> = unknown extends T ? "ANY NOT NULL" : null extends T ? TypeOf<T> : `${TypeOf<T>} NOT NULL`;

/** The compiler refuses a column that the types lack, a column that is missing here, and a declaration that its type denies. */
const TABLES: {
  readonly [T in keyof StoredTables]: { readonly [C in keyof StoredTables[T]]-?: Declared<Exclude<StoredTables[T][C], undefined>> };
} = {
  session: {
    id: "TEXT NOT NULL",
    created_at: "INTEGER NOT NULL",
    last_accessed_at: "INTEGER NOT NULL",
    tags: "TEXT NOT NULL",
    pins: "TEXT NOT NULL",
    checkpoint_count: "INTEGER NOT NULL",
    total_bytes: "INTEGER NOT NULL",
    last_sequence: "INTEGER NOT NULL",
    oldest_live: "TEXT",
    aside_count: "INTEGER NOT NULL",
    checksum: "INTEGER NOT NULL",
  },
  checkpoint: {
    ordinal: "INTEGER NOT NULL",
    id: "TEXT NOT NULL",
    session_id: "TEXT NOT NULL",
    sequence: "INTEGER NOT NULL",
    parent_id: "TEXT",
    kind: "TEXT NOT NULL",
    created_at: "INTEGER NOT NULL",
    last_accessed_at: "INTEGER NOT NULL",
    agent_id: "TEXT",
    workflow_id: "TEXT",
    project: "TEXT",
    name: "TEXT",
    tags: "TEXT NOT NULL",
    attributes: "TEXT NOT NULL",
    exact_digest: "TEXT NOT NULL",
    canonical_digest: "TEXT NOT NULL",
    context_bytes: "INTEGER NOT NULL",
    layers: "TEXT",
    writer: "TEXT NOT NULL",
    blob: "TEXT NOT NULL",
    blob_bytes: "INTEGER NOT NULL",
    base_id: "TEXT",
    key_id: "TEXT",
    damaged: "INTEGER NOT NULL",
    folded: "TEXT NOT NULL",
    folded_name: "TEXT",
    shielded_until: "INTEGER",
    checksum: "INTEGER NOT NULL",
  },
  checkpoint_tag: { ordinal: "INTEGER NOT NULL", tag: "TEXT NOT NULL" },
  checkpoint_attribute: { name: "TEXT NOT NULL", type: "TEXT NOT NULL", value: "ANY NOT NULL", ordinal: "INTEGER NOT NULL" },
  checkpoint_total: { scope: "TEXT NOT NULL", name: "TEXT NOT NULL", kind: "TEXT NOT NULL", total: "INTEGER NOT NULL" },
  trashed: {
    session_id: "TEXT NOT NULL",
    id: "TEXT NOT NULL",
    blob: "TEXT NOT NULL",
    blob_bytes: "INTEGER NOT NULL",
    trashed_at: "INTEGER NOT NULL",
    record: "TEXT NOT NULL",
  },
  edge: { dependent: "TEXT NOT NULL", base: "TEXT NOT NULL" },
  pending_removal: { blob: "TEXT NOT NULL", checkpoint_id: "TEXT NOT NULL", session_id: "TEXT NOT NULL", is_done: "INTEGER NOT NULL" },
  erasure: { blob: "TEXT NOT NULL", checkpoint_id: "TEXT NOT NULL", session_id: "TEXT NOT NULL" },
  audit: {
    id: "INTEGER NOT NULL",
    at: "INTEGER NOT NULL",
    action: "TEXT NOT NULL",
    session_id: "TEXT",
    checkpoint_id: "TEXT",
    agent_id: "TEXT",
    reason: "TEXT",
    subject: "TEXT",
    digest: "BLOB",
  },
  state: { key: "TEXT NOT NULL", value: "INTEGER NOT NULL" },
  meta: { name: "TEXT NOT NULL", value: "INTEGER NOT NULL" },
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  /** 1 and more for columns of the primary key, which are never null. */
  readonly pk: number;
}

it("has the tables and columns that the migrations make", () =>
  withStore(async (store) => {
    withDatabase(path.join(store.dataDir, "workrail.db"), (database) => {
      const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
      const made = (names as readonly { readonly name: string }[]).map(({ name }) => {
        const columns = database.prepare(`PRAGMA table_info("${name}")`).all() as readonly Column[];
        return [name, Object.fromEntries(columns.map((each) => [each.name, declared(each)]))];
      });
      expect(Object.fromEntries(made)).toEqual(TABLES);
    });
  }));

function declared({ type, notnull, pk }: Column): string {
  return notnull === 1 || pk > 0 ? `${type} NOT NULL` : type;
}
