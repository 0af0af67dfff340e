import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { NO_NOTES } from "@workrail/views/work-notes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HookRun, logRun, noteFailure } from "./hook-log.ts";
import { folderOfProject, hookPlaces, stateFile } from "./hook-places.ts";
import { type HookState, NO_CONVERSATION, writeState } from "./hook-state.ts";
import { statusLine } from "./status-line.ts";

const NOW = new Date("2026-01-02T10:00:00Z");
const SESSION = "7b1d1f6c";
const INPUT = JSON.stringify({ session_id: SESSION, cwd: "/anywhere", model: { id: "a-model" } });
let root: string;
let dataDir: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-line-"));
  dataDir = path.join(root, "data");
  fs.mkdirSync(path.join(root, ".git"));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const at = (minutesAgo: number): string => new Date(NOW.getTime() - minutesAgo * 60_000).toISOString();
const shown = (input = INPUT, env: Record<string, string> = {}): Promise<string> =>
  statusLine(input, { env: { WORKRAIL_DATA_DIR: dataDir, ...env }, now: () => NOW, cwd: root });

function ran(event: string, minutesAgo: number, more: Partial<HookRun> = {}): void {
  logRun(hookPlaces(dataDir), { at: at(minutesAgo), host: "claude-code", event, ms: 20, sessionId: `claude-code-${SESSION}`, ...more });
}

function known(minutesAgo: number, more: Partial<HookState> = {}): void {
  const sessionId = `claude-code-${more.hostSession ?? SESSION}`;
  const state: HookState = {
    version: 1,
    host: "claude-code",
    hostSession: SESSION,
    sessionId,
    notes: NO_NOTES,
    turns: 0,
    conversation: NO_CONVERSATION,
    saved: { digest: "d", at: at(minutesAgo), checkpointId: "c" },
    ...more,
  };
  writeState(stateFile(hookPlaces(dataDir), folderOfProject(hookPlaces(dataDir), root, undefined), sessionId), state);
}

describe("the status line", () => {
  it("reports that nothing was saved, and writes nothing", async () => {
    expect(await shown()).toBe("workrail: nothing saved yet");
    expect(fs.existsSync(dataDir)).toBe(false);
  });

  it("shows the age of the last save of the host's session, and the number of saves", async () => {
    known(3);
    known(1, { hostSession: "another" });
    ran("stop", 8, { saved: "b" });
    expect(await shown()).toBe("workrail: saved 3 min ago · 1 save");
    ran("stop", 3, { saved: "c" });
    ran("stop", 1, { saved: "x", sessionId: "claude-code-another" });
    expect(await shown()).toBe("workrail: saved 3 min ago · 2 saves");
  });

  it.each([
    [0, "just now"],
    [59, "59 min ago"],
    [120, "2 h ago"],
    [72 * 60, "3 d ago"],
  ])("shows %i minutes as: %s", async (minutes, words) => {
    known(minutes);
    expect(await shown()).toBe(`workrail: saved ${words}`);
  });

  it("shows a failure until everything was saved after it", async () => {
    known(10);
    ran("stop", 5, { error: "STORAGE_QUOTA_EXCEEDED: Too many automatic saves wait for the store." });
    expect(await shown()).toBe("workrail: last save failed (STORAGE_QUOTA_EXCEEDED)");
    ran("stop", 4);
    expect(await shown()).toContain("failed");
    ran("pre-compact", 3);
    expect(await shown()).toBe("workrail: saved 10 min ago");
  });

  it("shows a failure from before the session was known, in one line", async () => {
    ran("stop", 5, { sessionId: undefined, error: `it took\nlonger \u001b[31m than ${"1000 ms ".repeat(9)}` });
    expect(await shown()).toBe("workrail: last save failed (it took longer [31m than 1000 ms 1000 ms)");
  });

  it("is silent about failures of other sessions and hosts", async () => {
    ran("stop", 5, { sessionId: "claude-code-another", error: "Error: x" });
    ran("stop", 5, { sessionId: undefined, host: "codex", error: "Error: x" });
    expect(await shown()).toBe("workrail: nothing saved yet");
  });

  it("shows a save that the store has refused since", async () => {
    known(10);
    noteFailure(hookPlaces(dataDir), { at: at(5), event: "take in", error: "TOO_LARGE: The context is too large." });
    expect(await shown()).toBe("workrail: last save failed (TOO_LARGE)");
  });

  it.each(["", "no JSON", "null"])("shows the newest session of the working directory's repository for the input %j", async (input) => {
    known(2, { hostSession: "newest" });
    known(1, { hostSession: "newest.agent", isSubagent: true });
    expect(await shown(input)).toBe("workrail: saved 2 min ago");
  });

  it("reports that saves are off", async () => {
    expect(await shown(INPUT, { WORKRAIL_HOOK_SAVE: "false" })).toBe("workrail: automatic saves are off (hookSave)");
    expect(await shown(INPUT, { WORKRAIL_READ_ONLY: "true" })).toBe("workrail: automatic saves are off (readOnly)");
  });
});
