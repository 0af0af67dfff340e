import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type CheckpointTuple,
  emptyCheckpoint,
  JsonPlusSerializer,
  type PendingWrite,
  type SerializerProtocol,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import type { WorkrailError } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { WorkrailSaver, WorkrailStore } from "../src/index.ts";
import { freshFolder } from "./fresh-folder.ts";

const METADATA = { source: "loop", step: 0, parents: {} } as const;

async function withSaver(test: (saver: WorkrailSaver, store: Workrail) => Promise<void>, serde?: SerializerProtocol): Promise<void> {
  const storage = (): ReturnType<typeof openMemoryStorage> => openMemoryStorage();
  await using store = await openWorkrail({ dataDir: freshFolder(), env: {}, project: null, adapters: { storage } });
  await test(new WorkrailSaver(store, serde), store);
}

function place(threadId: string, namespace = "", id?: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, ...(id === undefined ? {} : { checkpoint_id: id }) } };
}

async function put(
  saver: WorkrailSaver,
  config: RunnableConfig,
  { values, id = uuid6(0) }: { readonly values: Record<string, unknown>; readonly id?: string },
): Promise<RunnableConfig> {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
  return saver.put(config, { ...emptyCheckpoint(), id, channel_values: values, channel_versions: versions }, METADATA, versions);
}

async function all(found: AsyncIterable<CheckpointTuple>): Promise<readonly CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of found) tuples.push(tuple);
  return tuples;
}

