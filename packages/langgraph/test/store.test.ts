import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Annotation, END, START, StateGraph, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { type BaseStore, InMemoryStore, type Item } from "@langchain/langgraph-checkpoint";
import { WorkrailError } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkrailSaver, WorkrailStore } from "../src/index.ts";
import { freshFolder } from "./fresh-folder.ts";

const KINDS = {
  SQLite: () => openWorkrail({ dataDir: freshFolder(), env: {}, project: null }),
  memory: () => openWorkrail({ dataDir: freshFolder(), env: {}, project: null, adapters: { storage: () => openMemoryStorage() } }),
};

async function withStore(test: (store: WorkrailStore, workrail: Workrail) => Promise<void>): Promise<void> {
  await using workrail = await KINDS.memory();
  await test(new WorkrailStore(workrail), workrail);
}

const label = fc.constantFrom("a", "b", "c");
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const path = fc.array(fc.constantFrom("a", "b", "c", "*"), { minLength: 1, maxLength: 2 });
const key = fc.constantFrom("one", "two", "__proto__");
const field = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom("1", "x", true, null));
const value = fc.record({ n: field, more: fc.jsonValue({ maxDepth: 2, noUnicodeString: false }) }, { requiredKeys: [] });
const condition = fc.oneof(
  field,
  fc.constant({}),
  fc.dictionary(fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "other"), field, { minKeys: 1, maxKeys: 2 }),
  fc.record({ $in: fc.array(field) }),
  fc.record({ $nin: fc.array(field) }),
);
const put = fc.record({ kind: fc.constant("put" as const), namespace, key, value });
const operations = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: put },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), namespace, key }) },
    fc.record({ kind: fc.constant("get" as const), namespace, key }),
    fc.record({ kind: fc.constant("puts" as const), puts: fc.array(put, { maxLength: 4 }) }),
    fc.record({
      kind: fc.constant("search" as const),
      prefix: fc.array(label, { maxLength: 2 }),
      filter: fc.record({ n: condition }, { requiredKeys: [] }),
      limit: fc.integer({ min: 0, max: 4 }),
      offset: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record(
      {
        kind: fc.constant("namespaces" as const),
        prefix: path,
        suffix: path,
        maxDepth: fc.integer({ min: 1, max: 3 }),
        limit: fc.integer({ min: 0, max: 4 }),
        offset: fc.integer({ min: 0, max: 2 }),
      },
      { requiredKeys: ["kind"] },
    ),
  ),
  { minLength: 5, maxLength: 20 },
);

/** An item without its times, which differ between two stores. */
function timeless(item: Item | null): object | null {
  return item && { namespace: item.namespace, key: item.key, value: item.value };
}

function sorted(items: readonly Item[]): readonly (object | null)[] {
  const name = (item: Item): string => JSON.stringify([item.namespace, item.key]);
  return items.toSorted((one, other) => (name(one) < name(other) ? -1 : 1)).map(timeless);
}

/** `InMemoryStore` still lists namespaces whose last item was deleted: this copy has those with items. */
async function withItemsOnly(model: InMemoryStore): Promise<BaseStore> {
  const copy = new InMemoryStore();
  for (const item of await model.search([], { limit: 1_000 })) await copy.put(item.namespace, item.key, item.value);
  return copy;
}

