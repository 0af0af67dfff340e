import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { transcriptFolder } from "./transcript-folder.ts";
import { transcriptsBelow } from "./transcripts-below.ts";

function folderWith(...files: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "workrail-below-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [index, file] of files.entries()) {
    const full = path.join(folder, ...file.split("/"));
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, "{}\n");
    utimesSync(full, 1_000 + index, 1_000 + index);
  }
  return folder;
}

it("finds the transcripts of all projects, newest first, and counts those of sub-agents", () => {
  const folder = folderWith("-a/1.jsonl", "-b/2.jsonl", "-b/2/subagents/agent-x.jsonl", "-b/agent-y.jsonl", "-b/notes.md");
  const { transcripts, subagents, unreadable } = transcriptsBelow("claude-code", folder);
  expect(transcripts.map(({ file }) => path.relative(folder, file))).toEqual([path.join("-b", "2.jsonl"), path.join("-a", "1.jsonl")]);
  expect({ subagents, unreadable }).toEqual({ subagents: 2, unreadable: [] });
});

it("knows the event names of each host", () => {
  const codex = folderWith("2026/01/02/rollout-1.jsonl", "2026/01/02/other.jsonl");
  expect(transcriptsBelow("codex", codex).transcripts).toHaveLength(1);
  const gemini = folderWith("shop/chats/session-1.jsonl", "shop/chats/session-2.json", "shop/chats/s/agent.jsonl", "shop/logs.json");
  expect(transcriptsBelow("gemini", gemini)).toMatchObject({ transcripts: [{}, {}], subagents: 1 });
});

it("contains nothing of a missing folder", () => {
  expect(transcriptsBelow("codex", path.join(tmpdir(), "workrail-none"))).toEqual({ transcripts: [], subagents: 0, unreadable: [] });
});

it("reads the folders of hosts from the environment", () => {
  const home = path.join("home", "me");
  expect(transcriptFolder("claude-code", { home, env: {} })).toBe(path.join(home, ".claude", "projects"));
  expect(transcriptFolder("codex", { home, env: { CODEX_HOME: "c" } })).toBe(path.join("c", "sessions"));
  expect(transcriptFolder("gemini", { home, env: {} })).toBe(path.join(home, ".gemini", "tmp"));
});
