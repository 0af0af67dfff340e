import type { CheckpointKind } from "@workrail/core";

/** Says `WRKR` in the database's header, so that another program's file is never taken for ours. */
export const APPLICATION_ID = 0x5752_4b52;

/** A row as it is in the database, like those below. Times are milliseconds since 1970; lists and objects are JSON text. */
export interface SessionRow {
  id: string;
  created_at: number;
  last_accessed_at: number;
  tags: string;
  pins: string;
  checkpoint_count: number;
  total_bytes: number;
  /** Highest sequence ever given, so that none is given twice. */
  last_sequence: number;
  /** Set once something was pruned. */
  oldest_live: string | null;
  /** How many of its checkpoints are asides. */
  aside_count: number;
  /** Of all other columns: see `row-checksum.ts`. */
  checksum: number;
}

/** What a session is asked for with, beside what is kept of it. */
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
  /** Name, tags, attributes, workflow and agent in small letters, for filtering by a part of them. */
  folded: string;
  folded_name: string | null;
  shielded_until: number | null;
  /** Of all other columns: see `row-checksum.ts`. */
  checksum: number;
}

/** A checkpoint in the trash. */
export interface TrashedRow {
  session_id: string;
  id: string;
  blob: string;
  blob_bytes: number;
  trashed_at: number;
  /** Its row of `checkpoint`, and `trashed_at` again, in JSON. */
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
  /** 16 bytes; `null` for a row from before rows were chained. */
  digest: Uint8Array | null;
}
