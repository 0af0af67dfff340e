import { describe, expect, it } from "vitest";
import { readOpencodeMessages } from "./read-opencode-messages.ts";

const created = Date.UTC(2026, 10, 24, 12);
const at = "2026-11-24T12:00:00.000Z";

/** A message in the form of opencode's SDK. */
function message(role: string, parts: readonly unknown[], more: object = {}): unknown {
  return { info: { id: "msg_1", sessionID: "ses_1", role, time: { created }, ...more }, parts };
}

function tool(state: object): unknown {
  return { id: "prt_1", type: "tool", callID: "c1", tool: "bash", state: { input: { command: "npm test" }, ...state } };
}

describe("readOpencodeMessages", () => {
  it("returns prompts, replies and thoughts without the host's additions", () => {
    const messages = [
      message("user", [
        { type: "text", text: "Fix it <workrail-resume id='1'>old</workrail-resume>" },
        { type: "text", text: "Called the Read tool", synthetic: true },
        { type: "file", url: "file:///a" },
      ]),
      message("assistant", [{ type: "step-start" }, { type: "reasoning", text: "Look first." }, { type: "text", text: "Done." }]),
    ];
    expect(readOpencodeMessages(messages)).toEqual([
      { kind: "prompt", text: "Fix it", at },
      { kind: "thought", text: "Look first.", at },
      { kind: "reply", text: "Done.", at },
    ]);
  });

  it("returns a call and its result, with the exit code of a command", () => {
    const state = { status: "completed", output: "1 failed", metadata: { exit: 1 }, time: { start: created, end: created + 1000 } };
    expect(readOpencodeMessages([message("assistant", [tool(state)])])).toEqual([
      { kind: "call", id: "c1", tool: "bash", input: { command: "npm test" }, at },
      { kind: "result", id: "c1", text: "1 failed", failed: true, exitCode: 1, at: "2026-11-24T12:00:01.000Z" },
    ]);
  });

  it("returns the error of a tool, and no result of a running one", () => {
    const [, failed] = readOpencodeMessages([message("assistant", [tool({ status: "error", error: "File not found" })])]);
    expect(failed).toMatchObject({ kind: "result", text: "File not found", failed: true });
    expect(readOpencodeMessages([message("assistant", [tool({ status: "running" })])])).toHaveLength(1);
  });

  it("returns a compaction as a summary, and an interruption", () => {
    const messages = [
      message("assistant", [{ type: "text", text: "So far." }], { summary: true }),
      message("assistant", [], { error: { name: "MessageAbortedError", data: {} } }),
    ];
    expect(readOpencodeMessages(messages).map(({ kind }) => kind)).toEqual(["summary", "interrupted"]);
  });

  it("takes the JSON of opencode export", () => {
    expect(readOpencodeMessages({ info: { id: "ses_1" }, messages: [message("user", [{ type: "text", text: "x" }])] })).toHaveLength(1);
  });

  it("skips anything else", () => {
    for (const messages of [undefined, "x", [1, null, {}, { info: 5, parts: "x" }, message("assistant", [null, { type: "tool" }])]])
      expect(readOpencodeMessages(messages)).toEqual([]);
  });
});