type Drawn = typeof operations extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** Does the same with both stores, and returns their answers without times and order, where those may differ. */
async function answersTo(each: Drawn, store: WorkrailStore, model: InMemoryStore): Promise<readonly [unknown, unknown]> {
  switch (each.kind) {
    case "put":
      return Promise.all([store.put(each.namespace, each.key, each.value), model.put(each.namespace, each.key, each.value)]);
    case "puts":
      await Promise.all([store.batch(each.puts), model.batch(each.puts)]);
      return [undefined, undefined];
    case "delete":
      return Promise.all([store.delete(each.namespace, each.key), model.delete(each.namespace, each.key)]);
    case "get":
      return [timeless(await store.get(each.namespace, each.key)), timeless(await model.get(each.namespace, each.key))];
    case "namespaces":
      return [await store.listNamespaces(each), await (await withItemsOnly(model)).listNamespaces(each)];
    case "search": {
      const { prefix, filter, limit, offset } = each;
      const whole = await store.search(prefix, { filter, limit: 1_000 });
      const page = await store.search(prefix, { filter, limit, offset });
      const expected = await model.search(prefix, { filter, limit: 1_000 });
      return [
        { all: sorted(whole), page },
        { all: sorted(expected), page: whole.slice(offset, offset + limit) },
      ];
    }
  }
}

