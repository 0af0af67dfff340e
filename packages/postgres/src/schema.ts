import type { AuditAction, CheckpointKind } from "@workrail/core";

/** Schema of the database that holds all tables. */
export const SCHEMA = "workrail";

/** A row of the database, like the interfaces below. Times are milliseconds since 1970; lists and objects are JSON text. */
export interface CheckpointColumns {
  tenant_id: string;
  /** Place among the commits of the tenant. Never reused. */
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
  damaged: boolean;
  shielded_until: number | null;
  /** Set while the checkpoint is in the trash. */
  trashed_at: number | null;
  /** Name, tags, attributes, workflow and agent in lower case, for filtering by substrings. */
  folded: string;
  folded_name: string | null;
  /** Attributes that filters compare. */
  phase: string | null;
  repository: string | null;
}

export interface SessionColumns {
  tenant_id: string;
  id: string;
  created_at: number;
  last_accessed_at: number;
  tags: string;
  pins: string;
  oldest_live: string | null;
  last_sequence: number;
  checkpoint_count: number;
  aside_count: number;
  total_bytes: number;
}

export interface AuditColumns {
  tenant_id: string;
  number: number;
  at: number;
  action: AuditAction;
  session_id: string | null;
  checkpoint_id: string | null;
  agent_id: string | null;
  reason: string | null;
  /** 32 hexadecimal digits; `null` for a row that is not chained. */
  digest: string | null;
  subject: string | null;
}

/** One row per tenant. Each change locks it, which puts all changes of the tenant in one order. */
export interface StoreColumns {
  tenant_id: string;
  /** False when the rows of the catalog are missing although there are blobs. */
  is_whole: boolean;
  /** True when the names of blobs begin with the folder of their session, as in a data directory. */
  names_sessions: boolean;
  /** The highest ordinal ever assigned. */
  last_commit: number;
  live_bytes: number;
  trash_bytes: number;
  /** Opener that works alone, until this time. */
  alone_by: string | null;
  alone_until: Date | null;
}

interface RemovedColumns {
  tenant_id: string;
  blob: string;
  checkpoint_id: string;
  session_id: string;
}

/** Tables of the schema. A test compares them with the tables that the migrations make. */
export interface StoredTables {
  store: StoreColumns;
  /** Open stores, each with the time at which its lease ends. */
  opener: { tenant_id: string; id: string; until: Date };
  session: SessionColumns;
  session_tag: { tenant_id: string; tag: string; session_id: string };
  checkpoint: CheckpointColumns;
  checkpoint_tag: { tenant_id: string; tag: string; ordinal: number };
  /** Index of the attributes that filters compare. The value is JSON. */
  checkpoint_attribute: { tenant_id: string; name: string; value: string; ordinal: number };
  /** Numbers of live checkpoints: of the whole store, and of each project. */
  checkpoint_total: { tenant_id: string; scope: "store" | "project"; name: string; kind: CheckpointKind; total: number };
  edge: { tenant_id: string; dependent: string; base: string };
  removal: RemovedColumns;
  erasure: RemovedColumns;
  hold: { tenant_id: string; holder: string; until: number };
  audit: AuditColumns;
  blob: { tenant_id: string; ref: string; bytes: Uint8Array };
  quarantine: { tenant_id: string; place: string; ref: string; bytes: Uint8Array };
  /** Wrapped keys of a sealed store. */
  key: { tenant_id: string; place: string; bytes: Uint8Array };
  /** Jobs that an opener does now, or did. */
  job: { tenant_id: string; name: string; holder: string; until: Date };
  search_state: SearchStateColumns;
  search_session: SearchSessionColumns;
  search_document: SearchDocumentColumns;
  search_word: { tenant_id: string; term: string };
}

/** One row per tenant. Each change of the index locks it. */
interface SearchStateColumns {
  tenant_id: string;
  /** Stands before each word of the tenant. */
  number: number;
  /** Position in the catalog's changes up to which they are known. */
  position: string | null;
  /** Number of changes of the index; versions of sessions come from it. */
  changes: number;
  last_document: number;
  /** Documents with terms, and the sum of their numbers of terms. */
  texts: number;
  terms: number;
  /** Documents removed since the words of removed documents were last looked for, and how far that search is. */
  removed: number;
  tidied_to: string;
}

interface SearchSessionColumns {
  tenant_id: string;
  id: string;
  version: number;
  tags: string[];
  /** Place in the order of pending sessions; `null` for a session that is not pending. */
  noted: number | null;
  /** Pending only because checkpoints were added. */
  is_extended: boolean | null;
}

/** A document is the text that a checkpoint added. */
interface SearchDocumentColumns {
  tenant_id: string;
  number: number;
  session_id: string;
  sequence: number;
  id: string;
  /** Sequence of the checkpoint that the text was compared with; 0 for none. */
  previous: number;
  /** Number of different terms. */
  terms: number;
  kind: CheckpointKind;
  created_at: number;
  project: string | null;
  agent_id: string | null;
  workflow_id: string | null;
  tags: string[];
  /** Terms, with marks for terms that occur often, and stop words. Each follows the numbers of the tenant and of the document's block. */
  block_words: string[];
}
