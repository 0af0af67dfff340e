import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findTranscripts, type FindTranscriptsOptions } from "./find-transcripts.ts";
import type { TranscriptHost } from "./host-transcript.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "workrail-home-"));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

/** Writes a file that was changed so many minutes after a fixed time. */
function put(name: string, minute: number, text = "{}\n"): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, at(minute), at(minute));
  return file;
}

function at(minute: number): Date {
  return new Date(Date.UTC(2026, 10, 24, 12, minute));
}

async function names(host: TranscriptHost, options: Partial<FindTranscriptsOptions> = {}): Promise<readonly string[]> {
  const found = await findTranscripts(host, { home, env: {}, ...options });
  return found.map(({ file }) => path.relative(home, file).split(path.sep).join("/"));
}

function rollout(cwd: string): string {
  return `${JSON.stringify({ timestamp: "2026-11-24T12:00:00Z", type: "session_meta", payload: { id: "s", cwd } })}\n`;
}

describe("findTranscripts", () => {
  it("finds nothing where a host was never used", async () => {
    for (const host of ["claude-code", "codex", "gemini", "opencode"] as const) expect(await names(host)).toEqual([]);
  });

  it("reports the size and the time of a transcript", async () => {
    const file = put(".claude/projects/-p/a.jsonl", 3);
    expect(await findTranscripts("claude-code", { home, env: {} })).toEqual([
      { host: "claude-code", file, sizeBytes: 3, modifiedAt: at(3) },
    ]);
  });

  it("finds those of Claude Code, newest first, without sub-agents", async () => {
    put(".claude/projects/-home-user-my-proj/a.jsonl", 1);
    put(".claude/projects/-home-user-my-proj/b.jsonl", 3);
    put(".claude/projects/-home-user-my-proj/agent-1.jsonl", 4);
    put(".claude/projects/-home-user-my-proj/b/subagents/agent-2.jsonl", 4);
    const near = put(".claude/projects/-home-user-other/c.jsonl", 2);
    const [a, b, c] = ["-home-user-my-proj/a", "-home-user-my-proj/b", "-home-user-other/c"].map(
      (name) => `.claude/projects/${name}.jsonl`,
    );
    expect(await names("claude-code")).toEqual([b, c, a]);
    expect(await names("claude-code", { project: "/home/user/my.proj" })).toEqual([b, a]);
    expect(await names("claude-code", { near })).toEqual([c]);
    expect(await names("claude-code", { since: at(2) })).toEqual([b, c]);
    expect(await names("claude-code", { limit: 1 })).toEqual([b]);
  });

  it("finds the folder of a project whose name is too long for Claude Code", async () => {
    const project = `/home/${"x".repeat(300)}`;
    put(`.claude/projects/${project.replaceAll("/", "-").slice(0, 200)}-1a2b3c/a.jsonl`, 1);
    expect(await names("claude-code", { project })).toHaveLength(1);
  });

  it("reads a host's files from the folder that the environment names", async () => {
    put("elsewhere/projects/-p/a.jsonl", 1);
    put("codex/sessions/2026/11/24/rollout-a.jsonl", 1);
    put("gemini/.gemini/tmp/p/chats/session-a.jsonl", 1);
    expect(await names("claude-code", { env: { CLAUDE_CONFIG_DIR: path.join(home, "elsewhere") } })).toHaveLength(1);
    expect(await names("codex", { env: { CODEX_HOME: path.join(home, "codex") } })).toHaveLength(1);
    expect(await names("gemini", { env: { GEMINI_CLI_HOME: path.join(home, "gemini") } })).toHaveLength(1);
  });

  it("finds those of Codex by day, and by the directory that they name", async () => {
    put(".codex/sessions/2026/11/24/rollout-a.jsonl", 1, rollout("/home/user/proj"));
    put(".codex/sessions/2026/11/01/rollout-b.jsonl", 2, rollout("/home/user/other"));
    put(".codex/sessions/2026/11/02/rollout-c.jsonl", 3, rollout("/home/user/proj"));
    put(".codex/sessions/2026/01/02/rollout-d.jsonl", 4, rollout("/home/user/proj"));
    const [a, b, c, d] = ["11/24/rollout-a", "11/01/rollout-b", "11/02/rollout-c", "01/02/rollout-d"].map(
      (name) => `.codex/sessions/2026/${name}.jsonl`,
    );
    expect(await names("codex")).toEqual([d, c, b, a]);
    expect(await names("codex", { since: at(1) })).toEqual([c, b, a]);
    expect(await names("codex", { project: "/home/user/proj", since: at(0) })).toEqual([c, a]);
    expect(await names("codex", { project: "/home/user/proj", limit: 1 })).toEqual([d]);
  });

  it("finds those of Gemini CLI by the name or the root of a project", async () => {
    put(".gemini/tmp/proj/chats/session-a.jsonl", 1);
    put(".gemini/tmp/proj/chats/abc/sub.jsonl", 5);
    put(".gemini/tmp/0f/chats/session-b.json", 2);
    put(".gemini/tmp/0f/.project_root", 0, "/home/user/old\n");
    put(".gemini/projects.json", 0, JSON.stringify({ projects: { "/home/user/proj": "proj" } }));
    expect(await names("gemini")).toEqual([".gemini/tmp/0f/chats/session-b.json", ".gemini/tmp/proj/chats/session-a.jsonl"]);
    expect(await names("gemini", { project: "/home/user/proj" })).toEqual([".gemini/tmp/proj/chats/session-a.jsonl"]);
    expect(await names("gemini", { project: "/home/user/old" })).toEqual([".gemini/tmp/0f/chats/session-b.json"]);
  });

  it.skipIf(process.platform === "win32")("leaves out a transcript that is a link to itself, beside others", async () => {
    put(".claude/projects/-p/a.jsonl", 1);
    put(".codex/sessions/2026/11/24/rollout-a.jsonl", 1, rollout("/p"));
    put(".gemini/tmp/p/chats/session-a.jsonl", 1);
    put(".gemini/projects.json", 0, JSON.stringify({ projects: { "/p": "p" } }));
    const loops = [
      ".claude/projects/-p/loop.jsonl",
      ".codex/sessions/2026/11/24/rollout-loop.jsonl",
      ".gemini/tmp/p/chats/session-loop.jsonl",
    ];
    for (const name of [...loops, ".gemini/tmp/loop", ".codex/sessions/loop"]) symlinkSync(path.join(home, name), path.join(home, name));
    expect(await names("claude-code", { project: "/p" })).toEqual([".claude/projects/-p/a.jsonl"]);
    expect(await names("codex", { project: "/p" })).toEqual([".codex/sessions/2026/11/24/rollout-a.jsonl"]);
    for (const project of ["/p", undefined]) expect(await names("gemini", { project })).toEqual([".gemini/tmp/p/chats/session-a.jsonl"]);
  });
});