describe.each(Object.entries(KINDS))("the store of items on %s", (_, open) => {
  it("answers as LangGraph's store in memory does", async () => {
    await using workrail = await open();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(operations, async (all) => {
        const store = new WorkrailStore(workrail, { sessionId: `items-${runs++}` });
        const model = new InMemoryStore();
        for (const each of all) {
          const [own, expected] = await answersTo(each, store, model);
          expect(own).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  });
});

const SIZES = Array.from({ length: 15 }, (_, n) => ({
  n,
  text: String(n),
  day: `2026-01-0${n % 9}`,
  in: { n },
  ...(n % 2 === 0 ? { even: null } : {}),
}));

/** Calls that random ones hardly come upon. Lists are compared in the order of their keys. */
const EDGES: Readonly<Record<string, (store: BaseStore) => Promise<unknown>>> = {
  "an empty namespace": (store) => store.put([], "k", {}),
  "an empty label": (store) => store.put(["a", ""], "k", {}),
  "a label with a period": (store) => store.put(["a.b"], "k", {}),
  "a label that is no text": (store) => store.put(["a", 1 as never], "k", {}),
  "the reserved root": (store) => store.put(["langgraph"], "k", {}),
  "null as a value": (store) => store.put(["a"], "k", null as never),
  "the deletion of nothing": (store) => store.delete(["none"], "k"),
  "an item that is not there": (store) => store.get(["none"], "k"),
  "a search without a limit": async (store) => (await store.search(["m"])).length,
  "a limit of none": (store) => store.search(["m"], { limit: 0 }),
  "an offset beyond the end": (store) => store.search(["m"], { offset: 20 }),
  "dates by $gt": (store) => store.search(["m"], { filter: { day: { $gt: "2026-01-04" } }, limit: 99 }),
  "numbers in texts by $gt": (store) => store.search(["m"], { filter: { text: { $gt: 9 } }, limit: 99 }),
  "a range": (store) => store.search(["m"], { filter: { n: { $gt: 3, $lte: 6 } }, limit: 99 }),
  "two members": (store) => store.search(["m"], { filter: { n: { $in: [1, 2] }, text: "2" }, limit: 99 }),
  "an unknown operator": (store) => store.search(["m"], { filter: { n: { $regex: "x" } }, limit: 99 }),
  "an object as a value": (store) => store.search(["m"], { filter: { in: { n: 3 } }, limit: 99 }),
  "a path as a key": (store) => store.search(["m"], { filter: { "in.n": 3 }, limit: 99 }),
  "null, and no value": (store) => store.search(["m"], { filter: { even: null }, limit: 99 }),
  "$ne of a member that is not there": (store) => store.search(["m"], { filter: { none: { $ne: 3 } }, limit: 99 }),
  "undefined in a filter": (store) => store.search(["m"], { filter: { none: undefined }, limit: 99 }),
  "a batch of nothing": (store) => store.batch([]),
};

describe("at its edges, the store of items", () => {
  it.each(Object.entries(EDGES))("answers as LangGraph's store in memory does: %s", (_, call) =>
    withStore(async (store) => {
      const stores: readonly BaseStore[] = [store, new InMemoryStore()];
      for (const each of stores) await each.batch(SIZES.map((value, at) => ({ namespace: ["m"], key: `k${at}`, value })));
      const [own, expected] = await Promise.all(stores.map((each) => call(each).then(told, String)));
      expect(own).toEqual(expected);
    }),
  );
});

function told(answer: unknown): unknown {
  return Array.isArray(answer) ? sorted(answer as Item[]) : answer;
}

describe("the store of items", () => {
  it("gives back exact values, and keeps the time of the first put", () =>
    withStore(async (store) => {
      const exact = { bytes: Uint8Array.from([0, 255]), when: new Map([["a", new Set([1])]]), text: "ä\u{1f680}\u2028" };
      await store.put(["a"], "k", { n: 1 });
      const first = await store.get(["a"], "k");
      await store.put(["a"], "k", exact);
      const second = await store.get(["a"], "k");
      expect(second?.value).toEqual(exact);
      expect(second?.createdAt).toEqual(first?.createdAt);
      expect(second?.updatedAt.getTime()).toBeGreaterThanOrEqual(first?.updatedAt.getTime() ?? 0);
      await store.delete(["a"], "k");
      expect(await store.get(["a"], "k")).toBeNull();
    }));

  it("takes keys and namespaces of any length and depth", () =>
    withStore(async (store) => {
      const deep = Array.from({ length: 40 }, (_, index) => `label ${index} ${"x".repeat(50)}`);
      await store.put(deep, "k".repeat(5_000), { n: 1 });
      await store.put([...deep.slice(0, 39), "other"], "k", { n: 2 });
      expect((await store.get(deep, "k".repeat(5_000)))?.value).toEqual({ n: 1 });
      expect((await store.search(deep)).map(({ value: found }) => found)).toEqual([{ n: 1 }]);
      expect(await store.listNamespaces({ prefix: deep })).toEqual([deep]);
    }));

  it("finds items by words, the best first, and none by words that were replaced", () =>
    withStore(async (store) => {
      await store.put(["users", "ann"], "drink", { likes: "green tea in the morning" });
      await store.put(["users", "bob"], "drink", { likes: "green tea in the morning" });
      await store.put(["users", "bob"], "food", { likes: "apples" });
      await store.put(["users", "bob"], "secret", { likes: "tea leaves" }, false);
      const found = async (prefix: string[], query: string) =>
        (await store.search(prefix, { query })).map(({ namespace: [, user], key: name }) => `${user} ${name}`);
      expect(await found(["users", "ann"], "tea")).toEqual(["ann drink"]);
      expect(await found(["users", "bob"], "tea")).toEqual(["bob drink"]);
      const [best] = await store.search(["users"], { query: "apples" });
      expect(best?.key).toBe("food");
      expect(best?.score).toBeGreaterThan(0);
      await store.put(["users", "cy"], "breakfast", { likes: "rye bread" });
      await store.put(["users", "cy"], "snack", { likes: "rye bread" });
      await store.put(["users", "cy"], "supper", { likes: "rye bread" });
      expect((await found(["users", "cy"], "bread")).toSorted()).toEqual(["cy breakfast", "cy snack", "cy supper"]);
      await store.put(["users", "bob"], "drink", { likes: "coffee" });
      expect(await found(["users", "bob"], "tea")).toEqual([]);
      expect(await found(["users", "bob"], "coffee")).toEqual(["bob drink"]);
      expect(await found(["users", "bob"], " ")).toHaveLength(3);
    }));

  it("answers every read in a read-only store, and refuses changes", async () => {
    const dataDir = freshFolder();
    const options = { dataDir, env: {}, project: null };
    {
      await using workrail = await openWorkrail(options);
      const store = new WorkrailStore(workrail);
      for (const likes of ["coffee", "green tea"]) await store.put(["users"], "drink", { likes });
    }
    await using workrail = await openWorkrail({ ...options, readOnly: true });
    const store = new WorkrailStore(workrail);
    const item = { key: "drink", value: { likes: "green tea" } };
    expect(await store.get(["users"], "drink")).toMatchObject(item);
    expect(await store.search(["users"], { query: "tea" })).toMatchObject([item]);
    expect(await store.search(["users"])).toMatchObject([item]);
    expect(await store.listNamespaces()).toEqual([["users"]]);
    await expect(store.put(["users"], "drink", {})).rejects.toMatchObject({ code: "READ_ONLY" });
    await expect(store.delete(["users"], "drink")).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("puts and finds items on a node whose token may not erase", () =>
    withStore(async (_, workrail) => {
      // A node refuses `erase` without the scope admin like this.
      const erase = async (): Promise<never> => Promise.reject(new WorkrailError("READ_ONLY", "The token lacks the scope admin."));
      const store = new WorkrailStore(
        new Proxy(workrail, { get: (target, name) => (name === "erase" ? erase : Reflect.get(target, name)) }),
      );
      for (let at = 0; at < 20; at++) await store.put(["a"], "counter", { text: `tea ${at}` });
      expect(await store.search(["a"], { query: "tea" })).toMatchObject([{ key: "counter", value: { text: "tea 19" } }]);
      await expect(store.delete(["a"], "counter")).rejects.toMatchObject({ code: "READ_ONLY" });
    }));

  it("is one session, keeps few replaced versions, and leaves nothing of deleted items", () =>
    withStore(async (store, workrail) => {
      for (let at = 0; at < 40; at++) await store.put(["a"], "counter", { at });
      await store.put(["a"], "other", {});
      expect((await workrail.listSessions({ project: null })).sessions.map(({ id }) => id)).toEqual(["langgraph-store"]);
      expect((await workrail.findCheckpoints({ project: null })).total).toBeLessThan(20);
      expect((await store.get(["a"], "counter"))?.value).toEqual({ at: 39 });
      await store.delete(["a"], "counter");
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(1);
      expect(await workrail.listTrash()).toEqual([]);
      const saver = new WorkrailSaver(workrail);
      for await (const { config } of saver.list({})) expect(config).toBeUndefined();
    }));

  it("serves the nodes of a graph", () =>
    withStore(async (store, workrail) => {
      const State = Annotation.Root({ name: Annotation<string> });
      const graph = new StateGraph(State)
        .addNode("greet", async (_: typeof State.State, config: LangGraphRunnableConfig) => {
          const known = await config.store?.get(["users"], "name");
          await config.store?.put(["users"], "name", { name: "Ann" });
          return { name: (known?.value["name"] as string | undefined) ?? "stranger" };
        })
        .addEdge(START, "greet")
        .addEdge("greet", END)
        .compile({ checkpointer: new WorkrailSaver(workrail), store });
      const run = async (thread_id: string) => (await graph.invoke({ name: "" }, { configurable: { thread_id } })).name;
      expect([await run("first"), await run("second")]).toEqual(["stranger", "Ann"]);
    }));

  it("loses nothing when two processes write at once", async () => {
    const dataDir = freshFolder();
    await using workrail = await openWorkrail({ dataDir, env: {}, project: null });
    const writer = fileURLToPath(new URL("item-writer.ts", import.meta.url));
    const names = ["p0", "p1"];
    const ends = names.map(async (name) => {
      const args = ["--conditions=@workrail/source", writer, dataDir, name, "4"];
      return once(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }), "exit");
    });
    expect(await Promise.all(ends)).toEqual(names.map(() => [0, null]));
    const store = new WorkrailStore(workrail);
    const own = (await store.search(["own"], { limit: 100 })).map((item) => `${item.namespace[1]} ${item.key}`);
    expect(own.toSorted()).toEqual(names.flatMap((name) => [0, 1, 2, 3].map((at) => `${name} ${at}`)));
    expect((await store.get(["shared"], "contested"))?.value).toMatchObject({ at: 3 });
    expect(await store.get(["shared"], "gone")).toBeNull();
  });
});
