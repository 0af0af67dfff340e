/**
 * Adds a checksum of the columns to each row of `checkpoint`, `session` and the trash. Each change of a row computes its checksum anew.
 * So the code that changes a session's row counts its asides, and triggers no longer do.
 */
export const rowChecksums: string = `
ALTER TABLE checkpoint ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

ALTER TABLE session ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER aside_more;

DROP TRIGGER aside_less;
`;
