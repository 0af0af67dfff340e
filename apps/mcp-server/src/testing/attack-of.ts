/** References to the work of others, as an attacker knows or guesses them. */
export interface Known {
  /** Ids of checkpoints, and beginnings of them. */
  readonly checkpoints: readonly string[];
  readonly sessions: readonly string[];
  readonly projects: readonly string[];
  readonly words: readonly string[];
}

export interface Attempt {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Attempts in the order in which they must be made: each load and save affects later attempts. */
export interface Attack {
  readonly looking: readonly Attempt[];
  readonly loading: readonly Attempt[];
  readonly changing: readonly Attempt[];
}

/** Makes calls of every tool, resource, prompt and completion with everything that is known. */
export function attackOf({ checkpoints, sessions, projects, words }: Known): Attack {
  return {
    looking: [
      ...words.flatMap((query) => [
        ...[3, 10].map((top_k) => tool("checkpoint_search", { query, top_k })),
        tool("checkpoint_search", { query: `"${query}"`, details: true }),
        tool("checkpoint_search", { query: `${query} harbour budget` }),
        tool("checkpoint_search", { query: "harbour", tags: [query] }),
        ...projects.map((project_path) => tool("checkpoint_search", { query, project_path })),
        tool("workflow_checkpoint_list", { query }),
        tool("workflow_checkpoint_list", { name: query }),
        tool("workflow_checkpoint_list", { tags: [query] }),
        tool("workflow_checkpoint_list", { workflowId: query }),
        tool("workflow_checkpoint_list", { agentId: query }),
        tool("workflow_checkpoint_list", { phase: query }),
        tool("workflow_resume", { hint: query }),
        tool("workflow_resume", { hint: `${query} harbour` }),
      ]),
      ...["checkpoint", "project", "workflow", "aside", "conversation"].map((kind) => tool("workflow_checkpoint_list", { kind })),
      ...[0, 1, 2, 5, 50].flatMap((offset) => [
        tool("workflow_checkpoint_list", { offset, limit: 2, details: true }),
        tool("checkpoint_list", { offset, limit: 2, details: true }),
        ...projects.map((project_path) => tool("checkpoint_list", { offset, project_path })),
      ]),
      ...sessions.flatMap((sessionId) => [
        tool("workflow_checkpoint_list", { sessionId, details: true }),
        tool("workflow_checkpoint_list", { sessionId, kind: "aside" }),
        ...["latest", "checkpoint"].map((of) => complete(`workrail://sessions/{sessionId}/${of}`, { name: "sessionId", value: sessionId })),
        complete("workrail://sessions/{sessionId}/latest", { name: "sessionId", value: sessionId.slice(0, 3) }),
        ...["resume", "save", "handoff"].map((name) => completePrompt(name, sessionId.slice(0, 2))),
      ]),
      ...checkpoints.flatMap((id) => [
        complete("workrail://checkpoints/{checkpointId}", { name: "checkpointId", value: id.slice(0, 6) }),
        complete("workrail://checkpoints/{checkpointId}/{key}", { name: "key", value: "" }, { checkpointId: id }),
      ]),
      ...[undefined, "0:1", "0:2", "0:50", "1", "2", "9:9", "x"].map((cursor) => ({ method: "resources/list", params: { cursor } })),
      ...["workrail://sessions", "workrail://status"].map(read),
      { method: "resources/templates/list", params: {} },
      { method: "prompts/list", params: {} },
      ...["resume", "save", "handoff"].map((name) => ({ method: "prompts/get", params: { name } })),
      tool("workflow_resume", {}),
    ],
    loading: [
      ...checkpoints.flatMap((checkpointId) => [
        tool("workflow_checkpoint_load", { checkpointId }),
        tool("workflow_checkpoint_load", { checkpointId, full: true, details: true }),
        tool("workflow_checkpoint_load", { checkpointId, keys: ["goal"] }),
        tool("workflow_checkpoint_load", { checkpointId, budgetTokens: 50, cursor: "1" }),
        ...["summary", "view", "full"].map((depth) => tool("workflow_resume", { checkpointId, depth })),
        tool("workflow_resume", { since: checkpointId }),
        tool("checkpoint_get", { id: checkpointId }),
        tool("checkpoint_get", { id: checkpointId, offset: 10 }),
        tool("workflow_context_compress", { checkpointId, budgetTokens: 200 }),
        tool("workflow_context_prioritize", { checkpointId, dryRun: true }),
        read(`workrail://checkpoints/${encodeURIComponent(checkpointId)}`),
        read(`workrail://checkpoints/${encodeURIComponent(checkpointId)}/goal`),
      ]),
      ...sessions.flatMap((sessionId) => [
        tool("workflow_checkpoint_load", { sessionId }),
        tool("workflow_checkpoint_load", { sessionId, checkpointId: "latest" }),
        tool("workflow_checkpoint_load", { sessionId, checkpointId: "latest~1" }),
        tool("workflow_checkpoint_load", { sessionId, focus: "harbour", budgetTokens: 100 }),
        tool("workflow_resume", { sessionId }),
        tool("workflow_context_compress", { sessionId, budgetTokens: 200 }),
        tool("workflow_context_prioritize", { sessionId }),
        read(`workrail://sessions/${encodeURIComponent(sessionId)}/latest`),
        ...["resume", "save", "handoff"].map((name) => ({ method: "prompts/get", params: { name, arguments: { session: sessionId } } })),
      ]),
    ],
    changing: [
      ...sessions.flatMap((sessionId) => [
        tool("workflow_mark_critical", { sessionId, contextKey: "goal" }),
        tool("workflow_mark_critical", { sessionId, contextKey: "goal", critical: false }),
        tool("workflow_checkpoint_save", { sessionId, patch: { set: { attacked: true } } }),
        tool("workflow_checkpoint_save", { sessionId, context: { attacked: sessionId } }),
        tool("workflow_checkpoint_save", { sessionId, context: { attacked: sessionId }, force: true, details: true }),
        tool("workflow_context_compress", { sessionId, context: { attacked: "x".repeat(300) }, budgetTokens: 20 }),
        tool("workflow_context_prioritize", { sessionId, context: { attacked: "y".repeat(300) } }),
      ]),
      ...checkpoints.flatMap((id) => [
        tool("workflow_checkpoint_save", { parentId: id, patch: { set: { attacked: true } } }),
        tool("workflow_checkpoint_save", { expectedParentId: id, context: { attacked: true } }),
        tool("workflow_checkpoint_save", { checkpointId: id, context: { attacked: true } }),
        tool("checkpoint_delete", { id }),
      ]),
      ...projects.map((project_path) => tool("checkpoint_save", { project_path, summary: "attacked", description: "text" })),
      // Others derived sessions from the same workflow and context.
      ...words.map((workflowId) => tool("workflow_checkpoint_save", { workflowId, context: { goal: "derived" }, details: true })),
      tool("workflow_context_compress", { context: { goal: "the same aside" }, budgetTokens: 20 }),
      tool("workflow_checkpoint_list", { kind: "aside" }),
      tool("workflow_checkpoint_list", { limit: 100 }),
      read("workrail://sessions"),
    ],
  };
}

function tool(name: string, given: Readonly<Record<string, unknown>>): Attempt {
  return { method: "tools/call", params: { name, arguments: given } };
}

function read(uri: string): Attempt {
  return { method: "resources/read", params: { uri } };
}

function complete(
  uri: string,
  argument: { readonly name: string; readonly value: string },
  known?: Readonly<Record<string, string>>,
): Attempt {
  const context = known === undefined ? {} : { context: { arguments: known } };
  return { method: "completion/complete", params: { ref: { type: "ref/resource", uri }, argument, ...context } };
}

function completePrompt(name: string, value: string): Attempt {
  return { method: "completion/complete", params: { ref: { type: "ref/prompt", name }, argument: { name: "session", value } } };
}
