/** Policies for an import when the store already has the session, or one of its checkpoints. */
export const IMPORT_CONFLICT_POLICIES = ["skip", "rename", "newer"] as const;
export type ImportConflictPolicy = (typeof IMPORT_CONFLICT_POLICIES)[number];
