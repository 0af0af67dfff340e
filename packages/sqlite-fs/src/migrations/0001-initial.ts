/** The first schema. Released migrations are never edited; a change is a new file. */
export const initial: string = `
CREATE TABLE session (
  id TEXT PRIMARY KEY NOT NULL,
  created_at INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  pins TEXT NOT NULL DEFAULT '[]',
  checkpoint_count INTEGER NOT NULL DEFAULT 0,
  total_bytes INTEGER NOT NULL DEFAULT 0,
  last_sequence INTEGER NOT NULL DEFAULT 0,
  oldest_live TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES session (id),
  sequence INTEGER NOT NULL,
  parent_id TEXT,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL,
  agent_id TEXT,
  workflow_id TEXT,
  project TEXT,
  name TEXT,
  tags TEXT NOT NULL,
  attributes TEXT NOT NULL,
  exact_digest TEXT NOT NULL,
  canonical_digest TEXT NOT NULL,
  context_bytes INTEGER NOT NULL,
  layers TEXT,
  writer TEXT NOT NULL,
  blob TEXT NOT NULL UNIQUE,
  blob_bytes INTEGER NOT NULL,
  base_id TEXT,
  key_id TEXT,
  damaged INTEGER NOT NULL DEFAULT 0,
  folded TEXT NOT NULL,
  folded_name TEXT,
  UNIQUE (session_id, sequence)
) STRICT;

CREATE INDEX checkpoint_by_project ON checkpoint (project, ordinal) WHERE project IS NOT NULL;

CREATE INDEX checkpoint_damaged ON checkpoint (session_id) WHERE damaged = 1;

CREATE TABLE checkpoint_tag (
  ordinal INTEGER NOT NULL REFERENCES checkpoint (ordinal) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (tag, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX checkpoint_tag_by_checkpoint ON checkpoint_tag (ordinal);

CREATE TABLE edge (
  dependent TEXT NOT NULL,
  base TEXT NOT NULL,
  PRIMARY KEY (base, dependent)
) STRICT, WITHOUT ROWID;

CREATE INDEX edge_by_dependent ON edge (dependent);

CREATE TABLE pending_removal (
  blob TEXT PRIMARY KEY NOT NULL,
  checkpoint_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  is_done INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_removal_by_session ON pending_removal (session_id);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  session_id TEXT,
  checkpoint_id TEXT,
  agent_id TEXT
) STRICT;
`;
