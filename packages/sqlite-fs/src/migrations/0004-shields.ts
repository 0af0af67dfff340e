/** Adds the time until which a checkpoint is shielded from automatic removal, and an index of asides, which are removed by age. */
export const shields: string = `
ALTER TABLE checkpoint ADD COLUMN shielded_until INTEGER;

CREATE INDEX checkpoint_shielded ON checkpoint (session_id) WHERE shielded_until IS NOT NULL;

CREATE INDEX checkpoint_aside ON checkpoint (session_id, ordinal) WHERE kind = 'aside';
`;
