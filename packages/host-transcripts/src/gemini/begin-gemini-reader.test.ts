import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readRecords, told } from "../../test/read-records.ts";
import { readTranscript } from "../read-transcript.ts";
import { beginGeminiReader } from "./begin-gemini-reader.ts";

const timestamp = "2026-11-24T12:00:00Z";

function user(id: string, words: string): object {
  return { id, timestamp, type: "user", content: [{ text: words }] };
}

function gemini(id: string, content: string, more: object = {}): object {
  return { id, timestamp, type: "gemini", content, ...more };
}

function tool(id: string, status: string, output?: string): object {
  const result = output === undefined ? {} : { result: [{ functionResponse: { id, response: { output } } }] };
  return { id, name: "run_shell_command", args: { command: "npm test" }, status, ...result };
}

function read(...records: readonly unknown[]): readonly string[] {
  return told(readRecords(beginGeminiReader, records).events);
}

describe("a reader of Gemini CLI chats", () => {
  it("returns the new events of a repeated message", () => {
    expect(
      read(
        user("u", "Fix it"),
        gemini("g", "", { thoughts: [{ subject: "Plan", description: "Look." }] }),
        gemini("g", "I run it.", { thoughts: [{ subject: "Plan", description: "Look." }], toolCalls: [tool("t", "executing")] }),
        { $set: { lastUpdated: "x" } },
        gemini("g", "I run it.", { thoughts: [{ subject: "Plan", description: "Look." }], toolCalls: [tool("t", "success", "ok")] }),
      ),
    ).toEqual(["prompt: Fix it", "thought: Plan: Look.", "reply: I run it.", "call: run_shell_command", "result: ok"]);
  });

  it("reports failures and exit codes", () => {
    const output = "<untrusted_context>\nOutput: hi\nExit Code: 3\n</untrusted_context>";
    const calls = [tool("1", "success", output), tool("2", "error"), tool("3", "cancelled")];
    const { events } = readRecords(beginGeminiReader, [gemini("g", "", { toolCalls: calls })]);
    expect(events.flatMap((event) => (event.kind === "result" ? [[event.failed, event.exitCode, event.text]] : []))).toEqual([
      [true, 3, "Output: hi\nExit Code: 3"],
      [true, undefined, ""],
      [true, undefined, ""],
    ]);
  });

  it("strips texts that hooks added, and skips the host's own messages", () => {
    expect(
      read(
        user("a", "<session_context>\nThis is the Gemini CLI.\n</session_context>"),
        user("b", "Fix it\n<hook_context>remember</hook_context>"),
        user("c", "<hook_context><workrail-resume>x</workrail-resume></hook_context>"),
        { id: "d", timestamp, type: "info", content: "Updated" },
        user("e", "<state_snapshot>so far</state_snapshot>"),
      ),
    ).toEqual(["prompt: Fix it", "summary: <state_snapshot>so far</state_snapshot>"]);
  });

  it("skips messages that were rewound", () => {
    const records = [user("a", "one"), gemini("b", "1"), user("c", "two"), gemini("d", "2")];
    expect(read(...records, { $rewindTo: "c" }, user("e", "three"))).toEqual(["prompt: one", "reply: 1", "prompt: three"]);
    expect(beginGeminiReader("session-x.jsonl", "d=0,1,0,0").acceptRecord({ $rewindTo: "c" })).toBe("rewound");
  });

  it("does not repeat a known history", () => {
    const messages = [user("a", "one"), gemini("b", "1")];
    expect(read(...messages, { $set: { messages } })).toEqual(["prompt: one", "reply: 1"]);
    const later = beginGeminiReader("session-x.jsonl", "b=0,1,0,0");
    later.acceptRecord({ $set: { messages: [user("x", "<session_context>"), ...messages, user("c", "two")] } });
    expect(told(later.finish().events)).toEqual(["prompt: two"]);
  });

  it("requests earlier lines when it knows no message of a history", () => {
    const reader = beginGeminiReader("session-x.jsonl", "b=0,1,0,0");
    expect(reader.acceptRecord({ $set: { messages: [user("x", "<session_context>")] } })).toBeUndefined();
    expect(reader.acceptRecord({ $set: { messages: [user("a", "one")] } })).toBe("rewound");
  });

  it("reads a chat of an older version, which is one document", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "workrail-gemini-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "session-x.json");
    const write = (lastUpdated: string, messages: readonly object[]) =>
      writeFileSync(file, JSON.stringify({ sessionId: "s", startTime: timestamp, lastUpdated, messages }, null, 2));
    write("1", [user("a", "one")]);
    const first = await readTranscript("gemini", file);
    expect([told(first?.events ?? []), first?.facts.sessionId]).toEqual([["prompt: one"], "s"]);
    expect(await readTranscript("gemini", file, { from: first?.position })).toMatchObject({ events: [], restarted: false });
    write("2", [user("a", "one"), gemini("b", "1")]);
    const second = await readTranscript("gemini", file, { from: first?.position });
    expect([told(second?.events ?? []), second?.restarted]).toEqual([["prompt: one", "reply: 1"], true]);
    writeFileSync(file, '{"sessionId":"s","messages":[');
    expect(await readTranscript("gemini", file)).toMatchObject({ events: [], position: { offset: 0 } });
  });
});
