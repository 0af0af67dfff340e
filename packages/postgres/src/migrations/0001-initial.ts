import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The first schema. Released migrations are never edited; a change is a new file. Texts are compared by their bytes (`COLLATE "C"`):
 * ids are keys, not words of a language.
 */
export const initial: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS.split(/;\n/)) if (statement.trim() !== "") await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = `
CREATE DOMAIN workrail.word AS text COLLATE "C";

CREATE TABLE workrail.store (
  tenant_id workrail.word PRIMARY KEY,
  is_whole boolean NOT NULL,
  last_commit bigint NOT NULL DEFAULT 0,
  live_bytes bigint NOT NULL DEFAULT 0,
  trash_bytes bigint NOT NULL DEFAULT 0,
  alone_by workrail.word,
  alone_until timestamptz
) WITH (fillfactor = 50);

CREATE TABLE workrail.opener (
  tenant_id workrail.word NOT NULL,
  id workrail.word NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE workrail.session (
  tenant_id workrail.word NOT NULL,
  id workrail.word NOT NULL,
  created_at bigint NOT NULL,
  last_accessed_at bigint NOT NULL,
  tags workrail.word NOT NULL,
  pins workrail.word NOT NULL,
  oldest_live workrail.word,
  last_sequence bigint NOT NULL,
  checkpoint_count bigint NOT NULL,
  aside_count bigint NOT NULL,
  total_bytes bigint NOT NULL,
  PRIMARY KEY (tenant_id, id)
) WITH (fillfactor = 70);

CREATE INDEX session_by_use ON workrail.session (tenant_id, last_accessed_at, id);

CREATE TABLE workrail.session_tag (
  tenant_id workrail.word NOT NULL,
  tag workrail.word NOT NULL,
  session_id workrail.word NOT NULL,
  PRIMARY KEY (tenant_id, tag, session_id)
);

CREATE INDEX session_tag_by_session ON workrail.session_tag (tenant_id, session_id);

CREATE TABLE workrail.checkpoint (
  tenant_id workrail.word NOT NULL,
  ordinal bigint NOT NULL,
  id workrail.word NOT NULL,
  session_id workrail.word NOT NULL,
  sequence bigint NOT NULL,
  parent_id workrail.word,
  kind workrail.word NOT NULL,
  created_at bigint NOT NULL,
  last_accessed_at bigint NOT NULL,
  agent_id workrail.word,
  workflow_id workrail.word,
  project workrail.word,
  name workrail.word,
  tags workrail.word NOT NULL,
  attributes workrail.word NOT NULL,
  exact_digest workrail.word NOT NULL,
  canonical_digest workrail.word NOT NULL,
  context_bytes bigint NOT NULL,
  layers workrail.word,
  writer workrail.word NOT NULL,
  blob workrail.word NOT NULL,
  blob_bytes bigint NOT NULL,
  base_id workrail.word,
  key_id workrail.word,
  damaged boolean NOT NULL,
  shielded_until bigint,
  trashed_at bigint,
  folded workrail.word NOT NULL,
  folded_name workrail.word,
  phase workrail.word,
  repository workrail.word,
  PRIMARY KEY (tenant_id, ordinal),
  UNIQUE (tenant_id, id),
  UNIQUE (tenant_id, session_id, sequence)
);

CREATE INDEX checkpoint_by_blob ON workrail.checkpoint (tenant_id, blob);

CREATE INDEX checkpoint_by_project ON workrail.checkpoint (tenant_id, project, ordinal) WHERE trashed_at IS NULL AND project IS NOT NULL;

CREATE INDEX checkpoint_trashed ON workrail.checkpoint (tenant_id, trashed_at, id) WHERE trashed_at IS NOT NULL;

CREATE INDEX checkpoint_aside ON workrail.checkpoint (tenant_id, session_id, sequence) WHERE kind = 'aside';

CREATE INDEX checkpoint_damaged ON workrail.checkpoint (tenant_id, session_id) WHERE damaged;

CREATE INDEX checkpoint_shielded ON workrail.checkpoint (tenant_id, session_id) WHERE shielded_until IS NOT NULL;

CREATE TABLE workrail.checkpoint_tag (
  tenant_id workrail.word NOT NULL,
  tag workrail.word NOT NULL,
  ordinal bigint NOT NULL,
  PRIMARY KEY (tenant_id, tag, ordinal)
);

CREATE INDEX checkpoint_tag_by_checkpoint ON workrail.checkpoint_tag (tenant_id, ordinal);

CREATE TABLE workrail.checkpoint_total (
  tenant_id workrail.word NOT NULL,
  scope workrail.word NOT NULL,
  name workrail.word NOT NULL,
  kind workrail.word NOT NULL,
  total bigint NOT NULL,
  PRIMARY KEY (tenant_id, scope, name, kind)
) WITH (fillfactor = 50);

CREATE TABLE workrail.edge (
  tenant_id workrail.word NOT NULL,
  dependent workrail.word NOT NULL,
  base workrail.word NOT NULL,
  PRIMARY KEY (tenant_id, base, dependent)
);

CREATE INDEX edge_by_dependent ON workrail.edge (tenant_id, dependent);

CREATE TABLE workrail.removal (
  tenant_id workrail.word NOT NULL,
  blob workrail.word NOT NULL,
  checkpoint_id workrail.word NOT NULL,
  session_id workrail.word NOT NULL,
  PRIMARY KEY (tenant_id, blob)
);

CREATE INDEX removal_by_session ON workrail.removal (tenant_id, session_id);

CREATE TABLE workrail.erasure (
  tenant_id workrail.word NOT NULL,
  blob workrail.word NOT NULL,
  checkpoint_id workrail.word NOT NULL,
  session_id workrail.word NOT NULL,
  PRIMARY KEY (tenant_id, blob)
);

CREATE TABLE workrail.hold (
  tenant_id workrail.word NOT NULL,
  holder workrail.word NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (tenant_id, holder)
);

CREATE TABLE workrail.audit (
  tenant_id workrail.word NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  action workrail.word NOT NULL,
  session_id workrail.word,
  checkpoint_id workrail.word,
  agent_id workrail.word,
  reason workrail.word,
  digest workrail.word,
  PRIMARY KEY (tenant_id, number)
);

CREATE INDEX audit_by_session ON workrail.audit (tenant_id, session_id, number) WHERE session_id IS NOT NULL;

CREATE INDEX audit_by_checkpoint ON workrail.audit (tenant_id, checkpoint_id, number) WHERE checkpoint_id IS NOT NULL;

CREATE INDEX audit_rare ON workrail.audit (tenant_id, action, number) WHERE action NOT IN ('save', 'load', 'prune');

CREATE TABLE workrail.blob (
  tenant_id workrail.word NOT NULL,
  ref workrail.word NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, ref)
);

ALTER TABLE workrail.blob ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE workrail.quarantine (
  tenant_id workrail.word NOT NULL,
  place workrail.word NOT NULL,
  ref workrail.word NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, place)
);

CREATE INDEX quarantine_by_blob ON workrail.quarantine (tenant_id, ref);

ALTER TABLE workrail.quarantine ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
