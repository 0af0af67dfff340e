import type { CheckpointKind } from "@workrail/core";

/** `WRKR` in the database's header, so that a database of another program is never taken for ours. */
export const APPLICATION_ID = 0x5752_4b52;

/** A row of the database, like the interfaces below. Times are milliseconds since 1970; lists and objects are JSON text. */
export interface SessionRow {
  id: string;
  created_at: number;
  last_accessed_at: number;
  tags: string;
  pins: string;
  checkpoint_count: number;
  total_bytes: number;
  /** Highest sequence ever given, so that no sequence is reused. */
  last_sequence: number;
  /** Id of the oldest live checkpoint after a prune or a move; `null` before, and when none is left. */
  oldest_live: string | null;
  /** Number of asides among the checkpoints. */
  aside_count: number;
  /** Checksum of all other columns: see `row-checksum.ts`. */
  checksum: number;
}

/** A row of `session` with the number of damaged checkpoints, which is computed when it is read. */
export interface CountedSessionRow extends SessionRow {
  damaged_count: number;
}

export interface CheckpointRow {
  /** Order of commits in the whole store. */
  ordinal: number;
  id: string;
  session_id: string;
  sequence: number;
  parent_id: string | null;
  kind: CheckpointKind;
  created_at: number;
  last_accessed_at: number;
  agent_id: string | null;
  workflow_id: string | null;
  project: string | null;
  name: string | null;
  tags: string;
  attributes: string;
  exact_digest: string;
  canonical_digest: string;
  context_bytes: number;
  layers: string | null;
  writer: string;
  blob: string;
  blob_bytes: number;
  base_id: string | null;
  key_id: string | null;
  damaged: 0 | 1;
  /** Name, tags, attributes, workflow and agent in lower case, for filtering by substrings. */
  folded: string;
  folded_name: string | null;
  shielded_until: number | null;
  /** Checksum of all other columns: see `row-checksum.ts`. */
  checksum: number;
}

/** A checkpoint in the trash. */
export interface TrashedRow {
  session_id: string;
  id: string;
  blob: string;
  blob_bytes: number;
  trashed_at: number;
  /** JSON of the row of `checkpoint`, with `trashed_at` again. */
  record: string;
}

export interface AuditRow {
  id: number;
  at: number;
  action: string;
  session_id: string | null;
  checkpoint_id: string | null;
  agent_id: string | null;
  reason: string | null;
  /** 16 bytes; `null` for a row that is older than the chain. */
  digest: Uint8Array | null;
  /** Missing in a database that is only read, and older than the column. */
  subject?: string | null;
}

/** Tables of the catalog. A test compares them with the schema that the migrations make. */
export interface StoredTables {
  session: SessionRow;
  checkpoint: CheckpointRow;
  /** Index of the tags of live checkpoints. */
  checkpoint_tag: { ordinal: number; tag: string };
  /** Index of the attributes of live checkpoints, which triggers keep. `type` is that of JSON, and `value` 0 for null. */
  checkpoint_attribute: { name: string; type: string; value: unknown; ordinal: number };
  /** Numbers of live checkpoints, which triggers keep: of the whole store, and of each project. */
  checkpoint_total: { scope: "store" | "project"; name: string; kind: CheckpointKind; total: number };
  trashed: TrashedRow;
  edge: { dependent: string; base: string };
  pending_removal: { blob: string; checkpoint_id: string; session_id: string; is_done: 0 | 1 };
  erasure: { blob: string; checkpoint_id: string; session_id: string };
  audit: AuditRow;
  /** Numbers by name: bytes of the store, the last ordinal, the id of the audit log, and holds (`hold:{holder}`). */
  state: { key: string; value: number };
  meta: { name: string; value: number };
}
