import { mkdtempSync, writeFileSync, mkdirSync, copyFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { peekIfReadable, peekTranscript } from "./peek-transcript.ts";

const FIXTURES = path.join(import.meta.dirname, "../test/fixtures");
/** Root may read everything. */
const isRoot = process.getuid?.() === 0;

function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "workrail-peek-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("peekTranscript", () => {
  it("reports the session, the directory and the beginning of a Claude Code transcript", async () => {
    expect(await peekTranscript("claude-code", path.join(FIXTURES, "claude-code-2.1.330/rewind.jsonl"))).toEqual({
      sessionId: "01841006-b0db-4625-ad05-46ccd037a6cd",
      cwd: "/home/user/proj",
      branch: "master",
      startedAt: "2026-11-24T12:15:08.881Z",
    });
  });

  it("reports a sub-agent", async () => {
    const facts = await peekTranscript("claude-code", path.join(FIXTURES, "claude-code-2.1.330/agent-a027447141a3ab0cb.jsonl"));
    expect(facts).toMatchObject({ isSubagent: true, sessionId: "19d8349b-5684-43c2-a996-3ae86426df8b" });
  });

  it("reports the session, the directory and the sub-agent of a Codex rollout", async () => {
    expect(await peekTranscript("codex", path.join(FIXTURES, "codex-0.169.0/rollout-0.jsonl"))).toMatchObject({
      sessionId: "01a20d72-d989-72d0-8768-91cdb03a5fa0",
      cwd: "/home/user/proj",
    });
    const file = path.join(aFolder(), "rollout-x.jsonl");
    const meta = {
      id: "s",
      cwd: "/p",
      git: { branch: "main" },
      source: { subagent: { thread_spawn: {} } },
      instructions: "x".repeat(200_000),
    };
    writeFileSync(file, `${JSON.stringify({ timestamp: "2026-11-24T12:00:00Z", type: "session_meta", payload: meta })}\n`);
    expect(await peekTranscript("codex", file)).toMatchObject({ sessionId: "s", cwd: "/p", branch: "main", isSubagent: true });
  });

  it("reports the project of a Gemini CLI chat", async () => {
    const folder = aFolder();
    mkdirSync(path.join(folder, "chats"));
    writeFileSync(path.join(folder, ".project_root"), "/home/user/proj");
    copyFileSync(path.join(FIXTURES, "gemini-0.61.0/session-0.jsonl"), path.join(folder, "chats/session-0.jsonl"));
    expect(await peekTranscript("gemini", path.join(folder, "chats/session-0.jsonl"))).toMatchObject({
      sessionId: "fbf46bb8-bdf3-4f1d-992a-a396a23cb46a",
      cwd: "/home/user/proj",
    });
  });

  it("returns nothing for an empty or missing file", async () => {
    const file = path.join(aFolder(), "empty.jsonl");
    writeFileSync(file, "");
    expect(await peekTranscript("claude-code", file)).toEqual({});
    expect(await peekTranscript("claude-code", `${file}.none`)).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")("fails for a folder and for a link to itself, unless it may skip them", async () => {
    const folder = aFolder();
    const loop = path.join(folder, "loop.jsonl");
    symlinkSync(loop, loop);
    await expect(peekTranscript("claude-code", folder)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await peekIfReadable("claude-code", loop)).toBeUndefined();
    expect(await peekIfReadable("claude-code", folder)).toBeUndefined();
  });

  it.skipIf(isRoot || process.platform === "win32")("skips an unreadable file", async () => {
    const file = path.join(aFolder(), "closed.jsonl");
    writeFileSync(file, "{}\n", { mode: 0 });
    expect(await peekIfReadable("claude-code", file)).toBeUndefined();
  });
});
