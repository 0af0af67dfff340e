import type { DerivedContent } from "../derived-database.ts";
import { MARK_SIGNS } from "@workrail/search";

/** Version of the search index and of the terms in it. */
const INDEX_VERSION = 6;

/**
 * `document`: one row for each checkpoint. `previous` is the distance in sequences to the checkpoint whose text it was compared with;
 * `terms` is the number of different terms without stop words; times are in whole seconds.
 * `session`: `labels` has the numbers of all names that its documents ever had, and `newest` the latest of their times; they show when
 * no document can meet a filter. `version` changes with each change. `noted` is set while the session is pending, and `is_extended`
 * tells whether checkpoints were only added.
 * `name`: projects, agents and workflows, and lists of tags as JSON. `state`: the catalog's position and sums.
 * `term`: FTS5 keeps only which documents have a term. A term that occurs more than once is indexed again with a mark: see `marked`.
 * Stop words begin with the sign that `@workrail/search` gives them.
 */
const SEARCH_SCHEMA = `
CREATE TABLE state (key TEXT PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;

INSERT INTO state VALUES ('texts', 0), ('terms', 0), ('changes', 0), ('untidied', 0);

CREATE TABLE session (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  tags TEXT,
  labels TEXT NOT NULL DEFAULT '[]',
  newest INTEGER NOT NULL DEFAULT 0,
  is_extended INTEGER,
  noted INTEGER
) STRICT;

CREATE INDEX session_pending ON session (noted) WHERE noted IS NOT NULL;

CREATE TABLE name (number INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE document (
  number INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  id ANY NOT NULL,
  previous INTEGER,
  terms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  created INTEGER NOT NULL,
  project INTEGER,
  agent INTEGER,
  workflow INTEGER,
  tags INTEGER
) STRICT;

CREATE INDEX document_by_session ON document (session, sequence);

CREATE VIRTUAL TABLE term USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii tokenchars ''${MARK_SIGNS}''');

INSERT INTO term (term, rank) VALUES ('pgsz', 3010);
`;

export const SEARCH_CONTENT: DerivedContent = {
  name: "the search index",
  version: INDEX_VERSION,
  // SQLite stores the text of the schema, and the pages are small.
  schema: SEARCH_SCHEMA.replaceAll(/\s+/gu, " "),
  // Small pages leave little free space in small stores.
  pageBytes: 512,
  // Each query reads other pages. The operating system caches them once for all processes.
  onOpen: "PRAGMA cache_size = -1024; CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, term, row)",
};
