import { describe, expect, it } from "vitest";
import { readRecords, told } from "../../test/read-records.ts";
import { beginClaudeReader } from "./begin-claude-reader.ts";
import { lookAtClaudeLine } from "./look-at-claude-line.ts";

const at = "2026-11-24T12:00:00.000Z";

interface Said {
  readonly id: string;
  readonly parent: string | null;
  readonly content: unknown;
}

/** An entry in the order of members that Claude Code writes. */
function entry(type: "user" | "assistant", { id, parent, content }: Said): object {
  return { parentUuid: parent, isSidechain: false, type, message: { role: type, content }, uuid: id, timestamp: at };
}

function user(id: string, parent: string | null, content: unknown): object {
  return entry("user", { id, parent, content });
}

function assistant(id: string, parent: string | null, content: unknown): object {
  return entry("assistant", { id, parent, content });
}

function text(words: string): readonly object[] {
  return [{ type: "text", text: words }];
}

function read(...records: readonly unknown[]): readonly string[] {
  return told(readRecords(beginClaudeReader, records).events);
}

describe("a reader of Claude Code transcripts", () => {
  it("drops turns that the user rewound", () => {
    const records = [
      user("a", null, "one"),
      assistant("b", "a", text("first")),
      user("c", "b", "two"),
      assistant("d", "c", text("second")),
      user("e", "b", "two, changed"),
      assistant("f", "e", text("third")),
    ];
    expect(read(...records)).toEqual(["prompt: one", "reply: first", "prompt: two, changed", "reply: third"]);
    expect(read(...records, user("g", "d", "back to the second"))).toEqual([
      "prompt: one",
      "reply: first",
      "prompt: two",
      "reply: second",
      "prompt: back to the second",
    ]);
  });

  it("drops all turns when the user rewound to the first prompt", () => {
    expect(read(user("a", null, "one"), assistant("b", "a", text("first")), user("c", null, "other"))).toEqual(["prompt: other"]);
  });

  it("detects a rewind when a command comes first", () => {
    const records = [
      user("a", null, "one"),
      user("b", "a", "two"),
      { ...user("m", "a", "<local-command-caveat>The command below</local-command-caveat>"), isMeta: true },
      user("c", "m", "<command-name>/model</command-name>"),
      user("d", "c", "three"),
    ];
    expect(read(...records)).toEqual(["prompt: one", "prompt: three"]);
  });

  it("keeps the results of concurrent tools, in any order of arrival", () => {
    const use = (id: string) => [{ type: "tool_use", id, name: "Read", input: {} }];
    const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: id }];
    const records = [
      user("a", null, "one"),
      assistant("b", "a", use("1")),
      user("r1", "b", result("1")),
      assistant("c", "b", use("2")),
      assistant("d", "c", use("3")),
      user("r3", "d", result("3")),
      user("r2", "c", result("2")),
      assistant("e", "r3", text("done")),
      user("f", "e", "next"),
    ];
    expect(read(...records)).toEqual([
      "prompt: one",
      "call: Read",
      "result: 1",
      "call: Read",
      "call: Read",
      "result: 3",
      "result: 2",
      "reply: done",
      "prompt: next",
    ]);
  });

  it("skips sub-agents, unless the file belongs to one", () => {
    const records = [user("a", null, "one"), { ...user("s", null, "look"), isSidechain: true }, assistant("b", "a", text("done"))];
    expect(read(...records)).toEqual(["prompt: one", "reply: done"]);
    const own = [{ ...user("s", null, "look"), isSidechain: true }];
    expect(told(readRecords(beginClaudeReader, own, "/x/subagents/agent-1.jsonl").events)).toEqual(["prompt: look"]);
  });

  it("continues across a compaction", () => {
    const summary =
      "This session is being continued from a previous conversation.\n\nSummary:\nIt works.\n\nIf you need specific details from before compaction, read x";
    const records = [
      user("a", null, "one"),
      { parentUuid: null, logicalParentUuid: "a", isSidechain: false, type: "system", subtype: "compact_boundary", uuid: "b" },
      { ...user("c", "b", summary), isCompactSummary: true },
      user("d", "c", "two"),
    ];
    expect(read(...records)).toEqual(["prompt: one", "summary: It works.", "prompt: two"]);
  });

  it("strips texts that hosts and hooks add, and drops messages that are then empty", () => {
    const echo = '<workrail-resume session="x">Goal: old</workrail-resume>';
    const records = [
      user("a", null, `${echo}\nFix it<system-reminder>remember</system-reminder>`),
      user("b", "a", echo),
      user("c", "b", [{ type: "tool_result", tool_use_id: "1", content: `ok\n<system-reminder>\nx\n</system-reminder>` }]),
      user("d", "c", "<user-prompt-submit-hook>x</user-prompt-submit-hook>"),
      assistant("e", "d", text(`Seen ${echo}.`)),
    ];
    expect(read(...records)).toEqual(["prompt: Fix it", "result: ok", "reply: Seen ."]);
  });

  it("reports failures, exit codes and interruptions", () => {
    const result = (id: string, given: object, toolUseResult: unknown) => ({
      ...user(id, null, [{ type: "tool_result", tool_use_id: id, ...given }]),
      toolUseResult,
    });
    const { events } = readRecords(beginClaudeReader, [
      result("a", { content: "Exit code 3\nno", is_error: true }, "Error: Exit code 3"),
      result("b", { content: "yes" }, { stdout: "yes", stderr: "", interrupted: false }),
      result("c", { content: "half" }, { stdout: "half", stderr: "", interrupted: true }),
      result("d", { content: "none" }, { stdout: "none", returnCodeInterpretation: "No matches found" }),
      user("e", null, text("[Request interrupted by user for tool use]")),
    ]);
    expect(events).toEqual([
      { kind: "result", id: "a", text: "Exit code 3\nno", failed: true, exitCode: 3, at },
      { kind: "result", id: "b", text: "yes", failed: false, exitCode: 0, at },
      { kind: "result", id: "c", text: "half", failed: true, at },
      { kind: "result", id: "d", text: "none", failed: false, at },
      { kind: "interrupted", at },
    ]);
  });

  it("returns a background result as the result of its call", () => {
    const words =
      "<task-notification>\n<task-id>1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>failed</status>\n" +
      "<summary>Background command failed with exit code 2</summary>\n</task-notification>";
    const { events } = readRecords(beginClaudeReader, [{ ...user("a", null, words), origin: { kind: "task-notification" } }]);
    expect(events).toEqual([
      { kind: "result", id: "toolu_1", text: "Background command failed with exit code 2", failed: true, exitCode: 2, at },
    ]);
  });

  it("returns commands of the user, but not of the host", () => {
    const command = (name: string, args: string) =>
      `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
    expect(
      read(
        user("a", null, command("fix-issue", "23")),
        { ...user("b", "a", "Fix the issue 23"), isMeta: true },
        user("c", "b", command("compact", "keep it")),
        user("d", "c", "<local-command-stdout>Compacted</local-command-stdout>"),
        user("e", "d", "<bash-input>npm test</bash-input>"),
        user("f", "e", "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>"),
      ),
    ).toEqual(["prompt: /fix-issue 23", "call: Bash", "result: ok"]);
  });

  it("takes prompts queued while a tool ran, but no prompts of the host", () => {
    const queued = (id: string, attachment: object) => ({
      parentUuid: "a",
      isSidechain: false,
      attachment: { type: "queued_command", ...attachment },
      type: "attachment",
      uuid: id,
    });
    expect(
      read(
        user("a", null, "one"),
        queued("b", { prompt: "and this", commandMode: "prompt" }),
        queued("c", { prompt: [{ type: "text", text: "parts" }], origin: { kind: "human" } }),
        queued("d", { prompt: "no", origin: { kind: "coordinator" } }),
        queued("e", { prompt: "no", isMeta: true }),
        { ...user("f", "e", "no"), origin: { kind: "auto-continuation" } },
      ),
    ).toEqual(["prompt: one", "prompt: and this", "prompt: parts"]);
  });

  it("skips the host's own replies", () => {
    const error = { ...assistant("b", "a", text("API Error: 500")), isApiErrorMessage: true };
    const synthetic = { ...assistant("c", "b", []), message: { model: "<synthetic>", content: text("No response requested.") } };
    expect(read(user("a", null, "one"), error, synthetic)).toEqual(["prompt: one"]);
  });

  it("takes the title given by the user or the host", () => {
    const titles = [
      { type: "summary", summary: "Old", leafUuid: "x" },
      { type: "ai-title", aiTitle: "Fix the redirect", sessionId: "s" },
    ];
    expect(readRecords(beginClaudeReader, titles).facts).toEqual({ sessionId: "s", title: "Fix the redirect" });
  });

  it("parses a line whose members are in another order", () => {
    const { parentUuid, isSidechain, ...rest } = user("a", null, "one") as Record<string, unknown>;
    const line = { ...rest, parentUuid, isSidechain };
    expect(read(line, ` ${JSON.stringify(user("b", "a", "two"))}`)).toEqual(["prompt: one", "prompt: two"]);
  });
});

describe("lookAtClaudeLine", () => {
  const look = (line: string) => lookAtClaudeLine(Buffer.from(line), false);

  it("skips requests, snapshots and unknown records", () => {
    for (const type of ["api-request", "api-request-blob", "file-history-snapshot", "something-new"])
      expect(look(`{"type":"${type}","message":{"type":"user"}}`)).toBe("noise");
  });

  it("takes the links of an attachment without parsing it", () => {
    const start = '{"parentUuid":"p","isSidechain":false,"attachment":{"type":"skill_listing","content":"\\"uuid\\":\\"x\\""},';
    expect(look(`${start}"type":"attachment","uuid":"u","timestamp":"t"}`)).toEqual({ id: "u", parent: "p" });
    expect(look(`${start}"uuid":"u","type":"attachment"}`)).toBe("parse");
    expect(look(`${start}"type":"attachment","uuid":"u","of":{"type":"attachment","uuid":"v"}}`)).toBe("parse");
  });

  it("parses attachments with the user's words", () => {
    expect(
      look('{"parentUuid":"p","isSidechain":false,"attachment":{"type":"queued_command","prompt":"x"},"type":"attachment","uuid":"u"}'),
    ).toBe("parse");
  });
});
