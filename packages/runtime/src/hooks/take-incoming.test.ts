import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkrail, type Workrail } from "../index.ts";
import { readFailures } from "./hook-log.ts";
import { hookPlaces } from "./hook-places.ts";
import { type IncomingSave, newCheckpointId, waitingFiles, writeIncoming } from "./incoming-save.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
let data: string;
const stores: Workrail[] = [];

beforeEach(() => void (data = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-incoming-")), "data")));
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  fs.rmSync(path.dirname(data), { recursive: true, force: true });
});

async function open(more: object = {}): Promise<Workrail> {
  const store = await openWorkrail({ dataDir: data, env: {}, upkeep: false, ...more });
  stores.push(store);
  return store;
}

const places = () => hookPlaces(data);
const leave = (more: Partial<IncomingSave> = {}): Promise<string> =>
  writeIncoming(places().incoming, {
    format: "workrail-incoming",
    version: 1,
    checkpointId: newCheckpointId(),
    sessionId: "claude-code-1",
    createdAt: "2026-01-02T10:00:00.000Z",
    kind: "workflow",
    context: { goal: "fix the login" },
    tags: ["hook"],
    attributes: { host: "claude-code", savedBy: "stop" },
    agentId: "claude-code",
    ...more,
  });
const said = (from: number, ...texts: string[]): Partial<IncomingSave> => ({
  kind: "conversation",
  sessionId: "claude-code-1-conversation",
  context: { topic: "login", format: "messages" },
  messages: { from, items: texts.map((content) => ({ role: "user", content })) },
});
const conversationIn = async (store: Workrail): Promise<unknown[]> => {
  const { context } = await store.loadCheckpoint({ sessionId: "claude-code-1-conversation" });
  return (context as { conversation: { content: string }[] }).conversation.map(({ content }) => content);
};

describe("incoming saves of hooks", () => {
  it("are taken in and reported while the store is watched", async () => {
    const store = await open();
    const watch = store.watchChanges({ project: null })[Symbol.asyncIterator]();
    await watch.next();
    await leave({ context: { step: 1 } });
    expect((await watch.next()).value).toEqual({ sessions: [{ sessionId: "claude-code-1", change: "added" }] });
    expect((await store.loadCheckpoint({ sessionId: "claude-code-1" })).context).toEqual({ step: 1 });
  });

  it("are taken in, in order and with their times, when the store is opened", async () => {
    await leave({ context: { step: 1 } });
    await leave({ context: { step: 2 }, createdAt: "2026-01-02T11:00:00.000Z" });
    const store = await open();
    const { checkpoints } = await store.findCheckpoints({ sessionId: "claude-code-1" });
    expect(checkpoints.map(({ createdAt }) => createdAt)).toEqual(["2026-01-02T11:00:00.000Z", "2026-01-02T10:00:00.000Z"]);
    expect((await store.loadCheckpoint({ sessionId: "claude-code-1" })).context).toEqual({ step: 2 });
    expect(waitingFiles(places().incoming)).toEqual([]);
  });

  it("are taken in by an open store on request", async () => {
    const store = await open();
    await leave();
    expect(await store.takeIncoming()).toBe(1);
    expect(await store.takeIncoming()).toBe(0);
    expect((await store.findCheckpoints({ sessionId: "claude-code-1" })).checkpoints).toHaveLength(1);
  });

  it("are saved once, although the process ended before it removed the file, or another process takes them in at the same time", async () => {
    const file = await leave(said(0, "a", "b"));
    const copy = fs.readFileSync(file);
    const [first, second] = await Promise.all([open(), open()]);
    fs.writeFileSync(file, copy);
    await Promise.all([first.takeIncoming(), second.takeIncoming()]);
    expect((await first.findCheckpoints({ sessionId: "claude-code-1-conversation" })).checkpoints).toHaveLength(1);
    expect(await conversationIn(second)).toEqual(["a", "b"]);
    expect(waitingFiles(places().incoming)).toEqual([]);
  });

  it("form one conversation without repetitions when they overlap", async () => {
    await leave(said(0, "a", "b"));
    await leave(said(2, "c"));
    await leave(said(1, "b", "c", "d"));
    expect(await conversationIn(await open())).toEqual(["a", "b", "c", "d"]);
  });

  it("wait while the store is read-only or full", async () => {
    await (await open()).saveCheckpoint({ sessionId: "other", context: { a: 1 } });
    await leave();
    await open({ readOnly: true });
    await open({ limits: { maxTotalBytes: 1 } });
    expect(waitingFiles(places().incoming)).toHaveLength(1);
    const store = await open();
    expect((await store.findCheckpoints({ sessionId: "claude-code-1" })).checkpoints).toHaveLength(1);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ["not valid JSON", async () => fs.writeFileSync(await leave(), "{"), "INVALID_INPUT"],
    ["too large", () => leave({ context: { text: "x".repeat(2_000) } }), "TOO_LARGE"],
    ["without a session id", () => leave({ sessionId: "" }), "INVALID_INPUT"],
  ])("are refused and reported when one is %s, and the others are taken in", async (_name, make, code) => {
    await make();
    await leave({ sessionId: "claude-code-2" });
    const store = await open({ limits: { maxContextBytes: 1_000 } });
    expect(waitingFiles(places().incoming)).toEqual([]);
    expect(readFailures(places())).toMatchObject([{ event: "take in", error: expect.stringContaining(code) }]);
    // The save, and a file with the reason.
    expect(fs.readdirSync(places().refused)).toHaveLength(2);
    expect((await store.findCheckpoints({ sessionId: "claude-code-2" })).checkpoints).toHaveLength(1);
  });

  it("create a missing store even for a reading command", async () => {
    await leave();
    const store = await open({ create: false });
    expect((await store.findCheckpoints({ sessionId: "claude-code-1" })).checkpoints).toHaveLength(1);
  });

  it("thin out: after a day the last of each hour stays, after a week the last of each day, and the head", async () => {
    const now = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const at = (days: number, minutes: number): string => new Date(now - days * DAY_MS + minutes * 60_000).toISOString();
    const times = [at(12, 5), at(12, 500), at(3, 10), at(3, 20), at(3, 70), at(2, 5)];
    for (const [step, createdAt] of times.entries()) await leave({ createdAt, context: { step } });
    const store = await open();
    const { removed } = await store.cleanUp();
    expect(removed).toMatchObject([{ reason: "thinning", to: "trash" }]);
    const { checkpoints } = await store.findCheckpoints({ sessionId: "claude-code-1" });
    expect(checkpoints.map(({ createdAt }) => createdAt)).toEqual([at(2, 5), at(3, 70), at(3, 20), at(12, 500)]);
    expect((await store.cleanUp()).removed).toEqual([]);
  });
});
