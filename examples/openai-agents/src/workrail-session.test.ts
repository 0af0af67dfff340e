import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentInputItem, run, setTracingDisabled, tool, user } from "@openai/agents";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { scriptedModel } from "./scripted-model.ts";
import { WorkrailSession } from "./workrail-session.ts";

const dataDir = mkdtempSync(join(tmpdir(), "workrail-openai-"));
let store: Workrail;
beforeAll(async () => {
  setTracingDisabled(true);
  store = await openWorkrail({ dataDir, env: {}, project: dataDir });
});
afterAll(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
});

const items: readonly AgentInputItem[] = [user("One."), user("Two."), user("Three.")];

describe("WorkrailSession", () => {
  it("returns items in order, the newest of them, and none of a new session", async () => {
    const session = new WorkrailSession(store, "order");
    expect(await session.getItems()).toEqual([]);
    await session.addItems(items.slice(0, 2));
    await session.addItems(items.slice(2));
    expect(await session.getItems()).toEqual(items);
    expect(await session.getItems(2)).toEqual(items.slice(1));
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.getSessionId()).toBe("order");
  });

  it("removes the newest item, and all", async () => {
    const session = new WorkrailSession(store, "removal");
    expect(await session.popItem()).toBeUndefined();
    await session.addItems([...items]);
    expect(await session.popItem()).toEqual(items[2]);
    expect(await session.getItems()).toEqual(items.slice(0, 2));
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    await session.addItems(items.slice(0, 1));
    expect(await session.getItems()).toEqual(items.slice(0, 1));
  });

  it("replaces a call, and drops repetitions of it", async () => {
    const session = new WorkrailSession(store, "rewrite");
    const call = { type: "function_call", callId: "a", name: "add", status: "completed", arguments: "{}" } as const;
    await session.addItems([call, user("One."), call]);
    const replacement = { ...call, arguments: '{"a":1}' };
    await session.applyHistoryMutations({ mutations: [{ type: "replace_function_call", callId: "a", replacement }] });
    expect(await session.getItems()).toEqual([replacement, user("One.")]);
  });

  it("changes nothing when no call matches, as in a new session", async () => {
    const session = new WorkrailSession(store, "no calls");
    const replacement = { type: "function_call", callId: "a", name: "add", status: "completed", arguments: "{}" } as const;
    const mutations = [{ type: "replace_function_call", callId: "a", replacement }] as const;
    await session.applyHistoryMutations({ mutations: [...mutations] });
    expect(await session.getItems()).toEqual([]);
    await session.addItems([user("One.")]);
    await session.applyHistoryMutations({ mutations: [...mutations] });
    expect(await session.getItems()).toEqual([user("One.")]);
  });

  it("gives two readers different items when both remove the newest", async () => {
    const [first, second] = [new WorkrailSession(store, "pops"), new WorkrailSession(store, "pops")];
    await first.addItems([...items]);
    const popped = await Promise.all([first.popItem(), second.popItem()]);
    const texts = popped.map((item) => JSON.stringify(item)).toSorted();
    expect(texts).toEqual(
      items
        .slice(1)
        .map((item) => JSON.stringify(item))
        .toSorted(),
    );
    expect(await first.getItems()).toEqual(items.slice(0, 1));
  });

  it("keeps the items of two writers, even equal ones", async () => {
    const [first, second] = [new WorkrailSession(store, "two"), new WorkrailSession(store, "two")];
    await Promise.all([...items.map((item) => first.addItems([item])), ...items.map((item) => second.addItems([item]))]);
    const texts = (await first.getItems()).map((item) => JSON.stringify(item)).toSorted();
    expect(texts).toEqual([...items, ...items].map((item) => JSON.stringify(item)).toSorted());
  });

  it("has a run know the runs before it", async () => {
    const add = tool({
      name: "add",
      description: "Adds.",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => String(a + b),
    });
    const seen: number[] = [];
    const model = scriptedModel(({ input }) => {
      seen.push(input.length);
      const last = typeof input === "string" ? undefined : input.at(-1);
      return last?.type === "function_call_result" ? "It is 42." : { tool: "add", input: { a: 19, b: 23 } };
    });
    const agent = new Agent({ name: "Adder", model, tools: [add] });
    const first = await run(agent, "What is 19 + 23?", { session: new WorkrailSession(store, "sum") });
    expect(first.finalOutput).toBe("It is 42.");
    await run(agent, "And again?", { session: new WorkrailSession(store, "sum") });
    expect(seen).toEqual([1, 3, 5, 7]);
    const saved = await new WorkrailSession(store, "sum").getItems();
    expect(saved.map((item) => item.type ?? "message")).toEqual([
      "message",
      "function_call",
      "function_call_result",
      "message",
      "message",
      "function_call",
      "function_call_result",
      "message",
    ]);
  });
});
