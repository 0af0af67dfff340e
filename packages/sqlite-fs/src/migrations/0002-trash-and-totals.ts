/**
 * Adds the trash, the bytes of the whole store, holds on removals, and the reasons of removals.
 *
 * `state` has `live_bytes` and `trash_bytes`, which triggers keep, and `hold:{holder}` with the time when the hold ends.
 */
export const trashAndTotals: string = `
CREATE TABLE trashed (
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  blob TEXT NOT NULL UNIQUE,
  blob_bytes INTEGER NOT NULL,
  trashed_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_by_id ON trashed (id);

CREATE TABLE state (key TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

INSERT INTO state VALUES ('live_bytes', (SELECT coalesce(sum(total_bytes), 0) FROM session)), ('trash_bytes', 0);

CREATE TRIGGER live_bytes AFTER UPDATE OF total_bytes ON session WHEN new.total_bytes <> old.total_bytes
BEGIN UPDATE state SET value = value + new.total_bytes - old.total_bytes WHERE key = 'live_bytes'; END;

CREATE TRIGGER trash_bytes_more AFTER INSERT ON trashed
BEGIN UPDATE state SET value = value + new.blob_bytes WHERE key = 'trash_bytes'; END;

CREATE TRIGGER trash_bytes_less AFTER DELETE ON trashed
BEGIN UPDATE state SET value = value - old.blob_bytes WHERE key = 'trash_bytes'; END;

ALTER TABLE audit ADD COLUMN reason TEXT;
`;
