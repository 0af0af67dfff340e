import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ZodError } from "zod";
import type { StorageUse } from "./storage.ts";
import { answerCall, type CallName, type DataApi, isCallName } from "./calls.ts";

let folder: string;
let store: Workrail;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "workrail-timeline-"));
  store = await openWorkrail({ dataDir: folder, project: "/shop", env: {} });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<Name extends CallName>(name: Name, params: Parameters<DataApi[Name]>[0]): Promise<Awaited<ReturnType<DataApi[Name]>>> {
  const ports = { store, project: "/shop", mayWrite: true, now: () => new Date() };
  return (await answerCall(ports, name, params)) as Awaited<ReturnType<DataApi[Name]>>;
}

async function save(id: string, context: object, more: object = {}): Promise<void> {
  await store.saveCheckpoint({ sessionId: "s", checkpointId: id, context, ...more });
}

describe("the calls of the timeline page", () => {
  it("tell a renamed key from a removed and an added one", async () => {
    await save("a", { goal: "ship", todo: ["x", "y"], old: 1 });
    await save("b", { goal: "ship", nextSteps: ["x", "y"], fresh: 2 });
    const { entries, unchanged } = await ask("changes", { fromId: "a", toId: "b" });
    expect(entries.map(({ key, formerKey, change }) => [key, formerKey, change])).toEqual([
      ["nextSteps", "todo", "renamed"],
      ["fresh", undefined, "added"],
      ["old", undefined, "removed"],
    ]);
    expect(unchanged).toBe(1);
  });

  it("send of long values only the part that differs", async () => {
    const long = "a line of a log\n".repeat(100_000);
    await save("a", { log: long });
    await save("b", { log: `${long.slice(0, 800_000)}THE DIFFERENCE${long.slice(800_000)}` });
    const [entry] = (await ask("changes", { fromId: "a", toId: "b" })).entries;
    expect(entry?.to?.text).toContain("THE DIFFERENCE");
    expect(entry?.to?.text?.length).toBeLessThan(21_000);
    expect(entry?.to).toMatchObject({ characters: 1_600_014, offset: 799_600 });
    expect(entry?.from?.value).toBeUndefined();
  });

  it("leave out values of a large answer, which are there on demand", async () => {
    const context = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`entry${index}`, `${index}`.repeat(50_000)]));
    await save("a", {});
    await save("b", context);
    const { entries } = await ask("changes", { fromId: "a", toId: "b" });
    expect(entries.filter(({ isLeft }) => isLeft === true).map(({ key }) => key)).toEqual(["entry6", "entry7", "entry8", "entry9"]);
    expect(entries[9]?.to).toEqual({ layer: "USEFUL", tokens: expect.any(Number), characters: 50_000 });
    expect((await ask("change", { fromId: "a", toId: "b", key: "entry9" }))?.to?.value).toBe("9".repeat(50_000));
  });

  it("page through a long value, and through the whole context", async () => {
    await save("a", { log: "0123456789".repeat(10_000) });
    expect(await ask("value", { checkpointId: "a", key: "log", offset: 99_995, limit: 100 })).toEqual({
      text: "56789",
      offset: 99_995,
      characters: 100_000,
    });
    const first = await ask("raw", { checkpointId: "a", limit: 30_000 });
    const rest = await ask("raw", { checkpointId: "a", offset: 30_000, limit: 50_000 });
    const last = await ask("raw", { checkpointId: "a", offset: 80_000, limit: 50_000 });
    expect(JSON.parse(first.text + rest.text + last.text)).toEqual({ log: "0123456789".repeat(10_000) });
  });

  it("say the layer of each entry and why, also for very long keys", async () => {
    const key = "k".repeat(300);
    await save("a", { goal: "ship", [key]: "x" });
    const { entries } = await ask("context", { checkpointId: "a" });
    expect(entries).toMatchObject([
      { key: "goal", layer: "CRITICAL", why: 'key word "goal"', isPinned: false, type: "text", text: "ship" },
      { key, layer: "USEFUL", tokens: expect.any(Number) },
    ]);
    expect(entries[1]?.why).toBeDefined();
  });

  it("count the tokens of checkpoints by layer, and none of a removed one", async () => {
    await save("a", { goal: "ship" });
    const [own, gone] = await ask("sizes", { ids: ["a", "gone"] });
    expect(own?.layers.CRITICAL).toEqual({ entries: 1, tokens: expect.any(Number) });
    expect(gone).toEqual({ id: "gone", layers: {} });
  });

  it("fork, so that an earlier state is the latest again and nothing is lost", async () => {
    await save("a", { goal: "ship" });
    await save("b", { goal: "ship", status: "broken" });
    const { checkpointId } = await ask("fork", { checkpointId: "a", name: " once more " });
    const { headId, rows } = await ask("timeline", { sessionId: "s" });
    expect(headId).toBe(checkpointId);
    expect(rows.map(({ id, parentId, name }) => [id, parentId, name])).toEqual([
      [checkpointId, "a", "once more"],
      ["b", "a", undefined],
      ["a", null, undefined],
    ]);
  });

  it("take an earlier state back off, so that the former latest is the latest again", async () => {
    await save("a", { goal: "ship" });
    await save("b", { goal: "ship", status: "broken" });
    const { checkpointId, sequence } = await ask("fork", { checkpointId: "a" });
    expect(sequence).toBe(3);
    expect(await ask("remove", { checkpointId })).toEqual({ removed: 1 });
    expect((await ask("timeline", { sessionId: "s" })).headId).toBe("b");
  });

  it("refuse to pin an entry that the latest state lacks", async () => {
    await save("a", { goal: "ship", plan: ["x"] });
    await save("b", { goal: "ship" });
    const refused = ask("pin", { sessionId: "s", key: "plan", isPinned: true });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining('no key "plan"') });
    expect((await ask("timeline", { sessionId: "s" })).session.pins).toEqual([]);
  });

  it("say how much of a shortened entry is in a resume, and resume without a budget", async () => {
    const log = Array.from({ length: 400 }, (_, line) => `line ${line} of what happened`).join("\n");
    await save("a", { goal: "ship", findings: log });
    const { shortened = [], whole } = await ask("resume", { checkpointId: "a", depth: "view", budgetTokens: 1_000 });
    expect(whole).toEqual(["goal"]);
    expect(shortened).toMatchObject([{ key: "findings", tokens: expect.any(Number), parts: { kept: expect.any(Number) } }]);
    expect(shortened[0]?.tokens).toBeGreaterThan(500);
    expect(shortened[0]?.tokens).toBeLessThan(1_000);
    expect((await ask("resume", { checkpointId: "a", depth: "full" })).whole).toEqual(["goal", "findings"]);
  });

  it("say where the searched words stand in each result", async () => {
    await save("a", { goal: "ship the export", plan: ["try"] }, { metadata: { name: "first try" } });
    const { hits } = await ask("search", { query: "export" });
    expect(hits).toMatchObject([
      {
        sessionId: "s",
        checkpoint: { id: "a" },
        snippet: "ship the export",
        place: { in: "entry", key: "goal", at: 9, words: ["export"] },
      },
    ]);
    expect(hits[0]?.place).not.toHaveProperty("text");
  });

  it("say how full the store is as its storage screen does", async () => {
    await save("a", { goal: "ship" });
    const { usedBytes, limitBytes } = await ask("storage", {});
    expect(usedBytes).toBeGreaterThan(0);
    expect(await ask("usage", {})).toEqual({ usedBytes, limitBytes });
  });

  it("list the sessions due next by their last use, and the due time of each entry of the trash", async () => {
    let now = new Date("2026-11-01T10:00:00.000Z");
    await using own = await openWorkrail({ dataDir: join(folder, "own"), env: {}, adapters: { clock: { now: () => now } } });
    await own.saveCheckpoint({ sessionId: "kept", context: { goal: "stay" } });
    await own.keepSession("kept");
    await own.saveCheckpoint({ sessionId: "single", context: { goal: "stay too" }, metadata: { tags: ["keep"] } });
    now = new Date("2026-11-02T10:00:00.000Z");
    const { checkpointId } = await own.saveCheckpoint({ sessionId: "old", context: { goal: "a" } });
    await own.saveCheckpoint({ sessionId: "old", context: { goal: "b" } });
    now = new Date("2026-11-03T10:00:00.000Z");
    await own.saveCheckpoint({ sessionId: "newer", context: { goal: "c" } });
    await own.cleanUp({ checkpointIds: [checkpointId] });
    const storage = async (retentionDays: number): Promise<StorageUse> => {
      const rules = { retentionDays, trashDays: 10, cleanUpFromPercent: 90 };
      return (await answerCall({ store: own, project: undefined, rules, mayWrite: false, now: () => now }, "storage", {})) as StorageUse;
    };
    const { nextUnused, trash } = await storage(30);
    expect(nextUnused.map(({ sessionId, dueAt }) => [sessionId, dueAt])).toEqual([
      ["old", "2026-12-02T10:00:00.000Z"],
      ["newer", "2026-12-03T10:00:00.000Z"],
    ]);
    expect(trash.map(({ sequence, dueAt }) => [sequence, dueAt])).toEqual([[1, "2026-11-13T10:00:00.000Z"]]);
    expect((await storage(0)).nextUnused).toEqual([]);
  });

  it("read conversations as text, calls and results", async () => {
    const messages = [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "hi" },
          { type: "tool_use", name: "Read", input: { file: "a" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", content: "z".repeat(9_000), is_error: true }] },
    ];
    await store.saveCheckpoint({
      sessionId: "s-conversation",
      checkpointId: "talk",
      kind: "conversation",
      context: { conversation: messages },
    });
    await save("a", { goal: "ship" });
    const { said, total, checkpointId } = await ask("conversation", { checkpointId: "a" });
    expect({ total, checkpointId }).toEqual({ total: 4, checkpointId: "talk" });
    expect(said).toMatchObject([
      { speaker: "user", kind: "text", text: "hello" },
      { speaker: "assistant", kind: "text", text: "hi" },
      { kind: "call", tool: "Read" },
      { kind: "result", hasFailed: true, characters: 9_000 },
    ]);
  });

  it("refuse wrong parameters, and names that are no calls", async () => {
    await expect(ask("sizes", { ids: Array.from({ length: 51 }, () => "a") })).rejects.toThrow(ZodError);
    await expect(ask("changes", { fromId: "a", toId: "b" })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    expect(["constructor", "__proto__", "toString", "Sessions"].filter(isCallName)).toEqual([]);
  });
});
