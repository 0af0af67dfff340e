/** Depth of a resume when an agent asks for none. */
export const DEFAULT_DEPTH = "view";

/** Budgets of a resume, in tokens by depth, when an agent asks for none. */
export const DEFAULT_TOKENS = { summary: 800, view: 4_000 } as const;
