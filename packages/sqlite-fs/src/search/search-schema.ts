import type { DerivedContent } from "../derived-database.ts";
import { MARK_SIGNS } from "./postings.ts";

/** Of the search index, and of the terms it is made of. */
const INDEX_VERSION = 6;

/**
 * `document`: one for each checkpoint; `previous` is how many places before it in its session the one is whose text it was
 * compared with; `terms` is how many different ones it has, without stop-words; times are in whole seconds.
 * `session.labels` has the numbers of all names that its documents ever had, and `newest` the latest of their times: what shows that
 * none of them meets a filter. `session.version` is another after each change, `is_pending` and `is_extended` tell whether it is to be looked at, and how.
 * `name`: projects, agents and workflows, and lists of tags as JSON. `state` holds the catalog's position and sums.
 * `term`: FTS5 keeps which documents have a term, and nothing else. One that occurs more than once is there again with a
 * mark behind it: see `marked`. Stop-words are there with the sign that core gives them.
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
  // As SQLite keeps it, in pages that are small.
  schema: SEARCH_SCHEMA.replaceAll(/\s+/gu, " "),
  // Small stores have little empty room.
  pageBytes: 512,
  // Each question reads other pages: the operating system has them in memory once, whatever processes read them.
  onOpen: "PRAGMA cache_size = -1024; CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, term, row)",
};
