/**
 * Attribute that holds the project of the session when it differs from the project of the checkpoint; null for no project.
 * Reserved for the product: callers cannot set it. Every later checkpoint carries it too, so it survives the removal of the
 * session's first checkpoint.
 */
export const SESSION_PROJECT = "sessionProject";
