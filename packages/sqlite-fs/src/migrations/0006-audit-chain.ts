/**
 * Rows of the audit log are chained, each by a digest of itself and the one before. Those that are there stay without: nobody can say any more
 * whether they are as they were written. `audit_log` tells this log from another one's, for the mark of the last commit; until now the time of
 * its first row did, which may be removed from now on.
 *
 * What a status asks for, and lists of what was done to a store, are found by an index, which most rows are not in: it costs a save nothing.
 */
export const auditChain: string = `
ALTER TABLE audit ADD COLUMN digest BLOB;

INSERT INTO state VALUES ('audit_log', coalesce((SELECT at FROM audit ORDER BY id LIMIT 1), abs(random() % 1000000000000000)));

CREATE INDEX audit_rare ON audit (action, at) WHERE action NOT IN ('save', 'load', 'prune');
`;