describe("the saver", () => {
  it("gives back any bytes, in values and in writes", () =>
    withSaver(async (saver) => {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 31) % 256);
      const value = { bytes, when: new Map([["a", new Set([1, 2])]]), text: "ä\u{1f680}\u2028", nothing: undefined };
      const config = await put(saver, place("t"), { values: { value } });
      await saver.putWrites(
        config,
        [
          ["out", bytes],
          ["more", { bytes }],
          ["empty", new Uint8Array()],
        ],
        "task",
      );
      const tuple = await saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ value });
      expect(tuple?.pendingWrites).toEqual([
        ["task", "out", bytes],
        ["task", "more", { bytes }],
        ["task", "empty", new Uint8Array()],
      ]);
      expect(tuple?.pendingWrites?.[0]?.[2]).toBeInstanceOf(Uint8Array);
    }));

  it("keeps what another serialiser writes", () => {
    const rot = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x5a);
    const serde: SerializerProtocol = {
      dumpsTyped: async (data) => ["rot", rot(new TextEncoder().encode(JSON.stringify(data)))],
      loadsTyped: async (type, data) => (type === "rot" ? JSON.parse(new TextDecoder().decode(rot(data as Uint8Array))) : undefined),
    };
    return withSaver(async (saver) => {
      const config = await put(saver, place("t"), { values: { text: "hidden" } });
      await saver.putWrites(config, [["out", { n: 1 }]], "task");
      const tuple = await saver.getTuple(place("t"));
      expect(tuple?.checkpoint.channel_values).toEqual({ text: "hidden" });
      expect(tuple?.pendingWrites).toEqual([["task", "out", { n: 1 }]]);
    }, serde);
  });

  it.each([
    ["with spaces", (json: string) => ` ${json}\n`],
    ["with a number that JavaScript rounds", (json: string) => `{"n":12345678901234567890,"json":${json}}`],
    ["of a list", (json: string) => `[${json}]`],
    ["with a type", (json: string) => `{"type":"json","json":${json}}`],
    ["that is encrypted", (json: string) => Buffer.from(json).toString("base64")],
    ["behind a byte order mark", (json: string) => `\u00ef\u00bb\u00bf${json}`],
    ["in another encoding than UTF-8", (json: string) => `{"name":"J\u00fcrgen","json":${json}}`],
  ])("gives back the bytes of JSON %s", (_, write) => {
    const [written, read]: [string[], string[]] = [[], []];
    const serde: SerializerProtocol = {
      async dumpsTyped(data) {
        const text = write(JSON.stringify(data));
        written.push(text);
        return ["json", new Uint8Array(Buffer.from(text, "latin1"))];
      },
      async loadsTyped(_type, data) {
        read.push(Buffer.from(data as Uint8Array).toString("latin1"));
        return { checkpoint: emptyCheckpoint() };
      },
    };
    return withSaver(async (saver) => {
      await saver.putWrites(await put(saver, place("t"), { values: {} }), [["out", 7]], "task");
      await saver.getTuple(place("t"));
      expect(read).toHaveLength(2);
      expect(written).toEqual(expect.arrayContaining(read));
    }, serde);
  });

  it.each([
    ["by default", undefined],
    ["when it is given", new JsonPlusSerializer()],
  ])("refuses values that LangGraph's serialiser would replace by a text, %s", (_, serde) =>
    withSaver(async (saver, store) => {
      const config = await put(saver, place("t"), { values: {} });
      const refusal = { code: "INVALID_INPUT" };
      await expect(put(saver, config, { values: { price: { cents: 5n } } })).rejects.toMatchObject(refusal);
      await expect(saver.putWrites(config, [["price", new Set([5n])]], "task")).rejects.toMatchObject(refusal);
      await expect(new WorkrailStore(store).put(["a"], "price", { cents: 5n })).rejects.toMatchObject(refusal);
      expect(await saver.getTuple(place("t"))).toMatchObject({ config, pendingWrites: [] });
    }, serde),
  );

  it("lists by metadata that another serialiser hides", () => {
    const serde: SerializerProtocol = {
      dumpsTyped: async (data) => ["text", new TextEncoder().encode(JSON.stringify(data))],
      loadsTyped: async (_type, data) => JSON.parse(new TextDecoder().decode(data as Uint8Array)),
    };
    return withSaver(async (saver) => {
      for (let step = 0; step < 25; step++) {
        await saver.put(
          place("t"),
          { ...emptyCheckpoint(), id: `id ${String(step).padStart(2, "0")}` },
          { ...METADATA, step: step % 3 },
          {},
        );
      }
      const ids = async (filter: object, limit?: number) =>
        (await all(saver.list(place("t"), { filter, ...(limit === undefined ? {} : { limit }) }))).map(({ checkpoint }) => checkpoint.id);
      expect(await ids({ step: 0 })).toHaveLength(9);
      expect(await ids({ source: "loop", step: 2 }, 2)).toEqual(["id 23", "id 20"]);
      expect(await ids({ step: 0 }, 0)).toEqual([]);
      expect(await ids({ step: 5 })).toEqual([]);
      expect(await ids({ step: undefined })).toHaveLength(25);
    }, serde);
  });

  it.each(["user:42", " ", "a\nb", "x".repeat(500), "e\u0301", "../up", "__proto__"])("takes %j as the id of a thread", (threadId) =>
    withSaver(async (saver) => {
      await put(saver, place(threadId), { values: { n: 1 }, id: "1" });
      await put(saver, place("other"), { values: { n: 2 }, id: "1" });
      expect((await saver.getTuple(place(threadId)))?.checkpoint.channel_values).toEqual({ n: 1 });
      expect((await all(saver.list(place(threadId)))).map(({ config }) => config)).toEqual([place(threadId, "", "1")]);
      await saver.deleteThread(threadId);
      expect(await saver.getTuple(place(threadId))).toBeUndefined();
      expect((await saver.getTuple(place("other")))?.checkpoint.channel_values).toEqual({ n: 2 });
    }),
  );

  it.each(["step\0", "step\ud800", "x".repeat(500)])("takes %j as a namespace and as a key of metadata", (text) =>
    withSaver(async (saver) => {
      const checkpoint = { ...emptyCheckpoint(), id: "1" };
      await saver.put(place("t", text), checkpoint, { ...METADATA, [text]: text }, {});
      await saver.put(place("t", "other"), { ...checkpoint, id: "2" }, { ...METADATA, [text]: "other" }, {});
      const ids = async (config: RunnableConfig, filter: object) =>
        (await all(saver.list(config, { filter }))).map((tuple) => tuple.checkpoint.id);
      expect(await ids(place("t", text), {})).toEqual(["1"]);
      expect(await ids({ configurable: { thread_id: "t" } }, { [text]: text })).toEqual(["1"]);
      expect((await saver.getTuple(place("t", text)))?.metadata).toMatchObject({ [text]: text });
    }),
  );

  it("reads a number as the id of a thread as its text", () =>
    withSaver(async (saver) => {
      await put(saver, place("t"), { values: {}, id: "1" });
      const number = { configurable: { thread_id: 42 } };
      await put(saver, number, { values: {}, id: "2" });
      expect(await saver.getTuple(place("42"))).toMatchObject({ checkpoint: { id: "2" } });
      expect(await all(saver.list(number))).toMatchObject([{ checkpoint: { id: "2" } }]);
    }));

  it("refuses an id that is neither text nor number, rather than list other threads", () =>
    withSaver(async (saver) => {
      await put(saver, place("t"), { values: {}, id: "1" });
      const object = { configurable: { thread_id: {} } };
      const calls = [
        async () => all(saver.list(object)),
        async () => saver.getTuple(object),
        async () => put(saver, object, { values: {} }),
        async () => all(saver.list(place("t"), { before: { configurable: { checkpoint_id: true } } })),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }));

  it("takes an empty id of a checkpoint for none", () =>
    withSaver(async (saver) => {
      const config = await put(saver, place("t", "", ""), { values: {}, id: "1" });
      const tuple = await saver.getTuple(place("t", "", ""));
      expect(tuple).toMatchObject({ config });
      expect(tuple?.parentConfig).toBeUndefined();
      expect(await all(saver.list(place("t", "", "")))).toHaveLength(1);
      expect(await all(saver.list(place("t"), { before: place("t", "", "") }))).toHaveLength(1);
    }));

  it("finds the latest of each namespace, whichever was put last", () =>
    withSaver(async (saver) => {
      for (let step = 0; step < 6; step++)
        await put(saver, place("t", step % 3 === 0 ? "" : `sub:${step % 3}`), { values: { step }, id: String(step) });
      const latest = async (namespace: string) => (await saver.getTuple(place("t", namespace)))?.checkpoint.channel_values;
      expect([await latest(""), await latest("sub:1"), await latest("sub:2"), await latest("none")]).toEqual([
        { step: 3 },
        { step: 4 },
        { step: 5 },
        undefined,
      ]);
    }));

  it("keeps writes that come before their checkpoint, the first of a task and the last special one", () =>
    withSaver(async (saver) => {
      const config = place("t", "", "1");
      await saver.putWrites(config, [["out", 1]], "b", "path 1");
      await saver.putWrites(config, [["out", 2]], "a", "path 2");
      await saver.putWrites(config, [["out", 3]], "b", "path 1");
      await saver.putWrites(config, [["__error__", "first"]], "c", "path 0");
      await saver.putWrites(config, [["__error__", "second"]], "c", "path 0");
      expect(await saver.getTuple(config)).toBeUndefined();
      await put(saver, place("t"), { values: {}, id: "1" });
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([
        ["c", "__error__", "second"],
        ["b", "out", 1],
        ["a", "out", 2],
      ]);
      await saver.deleteThread("t");
      expect(await saver.getTuple(config)).toBeUndefined();
    }));

  it("keeps writes to channels that are named as members of every object", () =>
    withSaver(async (saver) => {
      const config = await put(saver, place("t"), { values: {} });
      const writes: PendingWrite[] = ["constructor", "toString", "__proto__"].map((channel, at) => [channel, at]);
      await saver.putWrites(config, writes, "task");
      expect((await saver.getTuple(config))?.pendingWrites).toEqual(writes.map((write) => ["task", ...write]));
    }));

  it("unlinks a deleted thread, and overwrites it on request", () =>
    withSaver(async (saver, store) => {
      const storedId = async (): Promise<string> => {
        await put(saver, place("t"), { values: {}, id: "1" });
        return (await store.findCheckpoints({ sessionId: "t" })).checkpoints[0]?.id ?? "";
      };
      const overwriting = new WorkrailSaver(store, undefined, { overwriteOnDelete: true });
      for (const each of [saver, overwriting]) {
        const checkpointId = await storedId();
        await each.deleteThread("t");
        await each.deleteThread("t");
        const refusal = (await store.loadCheckpoint({ checkpointId }).catch((error: unknown) => error)) as WorkrailError;
        expect(refusal).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
        expect(refusal.details["reason"]).toBe(each === overwriting ? "erased" : undefined);
        expect((await store.listSessions({ project: null })).sessions).toEqual([]);
      }
    }));

  it("takes a put that is repeated, and refuses other content under the same id", () =>
    withSaver(async (saver) => {
      const checkpoint = { ...emptyCheckpoint(), id: "1", channel_values: { n: 1 }, channel_versions: { n: 1 } };
      for (let time = 0; time < 2; time++) await saver.put(place("t"), checkpoint, METADATA, { n: 1 });
      expect(await all(saver.list(place("t")))).toHaveLength(1);
      await expect(saver.put(place("t"), { ...checkpoint, channel_values: { n: 2 } }, METADATA, { n: 1 })).rejects.toMatchObject({
        code: "CONFLICT",
      });
    }));

  it("copies a thread with its writes, and leaves the other alone", () =>
    withSaver(async (saver) => {
      let config = place("from");
      for (let step = 0; step < 25; step++) {
        config = await put(saver, config, { values: { step }, id: `id ${String(step).padStart(2, "0")}` });
        await saver.putWrites(config, [["out", step]], "task");
      }
      await saver.copyThread("from", "to");
      await saver.copyThread("from", "to");
      const told = async (threadId: string) =>
        (await all(saver.list(place(threadId)))).map(({ checkpoint, metadata, pendingWrites, parentConfig }) => {
          return { checkpoint, metadata, pendingWrites, parent: parentConfig?.configurable?.["checkpoint_id"] };
        });
      expect(await told("to")).toEqual(await told("from"));
      expect(await told("to")).toHaveLength(25);
      await saver.deleteThread("from");
      expect(await told("to")).toHaveLength(25);
    }));

  it("lists by metadata of any kind, before a checkpoint, in its order", () =>
    withSaver(async (saver) => {
      const long = "x".repeat(1_000);
      for (let step = 0; step < 12; step++) {
        const metadata = { ...METADATA, step, even: step % 2 === 0, of: { a: [step % 3] }, long: `${long}${step % 4}` };
        await saver.put(place("t"), { ...emptyCheckpoint(), id: `id ${String(step).padStart(2, "0")}` }, metadata, {});
      }
      const steps = async (filter: object, before?: string) => {
        const options = { filter, ...(before === undefined ? {} : { before: place("t", "", before) }) };
        return (await all(saver.list(place("t"), options))).map(({ metadata }) => metadata?.step);
      };
      expect(await steps({ even: true })).toEqual([10, 8, 6, 4, 2, 0]);
      expect(await steps({ even: true, of: { a: [1] } }, "id 09")).toEqual([4]);
      expect(await steps({ long: `${long}3` })).toEqual([11, 7, 3]);
      expect(await steps({ even: undefined, step: 5 })).toEqual([5]);
      expect(await steps({ even: "true" })).toEqual([]);
    }));
});
