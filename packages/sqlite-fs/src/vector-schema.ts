import type { DerivedContent } from "./derived-database.ts";

const SCHEMA = `
  CREATE TABLE space (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    position TEXT,
    used_at INTEGER NOT NULL,
    notes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, dimensions)
  ) STRICT;
  CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
    checkpoint_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT,
    -- float32, little-endian, of length 1
    numbers BLOB NOT NULL,
    UNIQUE (checkpoint_id, space_id)
  ) STRICT;
  CREATE INDEX vector_by_session ON vector (session_id, space_id);
  CREATE INDEX vector_by_project ON vector (space_id, project);
  CREATE TABLE pending (
    space_id INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (space_id, session_id)
  ) STRICT, WITHOUT ROWID;
`;

export const VECTOR_CONTENT: DerivedContent = {
  name: "what holds the vectors",
  version: 1,
  schema: SCHEMA,
  // A vector takes a few thousand bytes.
  pageBytes: 4096,
};
