/** Ordinal up to which checkpoints are in the index of attributes. A filter reads the attributes of later ones. */
const UNTIL = "(SELECT value FROM state WHERE key = 'attributes_until')";

const DELETE =
  "DELETE FROM checkpoint_attribute WHERE (name, type, value, ordinal) IN (SELECT * FROM attribute WHERE ordinal = old.ordinal);";

/**
 * Adds an index of the attributes of live checkpoints that are texts, numbers, booleans or null. Triggers keep it, so that an older
 * writer keeps it too. Each attribute of a checkpoint lies on another page of the index: 64 checkpoints are indexed at once, so that a
 * save does not write a page for each. Damaged attributes are left out, because their row must stay possible to remove and to mend.
 */
export const attributes: string = `
CREATE TABLE checkpoint_attribute (
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  value ANY NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (name, type, value, ordinal)
) STRICT, WITHOUT ROWID;

CREATE VIEW attribute AS SELECT key AS name, type, coalesce(atom, 0) AS value, ordinal
FROM checkpoint, json_each(iif(json_valid(attributes), attributes, '{}'))
WHERE attributes <> '{}' AND type NOT IN ('object', 'array') AND length(key) <= 64 AND length(coalesce(atom, '')) <= 256;

INSERT OR IGNORE INTO checkpoint_attribute SELECT * FROM attribute;

INSERT INTO state SELECT 'attributes_until', coalesce(max(ordinal), 0) FROM checkpoint;

CREATE TRIGGER attribute_more AFTER INSERT ON checkpoint WHEN new.ordinal NOT BETWEEN ${UNTIL} + 1 AND ${UNTIL} + 63
BEGIN
INSERT OR IGNORE INTO checkpoint_attribute SELECT * FROM attribute WHERE ordinal > min(new.ordinal - 1, ${UNTIL}) AND ordinal <= new.ordinal;
UPDATE state SET value = max(value, new.ordinal) WHERE key = 'attributes_until';
END;

CREATE TRIGGER attribute_less BEFORE DELETE ON checkpoint WHEN old.attributes <> '{}'
BEGIN ${DELETE} END;

CREATE TRIGGER attribute_before BEFORE UPDATE OF attributes ON checkpoint WHEN new.attributes <> old.attributes
BEGIN ${DELETE} END;

CREATE TRIGGER attribute_after AFTER UPDATE OF attributes ON checkpoint WHEN new.attributes <> old.attributes AND new.ordinal <= ${UNTIL}
BEGIN INSERT OR IGNORE INTO checkpoint_attribute SELECT * FROM attribute WHERE ordinal = new.ordinal; END;
`;
