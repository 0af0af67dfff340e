import { describe, expect, it } from "vitest";
import type { LazyStore } from "./lazy-store.ts";
import { parseArguments } from "./parse-arguments.ts";
import { createTools } from "./tools/index.ts";

const tools = createTools({} as LazyStore);

/** Returns the hint of the error for a call. */
function hintFor(name: string, given: object): unknown {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  try {
    parseArguments(tool, given, tools);
  } catch (error) {
    return (error as { hint: unknown }).hint;
  }
  return "accepted";
}

const STATE = { goal: "Ship it", plan: ["read", "write"] };

describe("a call of the wrong tool, or with unknown fields", () => {
  it.for<[string, string, object, string]>([
    [
      "a state for the tool of notes",
      "checkpoint_save",
      { sessionId: "s1", context: STATE },
      'workflow_checkpoint_save takes these: call workflow_checkpoint_save with {"sessionId": "s1", "context": {"goal":"Ship it","plan":["read","write"]}}',
    ],
    [
      "a state for the tool of notes, with a summary and tags",
      "checkpoint_save",
      { sessionId: "s1", context: STATE, summary: "Step 2", tags: ["a"], project_path: "/p" },
      'workflow_checkpoint_save takes these: call workflow_checkpoint_save with {"sessionId": "s1", "context": {"goal":"Ship it","plan":["read","write"]}, "metadata": {"name":"Step 2","tags":["a"]}}',
    ],
    [
      "a note for the tool of states",
      "workflow_checkpoint_save",
      { summary: "Fixed the login", project_path: "/p", tags: ["auth"] },
      'checkpoint_save takes these: call checkpoint_save with {"summary": "Fixed the login", "project_path": "/p", "tags": ["auth"]}',
    ],
    [
      "a state with the fields of a note",
      "workflow_checkpoint_save",
      { summary: "Step 2", project_path: "/p", context: STATE },
      'Call workflow_checkpoint_save with {"context": {"goal":"Ship it","plan":["read","write"]}, "metadata": {"name":"Step 2"}}',
    ],
    ["a nearly right name", "workflow_checkpoint_load", { sesionId: "s1" }, 'Call workflow_checkpoint_load with {"sessionId": "s1"}'],
    [
      "a field of another search",
      "checkpoint_search",
      { query: "login", limit: 3 },
      'Call checkpoint_search with {"query": "login", "top_k": 3}',
    ],
    [
      "a search for the tool that loads",
      "workflow_checkpoint_load",
      { query: "login", top_k: 2 },
      'checkpoint_search takes these: call checkpoint_search with {"query": "login", "top_k": 2}',
    ],
  ])("is answered with the right call: %s", ([, name, given, hint]) => {
    expect(hintFor(name, given)).toBe(hint);
  });

  it("repeats no long values", () => {
    const hint = String(hintFor("checkpoint_save", { sessionId: "s1", context: { ...STATE, text: "word ".repeat(10_000) } }));
    expect(hint).toBe(
      'workflow_checkpoint_save takes these: call workflow_checkpoint_save with {"sessionId": "s1", "context": {as given}}',
    );
  });

  it("is answered with the tool's fields when no call can be derived", () => {
    expect(hintFor("checkpoint_get", { nothing: 1 })).toMatch(/it takes: id, offset$/u);
  });
});
