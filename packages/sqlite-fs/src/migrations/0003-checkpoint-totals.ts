/**
 * Adds the number of checkpoints of each kind, in the store and in each project, and the number of asides of each session.
 * Triggers keep these numbers, so that a page of a listing can tell the total without reading all rows.
 */
export const checkpointTotals: string = `
CREATE TABLE checkpoint_total (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (scope, name, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO checkpoint_total
  SELECT 'store', '', kind, count(*) FROM checkpoint GROUP BY kind
  UNION ALL SELECT 'project', project, kind, count(*) FROM checkpoint WHERE project IS NOT NULL GROUP BY project, kind;

ALTER TABLE session ADD COLUMN aside_count INTEGER NOT NULL DEFAULT 0;

UPDATE session SET aside_count = (SELECT count(*) FROM checkpoint WHERE session_id = session.id AND kind = 'aside');

CREATE TRIGGER checkpoint_total_more AFTER INSERT ON checkpoint
BEGIN
  INSERT INTO checkpoint_total SELECT 'store', '', new.kind, 1 UNION ALL SELECT 'project', new.project, new.kind, 1 WHERE new.project IS NOT NULL
    ON CONFLICT DO UPDATE SET total = total + 1;
END;

CREATE TRIGGER checkpoint_total_less AFTER DELETE ON checkpoint
BEGIN
  UPDATE checkpoint_total SET total = total - 1
    WHERE (scope, name, kind) IN (VALUES ('store', '', old.kind), ('project', old.project, old.kind));
  DELETE FROM checkpoint_total WHERE scope = 'project' AND name = old.project AND kind = old.kind AND total = 0;
END;

CREATE TRIGGER aside_more AFTER INSERT ON checkpoint WHEN new.kind = 'aside'
BEGIN UPDATE session SET aside_count = aside_count + 1 WHERE id = new.session_id; END;

CREATE TRIGGER aside_less AFTER DELETE ON checkpoint WHEN old.kind = 'aside'
BEGIN UPDATE session SET aside_count = aside_count - 1 WHERE id = old.session_id; END;
`;
