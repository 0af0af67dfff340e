/**
 * Chains the rows of the audit log: each has a digest of itself and the row before. Existing rows get no digest, because their integrity
 * can no longer be proved. `audit_log` identifies this log for the commit mark. Until now the time of the first row did, but that row may
 * be removed from now on.
 *
 * The index of rare actions serves a status and lists of operations on a store. Most rows are not in it, so it costs a save nothing.
 */
export const auditChain: string = `
ALTER TABLE audit ADD COLUMN digest BLOB;

INSERT INTO state VALUES ('audit_log', coalesce((SELECT at FROM audit ORDER BY id LIMIT 1), abs(random() % 1000000000000000)));

CREATE INDEX audit_rare ON audit (action, at) WHERE action NOT IN ('save', 'load', 'prune');
`;
