/** Checkpoints that were removed and of which nothing may be left, until nothing is. */
export const erasures: string = `
CREATE TABLE erasure (
  blob TEXT PRIMARY KEY NOT NULL,
  checkpoint_id TEXT NOT NULL,
  session_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
