/**
 * The attribute that keeps which project a checkpoint's session belongs to, where that is not the project of the checkpoint; null: to none.
 * It is the product's own: callers cannot set it. Each later checkpoint has it too, so it outlives the session's first one.
 */
export const SESSION_PROJECT = "sessionProject";
