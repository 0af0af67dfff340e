/** Adds the removed checkpoints of which nothing may be left; each stays listed until nothing is left. */
export const erasures: string = `
CREATE TABLE erasure (
  blob TEXT PRIMARY KEY NOT NULL,
  checkpoint_id TEXT NOT NULL,
  session_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
