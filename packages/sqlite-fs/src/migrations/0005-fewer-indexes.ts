/**
 * Drops the index of edges by dependent, which took a tenth of the catalog. The primary key finds the dependents of a checkpoint.
 * The bases of a checkpoint are looked up only when its blob is gone, and then only among the checkpoints of its session.
 */
export const fewerIndexes: string = `
DROP INDEX edge_by_dependent;
`;
