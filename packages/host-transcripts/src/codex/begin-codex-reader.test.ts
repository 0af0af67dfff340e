import { describe, expect, it } from "vitest";
import { readRecords, told } from "../../test/read-records.ts";
import { beginCodexReader } from "./begin-codex-reader.ts";

function line(type: string, payload: object): object {
  return { timestamp: "2026-11-24T12:00:00Z", ordinal: 1, type, payload };
}

function item(payload: object): object {
  return line("response_item", payload);
}

function said(words: string): object {
  return line("event_msg", { type: "item_completed", item: { type: "UserMessage", content: [{ type: "text", text: words }] } });
}

function message(role: string, words: string): object {
  return item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text: words }] });
}

function read(...records: readonly unknown[]): readonly string[] {
  return told(readRecords(beginCodexReader, records).events);
}

function resultOf(output: unknown): unknown {
  const { events } = readRecords(beginCodexReader, [item({ type: "function_call_output", call_id: "c", output })]);
  return events[0];
}

describe("a reader of Codex rollouts", () => {
  it("takes the user's words from the event, not from the context given to the model", () => {
    expect(
      read(
        message("user", "<environment_context>x</environment_context>"),
        message("user", "# AGENTS.md instructions"),
        message("developer", "x"),
        message("user", "Fix it"),
        said("Fix it"),
        message("assistant", "Done"),
        line("event_msg", { type: "agent_message", message: "Done" }),
        line("event_msg", { type: "task_complete", last_agent_message: "Done" }),
      ),
    ).toEqual(["prompt: Fix it", "reply: Done"]);
  });

  it("takes a prompt once when two events contain it", () => {
    expect(
      read(line("event_msg", { type: "user_message", message: "Fix it" }), said("Fix it"), message("assistant", "Done"), said("Fix it")),
    ).toEqual(["prompt: Fix it", "reply: Done", "prompt: Fix it"]);
  });

  it("takes only the request from a prompt to which an editor added files", () => {
    expect(read(said("# Context from my IDE setup:\n\n## Open tabs\n- a.ts\n\n## My request for Codex:\nFix it"))).toEqual([
      "prompt: Fix it",
    ]);
  });

  it("reads the first form of rollouts, which had no events", () => {
    const bare = (role: string, words: string) => ({ type: "message", role, content: [{ type: "input_text", text: words }] });
    const { events, facts } = readRecords(beginCodexReader, [
      { id: "s", timestamp: "2025-06-01T00:00:00Z", instructions: null },
      bare("user", "<environment_context>x"),
      bare("user", "Fix it"),
      { record_type: "state" },
      bare("assistant", "Done"),
    ]);
    expect([told(events), facts.sessionId]).toEqual([["prompt: Fix it", "reply: Done"], "s"]);
  });

  it("returns calls with their arguments", () => {
    const { events } = readRecords(beginCodexReader, [
      item({ type: "function_call", call_id: "1", name: "exec_command", arguments: '{"cmd":"ls"}' }),
      item({ type: "function_call", call_id: "2", name: "exec_command", arguments: "not JSON" }),
      item({ type: "custom_tool_call", call_id: "3", name: "apply_patch", input: "*** Begin Patch" }),
      item({ type: "local_shell_call", call_id: "4", action: { type: "exec", command: ["ls"] } }),
      item({ type: "web_search_call", id: "5", action: { type: "search", query: "q" } }),
    ]);
    expect(events).toEqual(
      [
        { id: "1", tool: "exec_command", input: { cmd: "ls" } },
        { id: "2", tool: "exec_command", input: "not JSON" },
        { id: "3", tool: "apply_patch", input: "*** Begin Patch" },
        { id: "4", tool: "local_shell", input: { type: "exec", command: ["ls"] } },
        { id: "5", tool: "web_search", input: { type: "search", query: "q" } },
      ].map((call) => ({ kind: "call", ...call, at: "2026-11-24T12:00:00Z" })),
    );
  });

  it.each([
    ["Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nhi", { text: "hi", failed: true, exitCode: 3 }],
    ["Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 5\n", { text: "Exit code: 5\n", failed: false, exitCode: 0 }],
    ['{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}', { text: "no", failed: true, exitCode: 1 }],
    [
      { content: "no", success: false },
      { text: "no", failed: true },
    ],
    [[{ type: "input_text", text: "part" }], { text: "part" }],
    ["unsupported call: shell", { text: "unsupported call: shell", failed: true }],
    ["Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nhalf", { text: "half" }],
  ])("understands the result %j", (output, expected) => {
    expect(resultOf(output)).toEqual({ kind: "result", id: "c", at: "2026-11-24T12:00:00Z", ...expected });
  });

  it("reports interruptions, summaries and thoughts", () => {
    expect(
      read(
        item({ type: "reasoning", summary: [{ type: "summary_text", text: "Look first." }], encrypted_content: "x" }),
        item({ type: "reasoning", summary: [] }),
        line("event_msg", { type: "turn_aborted", reason: "interrupted" }),
        line("compacted", { message: "So far." }),
        line("compacted", { message: "", replacement_history: [] }),
      ),
    ).toEqual(["thought: Look first.", "interrupted", "summary: So far."]);
  });

  it("drops the turns that were rolled back", () => {
    const turns = [said("one"), message("assistant", "1"), said("two"), message("assistant", "2"), said("three")];
    expect(read(...turns, line("event_msg", { type: "thread_rolled_back", num_turns: 2 }), said("other"))).toEqual([
      "prompt: one",
      "reply: 1",
      "prompt: other",
    ]);
  });

  it("keeps a prompt that is sent again after its turn was rolled back", () => {
    expect(read(said("one"), line("event_msg", { type: "thread_rolled_back", num_turns: 1 }), said("one"))).toEqual(["prompt: one"]);
  });

  it("requests earlier lines when more turns were rolled back than it knows", () => {
    const reader = beginCodexReader("rollout.jsonl", "");
    reader.accept(Buffer.from(JSON.stringify(said("two"))));
    expect(reader.accept(Buffer.from(JSON.stringify(line("event_msg", { type: "thread_rolled_back", num_turns: 2 }))))).toBe("rewound");
  });
});
