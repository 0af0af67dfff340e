import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryDB, InMemoryMemory, MastraCompositeStore, type MemoryStorage } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it, onTestFinished } from "vitest";
import { WorkrailMemory } from "./workrail-memory.ts";

type Message = Parameters<MemoryStorage["saveMessages"]>[0]["messages"][number];

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));

function thread(id: string, resourceId = "anna", metadata: Record<string, unknown> = {}): Parameters<MemoryStorage["saveThread"]>[0] {
  return { thread: { id, resourceId, title: `About ${id}`, createdAt: at(0), updatedAt: at(0), metadata } };
}

function message(id: string, threadId: string, minute: number): Message {
  const text = `This is ${id}.`;
  const content = { format: 2 as const, parts: [{ type: "text" as const, text }], content: text, metadata: { minute } };
  return { id, threadId, resourceId: "anna", role: minute % 2 === 0 ? "user" : "assistant", createdAt: at(minute), content };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "workrail-mastra-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
  return made;
}

async function open(dataDir: string): Promise<Workrail> {
  const store = await openWorkrail({ dataDir, env: {}, project: dataDir });
  onTestFinished(() => store.close());
  return store;
}

/** Calls all methods of a memory, and returns the answers. */
async function use(open: () => Promise<MemoryStorage>): Promise<unknown[]> {
  const memory = await open();
  for (const given of [thread("a"), thread("b", "anna", { topic: "rain" }), thread("c", "ben")]) await memory.saveThread(given);
  await memory.saveMessages({ messages: [0, 1, 2, 3, 4].map((minute) => message(`a${minute}`, "a", minute)) });
  await memory.saveMessages({ messages: [5, 6].map((minute) => message(`b${minute}`, "b", minute)) });
  await memory.updateMessages({ messages: [{ id: "a1", content: { format: 2, parts: [], metadata: { isStarred: true } } }] });
  await memory.deleteMessages(["a0"]);
  await memory.updateThread({ id: "b", metadata: { mood: "good" } });
  await memory.saveResource({ resource: { id: "anna", workingMemory: "Likes rain.", createdAt: at(0), updatedAt: at(0) } });
  await memory.updateResource({ resourceId: "anna", metadata: { city: "Rome" } });
  await memory.copyThread({ sourceThreadId: "a", newThreadId: "copy", options: { messageLimit: 2 } });
  await memory.deleteThread({ threadId: "c" });
  const again = await open();
  return [
    await again.getThreadById({ threadId: "a" }),
    await again.getThreadById({ threadId: "b", resourceId: "ben" }),
    await again.getThreadById({ threadId: "c" }),
    await again.listMessages({ threadId: "a" }),
    await again.listMessages({ threadId: ["a", "b"], perPage: 2, page: 1, orderBy: { field: "createdAt", direction: "DESC" } }),
    await again.listMessages({ threadId: "b", include: [{ id: "a2", threadId: "a", withPreviousMessages: 1 }], perPage: 0 }),
    await again.listMessages({ threadId: "a", filter: { dateRange: { start: at(3) } } }),
    await again.listMessagesByResourceId({ resourceId: "anna", perPage: 3 }),
    await again.listMessagesById({ messageIds: ["b6", "nobody"] }),
    await again.listThreads({ filter: { resourceId: "anna", metadata: { topic: "rain" } } }),
    await again.listThreads({ perPage: 1, orderBy: { field: "createdAt", direction: "ASC" } }),
    (await again.listMessages({ threadId: "copy" })).messages.map(({ content }) => content),
    await again.getResourceById({ resourceId: "anna" }),
  ];
}

