import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HookRun, logRun } from "./hooks/hook-log.ts";
import { hookPlaces } from "./hooks/hook-places.ts";
import { newCheckpointId, writeIncoming } from "./hooks/incoming-save.ts";
import { openWorkrail } from "./open-workrail.ts";
import { readSavings, type Savings, type SavingsParams } from "./savings.ts";

const NOW = new Date("2026-03-31T12:00:00Z");
let root: string;
let dataDir: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-savings-"));
  dataDir = path.join(root, "data");
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

const at = (daysAgo: number): string => new Date(NOW.getTime() - daysAgo * 86_400_000).toISOString();
const project = (): string => path.join(root, "project");

function ran(daysAgo: number, more: Partial<HookRun> = {}): void {
  logRun(hookPlaces(dataDir), { at: at(daysAgo), host: "codex", event: "session-start", ms: 1, project: project(), ...more });
}

interface Incoming {
  readonly kind?: "workflow" | "conversation";
  readonly part?: string;
}

async function hookSaved(daysAgo: number, host: string, { kind = "workflow", part = "" }: Incoming = {}): Promise<void> {
  await writeIncoming(hookPlaces(dataDir).incoming, {
    format: "workrail-incoming",
    version: 1,
    kind,
    tags: ["hook"],
    attributes: { host, savedBy: "stop" },
    agentId: host,
    checkpointId: newCheckpointId(),
    sessionId: `${host}-${kind}${part}`,
    createdAt: at(daysAgo),
    context: { goal: `${daysAgo} days ago` },
    project: project(),
  });
}

async function savings(more: Partial<SavingsParams> = {}): Promise<Savings> {
  const clock = { now: () => NOW };
  await using store = await openWorkrail({ dataDir, env: {}, project: project(), adapters: { clock } });
  if (more.since === undefined) await store.saveCheckpoint({ sessionId: "own", context: { by: "an agent" } });
  return await readSavings(store, { dataDir, project: project(), now: NOW, ...more });
}

describe("readSavings", () => {
  it("sums up the packs of thirty days, and counts saves of hooks separately", async () => {
    ran(31, { packTokens: 1, transcriptTokens: 1 });
    ran(3, { packTokens: 300, transcriptTokens: 20_000 });
    ran(2, { packTokens: 200, transcriptTokens: 10_000, host: "gemini" });
    ran(1);
    await hookSaved(40, "codex");
    await hookSaved(5, "codex");
    await hookSaved(4, "codex");
    await hookSaved(4, "codex", { kind: "conversation" });
    expect(await savings()).toEqual({
      since: at(30),
      logSince: at(31),
      resumes: 2,
      packTokensEstimated: 500,
      transcriptTokensEstimated: 30_000,
      savesByHooks: 2,
      savesByOthers: 1,
      hosts: [
        { host: "codex", saves: 2, lastSaveAt: at(4), resumes: 1, packTokensEstimated: 300, transcriptTokensEstimated: 20_000 },
        { host: "gemini", saves: 0, resumes: 1, packTokensEstimated: 200, transcriptTokensEstimated: 10_000 },
      ],
    });
    expect(await savings({ since: at(60) })).toMatchObject({ resumes: 3, savesByHooks: 3 });
  });

  it("counts only the requested project or session", async () => {
    ran(1, { packTokens: 10, project: "/another", sessionId: "codex-other" });
    await hookSaved(1, "codex");
    expect(await savings()).toMatchObject({ resumes: 0, savesByHooks: 1, savesByOthers: 1 });
    expect(await savings({ project: undefined })).toMatchObject({ resumes: 1 });
    expect(await savings({ sessionId: "codex-workflow", since: at(9) })).toMatchObject({ resumes: 0, savesByHooks: 1, savesByOthers: 0 });
  });

  it("reads more checkpoints than one page holds", async () => {
    for (let count = 0; count < 120; count++) await hookSaved(1 + count / 1_000, "codex", { part: `-${count % 3}` });
    expect(await savings()).toMatchObject({ savesByHooks: 120, savesByOthers: 1 });
  });

  it("refuses an invalid time", async () => {
    await expect(savings({ since: "long ago" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
