import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOOK_HOSTS } from "./hook-payload.ts";
import { parsePayload } from "./parse-payload.ts";

const PAYLOADS = path.join(import.meta.dirname, "../test/fixtures/payloads");
const RECORDED = readdirSync(PAYLOADS).flatMap((host) => readdirSync(path.join(PAYLOADS, host)).map((name) => [host, name] as const));

function recorded(host: string, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(PAYLOADS, host, name), "utf8")) as Record<string, unknown>;
}

describe("parsePayload", () => {
  it.each(RECORDED)("reads a recorded payload, and detects its host, of %s: %s", (host, name) => {
    const json = recorded(host, name);
    expect(parsePayload(undefined, json)).toMatchObject({
      host,
      sessionId: json["session_id"],
      ...(json["agent_id"] === undefined ? { transcriptPath: json["transcript_path"] } : {}),
      cwd: json["cwd"],
    });
  });

  it("gives the event one name for all hosts", () => {
    const events = RECORDED.flatMap(([host, name]) => {
      const event = parsePayload(undefined, recorded(host, name))?.event;
      return event === undefined ? [] : [`${host} ${name.replace(".json", "")}: ${event}`];
    });
    expect(events).toEqual([
      "claude-code PreCompact-auto: pre-compact",
      "claude-code PreCompact-manual: pre-compact",
      "claude-code SessionEnd-clear: session-end",
      "claude-code SessionEnd-other: session-end",
      "claude-code SessionStart-clear: session-start",
      "claude-code SessionStart-compact: session-start",
      "claude-code SessionStart-resume: session-start",
      "claude-code SessionStart-startup: session-start",
      "claude-code Stop: stop",
      "claude-code UserPromptSubmit: user-prompt",
      "codex SessionEnd-other: session-end",
      "codex SessionStart-resume: session-start",
      "codex SessionStart-startup: session-start",
      "codex Stop: stop",
      "codex UserPromptSubmit: user-prompt",
      "gemini AfterAgent: stop",
      "gemini BeforeAgent: user-prompt",
      "gemini SessionEnd-exit: session-end",
      "gemini SessionStart-startup: session-start",
    ]);
  });

  it("returns the prompt, the last message and the reason", () => {
    expect(parsePayload(undefined, recorded("claude-code", "UserPromptSubmit.json"))?.prompt).toBe("again");
    expect(parsePayload(undefined, recorded("codex", "Stop.json"))).toMatchObject({
      lastAssistantMessage: "done codex",
      stopHookActive: false,
    });
    expect(parsePayload(undefined, recorded("gemini", "AfterAgent.json"))).toMatchObject({
      prompt: "Fix it",
      lastAssistantMessage: "done gemini",
    });
    expect(parsePayload(undefined, recorded("claude-code", "PreCompact-auto.json"))?.trigger).toBe("auto");
    expect(parsePayload(undefined, recorded("claude-code", "SessionEnd-clear.json"))?.reason).toBe("clear");
    expect(parsePayload(undefined, recorded("claude-code", "SessionStart-compact.json"))?.source).toBe("compact");
  });

  it("reports a sub-agent, with an empty type where the host started it for itself", () => {
    expect(parsePayload(undefined, recorded("claude-code", "SubagentStop.json"))).toMatchObject({
      agentId: "a08f37777d638d18d",
      agentType: "",
    });
  });

  it("returns the transcript of a sub-agent, never that of its parent", () => {
    const stopped = recorded("claude-code", "SubagentStop.json");
    expect(parsePayload(undefined, stopped)?.transcriptPath).toBe(stopped["agent_transcript_path"]);
    const begun = recorded("claude-code", "SubagentStart.json");
    expect(begun).toMatchObject({ transcript_path: expect.any(String) as string });
    expect(parsePayload(undefined, begun)?.transcriptPath).toBeUndefined();
  });

  it("reads payloads of Cursor, as documented", () => {
    const common = { conversation_id: "c1", generation_id: "g1", workspace_roots: ["/home/user/proj"] };
    expect(parsePayload(undefined, { ...common, hook_event_name: "beforeSubmitPrompt", prompt: "Fix it", attachments: [] })).toEqual({
      host: "cursor",
      event: "user-prompt",
      sessionId: "c1",
      cwd: "/home/user/proj",
      prompt: "Fix it",
    });
    expect(parsePayload(undefined, { ...common, hook_event_name: "stop", status: "completed" })).toMatchObject({
      host: "cursor",
      event: "stop",
    });
  });

  it("reads payloads of VS Code, as documented", () => {
    const json = { sessionId: "s1", hookEventName: "SessionStart", cwd: "/home/user/proj", transcript_path: "/t.json", source: "new" };
    expect(parsePayload(undefined, json)).toEqual({
      host: "vscode",
      event: "session-start",
      sessionId: "s1",
      transcriptPath: "/t.json",
      cwd: "/home/user/proj",
      source: "startup",
    });
  });

  it("reads payloads of the opencode plugin", () => {
    const json = { sessionID: "ses_1", directory: "/home/user/proj", event: "session.idle", messages: [{ info: {}, parts: [] }] };
    expect(parsePayload(undefined, json)).toEqual({
      host: "opencode",
      event: "stop",
      sessionId: "ses_1",
      cwd: "/home/user/proj",
      messages: [{ info: {}, parts: [] }],
    });
  });

  it("takes an empty list of messages for a missing one", () => {
    expect(parsePayload("opencode", { session_id: "s", messages: [] })).toEqual({ host: "opencode", sessionId: "s" });
  });

  it("uses the given host, whatever the payload looks like", () => {
    expect(parsePayload("vscode", recorded("claude-code", "Stop.json"))?.host).toBe("vscode");
  });

  it("recognises an editor that runs the hooks of Claude Code", () => {
    expect(parsePayload("claude-code", { sessionId: "s", hookEventName: "Stop" })?.host).toBe("vscode");
    expect(parsePayload("claude-code", { conversation_id: "c", session_id: "c", hook_event_name: "stop" })?.host).toBe("cursor");
    expect(parsePayload("claude-code", recorded("codex", "Stop.json"))?.host).toBe("claude-code");
  });

  it("drops members of a wrong type", () => {
    const json = {
      session_id: "s",
      cwd: 1,
      transcript_path: {},
      prompt: ["x"],
      stop_hook_active: "yes",
      messages: {},
      hook_event_name: null,
    };
    expect(parsePayload(undefined, json)).toEqual({ host: "claude-code", sessionId: "s" });
  });

  it("returns nothing without a session id", () => {
    for (const json of [undefined, null, "x", 1, [], {}, { session_id: 5 }, { session_id: "" }])
      expect(parsePayload("codex", json)).toBeUndefined();
  });

  it("cuts a prompt at a million characters, not within one", () => {
    const prompt = `${"x".repeat(1024 * 1024 - 1)}😀`;
    expect(parsePayload(undefined, { session_id: "s", prompt })?.prompt).toBe("x".repeat(1024 * 1024 - 1));
  });

  it("never throws", () => {
    const names = [
      "session_id",
      "conversation_id",
      "workspace_roots",
      "hook_event_name",
      "transcript_path",
      "prompt",
      "agent_type",
      "messages",
    ];
    const payload = fc.dictionary(fc.constantFrom(...names, "__proto__", "constructor"), fc.jsonValue());
    fc.assert(
      fc.property(fc.option(fc.constantFrom(...HOOK_HOSTS), { nil: undefined }), fc.oneof(payload, fc.jsonValue()), (host, json) => {
        expect(() => parsePayload(host, json)).not.toThrow();
      }),
    );
  });
});