describe("WorkrailMemory", () => {
  it("answers in another process as Mastra's own memory does in one", async () => {
    const dataDir = folder();
    const db = new InMemoryDB();
    const expected = await use(() => Promise.resolve(new InMemoryMemory({ db })));
    const answers = await use(async () => new WorkrailMemory(await open(dataDir)));
    expect(timeless(answers)).toEqual(timeless(expected));
    expect(JSON.stringify(expected)).toContain("This is a2.");
  });

  it("keeps messages that are saved before their thread, or moved to one that does not exist", async () => {
    const store = await open(folder());
    const memory = new WorkrailMemory(store);
    await memory.saveMessages({ messages: [message("a0", "a", 0), message("a1", "a", 1)] });
    await memory.updateMessages({ messages: [{ id: "a1", threadId: "b" }] });
    const again = new WorkrailMemory(store);
    const listed = await again.listMessages({ threadId: ["a", "b"] });
    expect(listed.messages.map(({ id, threadId }) => [id, threadId])).toEqual([
      ["a0", "a"],
      ["a1", "b"],
    ]);
    expect(await again.getThreadById({ threadId: "a" })).toBeNull();
    await again.saveThread(thread("a"));
    expect((await again.listMessages({ threadId: "a" })).total).toBe(1);
  });

  it("keeps the messages of two processes in one thread", async () => {
    const store = await open(folder());
    const [first, second] = [new WorkrailMemory(store), new WorkrailMemory(store)];
    await first.saveThread(thread("a"));
    await Promise.all(
      [0, 1, 2, 3].map((minute) => (minute % 2 === 0 ? first : second).saveMessages({ messages: [message(`a${minute}`, "a", minute)] })),
    );
    const { messages } = await second.listMessages({ threadId: "a" });
    expect(messages.map(({ id }) => id)).toEqual(["a0", "a1", "a2", "a3"]);
  });

  it("erases all", async () => {
    const store = await open(folder());
    const memory = new WorkrailMemory(store);
    await memory.saveThread(thread("a"));
    await memory.updateResource({ resourceId: "anna", workingMemory: "Likes rain." });
    await memory.dangerouslyClearAll();
    expect(await memory.getThreadById({ threadId: "a" })).toBeNull();
    expect(await memory.getResourceById({ resourceId: "anna" })).toBeNull();
    expect((await store.listSessions({ project: null })).total).toBe(0);
  });

  it("has an agent of Mastra remember in another process, and hands its thread over", async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    await ask(first, "My name is Anna. Never write to ben@example.com.", "Hello, Anna.");
    await first.close();
    const store = await open(dataDir);
    expect(await ask(store, "What is my name?", "You are Anna.")).toContain("My name is Anna.");
    const { markdown } = await store.handoff({ sessionId: "mastra thread talk", budgetTokens: 500 });
    expect(markdown).toContain("Never write to ben@example.com.");
  });
});

/** Asks an agent with a scripted model. Returns the prompt that the model got. */
async function ask(store: Workrail, question: string, answer: string): Promise<string> {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: "text", text: answer }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    }),
  });
  const storage = new MastraCompositeStore({ id: "workrail", domains: { memory: new WorkrailMemory(store) } });
  const memory = new Memory({ storage, options: { lastMessages: 10 } });
  // Mastra's types belong to an older version of the AI SDK's provider package.
  const given = model as unknown as ConstructorParameters<typeof Agent>[0]["model"];
  const agent = new Agent({ id: "agent", name: "agent", instructions: "Answer.", model: given, memory });
  const mastra = new Mastra({ agents: { agent }, storage, logger: false });
  const { text } = await mastra.getAgent("agent").generate(question, { memory: { thread: "talk", resource: "anna" } });
  expect(text).toBe(answer);
  return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt ?? model.doStreamCalls.at(-1)?.prompt);
}

/** Without times that an operation takes from the clock, and ids that it draws. */
function timeless(answers: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answers)
      .replaceAll(/"(?:updatedAt|clonedAt)":"[^"]*"/gu, '"time":0')
      .replaceAll(/"createdAt":"(?!2026-01-01)[^"]*"/gu, '"time":0')
      .replaceAll(/"[\da-f]{8}-[\da-f-]{27}"/gu, '"an id"'),
  );
}
