/**
 * Each row of `checkpoint` and of `session` says what the sum of its columns is, and so does a row in the trash. Whoever changes a row sums it anew:
 * the asides of a session are counted there, and no longer by triggers.
 */
export const rowChecksums: string = `
ALTER TABLE checkpoint ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

ALTER TABLE session ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER aside_more;

DROP TRIGGER aside_less;
`;
