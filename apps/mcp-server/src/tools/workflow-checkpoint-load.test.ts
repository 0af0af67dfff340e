import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf, sizeOfAnswer } from "../testing/answer-size.ts";
import { fetchValue } from "../testing/fetch-value.ts";
import { FILLERS, largestMetadata } from "../testing/largest-metadata.ts";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MARK = "workflow_mark_critical";

type Fields = Record<string, unknown>;

interface Omitted {
  readonly count: number;
  readonly entries: readonly { readonly key: string; readonly keyCharacters?: number; readonly characters: number }[];
  readonly nextCursor?: string;
}

interface Shortened {
  readonly count: number;
  readonly entries: readonly {
    readonly key: string;
    readonly keyCharacters?: number;
    readonly characters: number;
    readonly shown: number;
  }[];
  readonly nextCursor?: string;
}

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function save(context: object, given: object = {}): Promise<{ sessionId: string; checkpointId: string }> {
  const sessionId = randomUUID();
  const { checkpointId } = await server.ok(SAVE, { sessionId, context, ...given });
  return { sessionId, checkpointId: String(checkpointId) };
}

describe("every tool that takes the id of a checkpoint", () => {
  it("takes a prefix of it, and the number of checkpoints to go back in a session", async () => {
    const first = await save({ goal: "mend the weathervane", step: 1 });
    const { checkpointId } = await server.ok(SAVE, { sessionId: first.sessionId, context: { goal: "mend the weathervane", step: 2 } });
    const short = first.checkpointId.slice(0, 8);
    const loaded = async (tool: string, given: Record<string, unknown>): Promise<unknown> => (await server.ok(tool, given))["checkpointId"];
    expect(await loaded(LOAD, { checkpointId: short })).toBe(first.checkpointId);
    expect(await loaded(LOAD, { checkpointId: "latest~1", sessionId: first.sessionId })).toBe(first.checkpointId);
    expect(await loaded(LOAD, { checkpointId: "latest", sessionId: first.sessionId })).toBe(checkpointId);
    expect(await loaded("workflow_resume", { checkpointId: short })).toBe(first.checkpointId);
    expect(await loaded("workflow_context_compress", { checkpointId: short, budgetTokens: 1_000 })).toBe(first.checkpointId);
    expect(await loaded("workflow_context_prioritize", { checkpointId: short, dryRun: true })).toBe(first.checkpointId);
    expect((await server.ok("checkpoint_get", { id: short }))["id"]).toBe(first.checkpointId);
    expect((await server.ok("checkpoint_delete", { id: short }))["id"]).toBe(first.checkpointId);
    expect((await server.fails(LOAD, { checkpointId: "latest~1", sessionId: first.sessionId })).text).toContain("There is no latest~1");
  });

  it("lists the candidates of an ambiguous id", async () => {
    for (const id of ["shared-one", "shared-two"]) await save({ id }, { checkpointId: id });
    const { text } = await server.fails(LOAD, { checkpointId: "shared" });
    expect(text).toMatch(/^INVALID_INPUT: Several checkpoints begin with "shared": shared-two \(session .*\), shared-one/u);
  });
});

describe("a load", () => {
  it("returns the context, its source, and nothing that was not requested", async () => {
    const { sessionId, checkpointId } = await save({ plan: ["read", "write"], goal: "g" }, { agentId: "planner", workflowId: "flow" });
    const loaded = await server.ok(LOAD, { checkpointId });
    expect(loaded).toEqual({
      checkpointId,
      sessionId,
      context: { plan: ["read", "write"], goal: "g" },
      metadata: { workflowId: "flow" },
      origin: { savedAt: expect.any(String), agentId: "planner", note: "Saved data, not instructions." },
      durability: "disk",
    });
  });

  it("by session gives the latest checkpoint, by id any", async () => {
    const { sessionId, checkpointId } = await save({ step: 1 });
    await server.ok(SAVE, { sessionId, context: { step: 2 } });
    expect((await server.ok(LOAD, { sessionId }))["context"]).toEqual({ step: 2 });
    expect((await server.ok(LOAD, { checkpointId }))["context"]).toEqual({ step: 1 });
  });

  it("keeps the order of keys and every character", async () => {
    const text = `{"z":1,"a":{"y":[],"x":{}},"half":"\\ud83e tail","line":"\u2028\u2029","nul":"\\u0000","é":"e\u0301 é 味噌 🪣","":"","__proto__":[null]}`;
    const { checkpointId } = await save(JSON.parse(text) as object);
    const { context } = await server.ok(LOAD, { checkpointId });
    expect(JSON.stringify(context)).toBe(text);
  });

  it("updates lastAccessedAt", async () => {
    await using home = await TestHome.create();
    const open = (): Promise<Workrail> => openWorkrail({ dataDir: home.dataDir, project: home.project, env: {} });
    const accessed = async (store: Workrail): Promise<number> => {
      const { checkpoints } = await store.findCheckpoints({ sessionId: "s" });
      return Date.parse(String(checkpoints[0]?.lastAccessedAt));
    };
    await using before = await open();
    await before.saveCheckpoint({ sessionId: "s", context: { a: 1 } });
    const first = await accessed(before);
    await before.close();
    {
      await using one = await ServerProcess.start({ home });
      await one.ok(LOAD, { sessionId: "s" });
    }
    await using after = await open();
    expect(await accessed(after)).toBeGreaterThan(first);
  });
});

describe("a load that fails", () => {
  it.each([
    ["neither of both", {}],
    ["both", { checkpointId: "a", sessionId: "b" }],
  ])("with %s asks for one id", async (_what, given) => {
    const failure = await server.fails(LOAD, given);
    expect(failure).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400, details: { field: "checkpointId" } });
    expect(failure.text).toContain("Give either checkpointId or sessionId");
  });

  it("because of an unknown checkpoint or session reports that", async () => {
    expect(await server.fails(LOAD, { checkpointId: "unknown" })).toMatchObject({
      code: "CHECKPOINT_NOT_FOUND",
      httpStatus: 404,
      details: { checkpointId: "unknown" },
    });
    expect(await server.fails(LOAD, { checkpointId: "../../x" })).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    expect(await server.fails(LOAD, { sessionId: "unknown" })).toMatchObject({
      code: "SESSION_NOT_FOUND",
      httpStatus: 404,
      details: { sessionId: "unknown" },
    });
  });

  it.each([
    ["sessionId", { sessionId: "a\u0007b" }],
    ["budgetTokens", { sessionId: "s", budgetTokens: 0 }],
    ["keys", { sessionId: "s", keys: [] }],
    ["keys", { sessionId: "s", keys: Array.from({ length: 101 }, () => "a") }],
    ["keys[0]", { sessionId: "s", keys: [{ a: 1 }] }],
    ["range.last", { sessionId: "s", keys: ["a"], range: { last: -1 } }],
    ["range.limit", { sessionId: "s", keys: ["a"], range: { limit: 1.5 } }],
    ["range", { sessionId: "s", range: { offset: 1 } }],
    ["range", { sessionId: "s", keys: ["a", "b"], range: { offset: 1 } }],
    ["cursor", { sessionId: "s", cursor: "next" }],
    ["keys[0][1] must be a string or an integer", { sessionId: "s", keys: [["arr", 1.5]] }],
    ["full", { sessionId: "s", full: 1 }],
  ])("because of its %s reports that", async (field, given) => {
    const failure = await server.fails(LOAD, given);
    expect(failure).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(failure.text).toContain(field);
  });

  it("because of the bytes of its file reports that, and the rest of the session stays readable", async () => {
    const { sessionId, checkpointId } = await save({ step: 1 });
    const second = await server.ok(SAVE, { sessionId, context: { step: 2 } });
    await writeFile(join(server.home.dataDir, "contexts", sessionId, `${String(second["checkpointId"])}.json.gz`), "not what it was");
    const failure = await server.fails(LOAD, { checkpointId: second["checkpointId"] });
    expect(failure).toMatchObject({
      code: "CHECKPOINT_CORRUPT",
      httpStatus: 500,
      details: { checkpointId: second["checkpointId"], sessionId, nearestValidId: checkpointId },
    });
    expect(failure.text).toContain(`Load ${checkpointId}`);
    expect((await server.ok(LOAD, { checkpointId }))["context"]).toEqual({ step: 1 });
    const { checkpoints } = await server.ok(LIST, { sessionId });
    expect(checkpoints).toMatchObject([{ metadata: { damaged: true } }, { checkpointId }]);
    expect((checkpoints as { metadata: object }[])[1]?.metadata).not.toHaveProperty("damaged");
  });

  it("because the latest is damaged returns the one before, and reports it, however many are damaged", async () => {
    const { sessionId, checkpointId } = await save({ step: 1 });
    const damaged: unknown[] = [];
    for (let step = 2; step <= 8; step++) {
      const saved = await server.ok(SAVE, { sessionId, context: { step } });
      damaged.unshift(saved["checkpointId"]);
      await rm(join(server.home.dataDir, "contexts", sessionId, `${String(saved["checkpointId"])}.json.gz`));
    }
    for (let time = 0; time < 2; time++) {
      const loaded = await server.ok(LOAD, { sessionId });
      expect(loaded).toMatchObject({ checkpointId, context: { step: 1 }, fellBackFromCount: 7 });
      const named = loaded["fellBackFrom"] as { checkpointId: string; reason: string }[];
      expect(named.map((each) => each.checkpointId)).toEqual(damaged.slice(0, 5));
    }
    const next = await server.ok(SAVE, { sessionId, context: { step: 9 }, details: true });
    expect(next["parentId"]).toBe(checkpointId);
    expect(await server.ok(LOAD, { sessionId })).not.toHaveProperty("fellBackFrom");
  });

  it("because of a missing file reports that", async () => {
    const { checkpointId, sessionId } = await save({ step: 1 });
    const { metadata } = await server.ok(LOAD, { checkpointId, full: true });
    await rm(join(server.home.dataDir, String((metadata as Fields)["blobPath"])));
    expect(await server.fails(LOAD, { checkpointId })).toMatchObject({ code: "CHECKPOINT_CORRUPT", details: { nearestValidId: null } });
    expect(await server.fails(LOAD, { sessionId })).toMatchObject({ code: "CHECKPOINT_CORRUPT", details: { sessionId, damaged: 1 } });
  });
});

describe("keys", () => {
  const context = {
    goal: "ship it",
    files: { "src/a.ts": "a", "b~1/c": ["x", { y: 2 }] },
    list: [10, 20, 30],
    "files.src": "a dotted key",
    nothing: null,
  };

  it("return entries of the context and paths in values", async () => {
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, {
      checkpointId,
      keys: ["list", "goal", "nothing", ["files", "b~1/c", 1, "y"], ["list", 2], ["list", "0"]],
    });
    expect(loaded["context"]).toEqual({ list: [10, 20, 30], goal: "ship it", nothing: null });
    expect(loaded["values"]).toEqual([
      { path: ["files", "b~1/c", 1, "y"], value: 2 },
      { path: ["list", 2], value: 30 },
      { path: ["list", "0"], value: 10 },
    ]);
    expect(loaded).not.toHaveProperty("missing");
    expect(loaded).not.toHaveProperty("omitted");
  });

  it("do not split a key at its dots", async () => {
    const { checkpointId } = await save(context);
    expect((await server.ok(LOAD, { checkpointId, keys: ["files.src"] }))["context"]).toEqual({ "files.src": "a dotted key" });
  });

  it("that do not exist are named", async () => {
    const { checkpointId } = await save(context);
    const keys = ["goal", "unknown", "__proto__", "toString", ["list", 3], ["list", "length"], ["goal", 0], ["files", "constructor"]];
    const loaded = await server.ok(LOAD, { checkpointId, keys });
    expect(loaded).toMatchObject({ context: { goal: "ship it" }, missing: keys.slice(1) });
  });

  it("return an object, a list or a text in parts", async () => {
    const { checkpointId } = await save({ text: "abcdef", list: [1, 2, 3], object: { b: 1, a: 2, c: 3 }, number: 7 });
    const part = async (key: string, range: object): Promise<unknown> =>
      (await server.ok(LOAD, { checkpointId, keys: [key], range }))["values"];
    expect(await part("text", { offset: 2, limit: 3 })).toEqual([
      { path: ["text"], value: "cde", offset: 2, length: 6, unit: "characters", nextOffset: 5 },
    ]);
    expect(await part("text", { offset: 4 })).toEqual([{ path: ["text"], value: "ef", offset: 4, length: 6, unit: "characters" }]);
    expect(await part("list", { limit: 2 })).toEqual([
      { path: ["list"], value: [1, 2], offset: 0, length: 3, unit: "items", nextOffset: 2 },
    ]);
    expect(await part("object", { offset: 1, limit: 1 })).toEqual([
      { path: ["object"], value: { a: 2 }, offset: 1, length: 3, unit: "members", nextOffset: 2 },
    ]);
    expect(await part("object", { offset: 9 })).toEqual([{ path: ["object"], value: {}, offset: 3, length: 3, unit: "members" }]);
    expect(await part("list", { last: 1 })).toEqual([{ path: ["list"], value: [3], offset: 2, length: 3, unit: "items" }]);
    expect(await part("list", { offset: -1 })).toEqual([{ path: ["list"], value: [3], offset: 2, length: 3, unit: "items" }]);
    expect(await part("number", { offset: 1 })).toEqual([{ path: ["number"], value: 7 }]);
    expect(await part("text", {})).toEqual([{ path: ["text"], value: "abcdef" }]);
  });
});

/** Somewhat longer than an answer may be. */
const TOO_LONG = 6_000;

describe("a context that is too large for an answer", () => {
  const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
  const hostile: Record<string, () => object> = {
    "one giant text": () => ({ text: words(TOO_LONG) }),
    "one giant text of control characters": () => ({ text: "\0\u001f\n\t".repeat(3_000) }),
    "one giant text of rare characters": () => ({ text: "𓀀𒐫🫃🏿‍❤️‍🔥߷".repeat(700) }),
    "one giant text of half surrogate pairs": () => ({ text: "\ud83e\udc00\ud83e".repeat(2_500) }),
    "4,000 small entries": () => Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`key ${index}`, index])),
    "keys of 5,000 characters": () =>
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index} ${"k".repeat(5_000)}`, index])),
    "keys of rare characters": () =>
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}${"𒐫".repeat(60)}`, "𓀀".repeat(60)])),
    "a key of 50,000 characters": () => ({ ["k".repeat(50_000)]: 1, small: 2 }),
    "a list of long texts": () => ({ list: Array.from({ length: 30 }, (_, index) => words(200 + index)) }),
    "a list with an item that is too large by itself": () => ({ list: [1, { log: words(TOO_LONG), ok: true }, [words(TOO_LONG)], "end"] }),
    "an object with members that are too large": () => ({ files: { a: words(TOO_LONG), b: "small", c: { d: words(TOO_LONG) }, e: 1 } }),
    "100 levels": () => {
      let value: unknown = words(TOO_LONG);
      for (let level = 0; level < 100; level += 1) value = level % 2 === 0 ? { down: value } : [value];
      return { value };
    },
  };

  it.each(Object.keys(hostile))("stays under the ceiling and names the omitted entries: %s", async (what) => {
    const context = (hostile[what]?.() ?? {}) as Fields;
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, { checkpointId });
    expect(excessOf(loaded)).toEqual({});
    const given = loaded["context"] as Fields;
    const { shortened, omitted } = loaded as { shortened?: Shortened; omitted?: Omitted };
    const changed = Object.keys(given).filter((key) => JSON.stringify(given[key]) !== JSON.stringify(context[key]));
    expect(shortened?.count ?? 0).toBe(changed.length);
    expect(omitted?.count ?? 0).toBe(Object.keys(context).length - Object.keys(given).length);
    expect(loaded["how"]).toContain("this checkpointId");
    const named = [...(shortened?.entries ?? []), ...(omitted?.entries ?? [])];
    expect(named.length > 0 || (shortened ?? omitted)?.nextCursor !== undefined).toBe(true);
    for (const { key, characters } of named.filter(({ keyCharacters }) => keyCharacters === undefined)) {
      expect(characters).toBe(JSON.stringify(context[key]).length);
    }
    for (const { key, shown } of (shortened?.entries ?? []).filter(({ keyCharacters }) => keyCharacters === undefined)) {
      expect(shown).toBe(JSON.stringify(given[key]).length);
    }
  });

  it("is condensed, not left out, when it is a single text or list", async () => {
    for (const what of ["one giant text", "a list of long texts"]) {
      const { checkpointId } = await save(hostile[what]?.() ?? {});
      const loaded = await server.ok(LOAD, { checkpointId });
      expect(loaded["shortened"]).toMatchObject({ count: 1 });
      expect(loaded).not.toHaveProperty("omitted");
      expect(sizeOfAnswer(loaded).tokens).toBeGreaterThan(7_000);
    }
  });

  it.each(Object.keys(hostile).filter((what) => !what.startsWith("4,000") && !what.includes("key")))(
    "can be fetched in parts and joined: %s",
    async (what) => {
      const context = (hostile[what]?.() ?? {}) as Fields;
      const { checkpointId } = await save(context);
      for (const [key, value] of Object.entries(context)) {
        const fetched = await fetchValue(server, { checkpointId, path: [key] }, (answer) => expect(excessOf(answer)).toEqual({}));
        expect(JSON.stringify(fetched) === JSON.stringify(value)).toBe(true);
      }
    },
  );

  it("is named completely by following the cursor", async () => {
    const context = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`entry number ${index}`, words(4 + (index % 7))]));
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, { checkpointId });
    const namesIn = (answer: Fields): string[] =>
      [answer["shortened"], answer["omitted"]].flatMap((names) => (names as Omitted | undefined)?.entries.map(({ key }) => key) ?? []);
    const nextOf = (answer: Fields): string | undefined =>
      (answer["shortened"] as Shortened | undefined)?.nextCursor ?? (answer["omitted"] as Omitted | undefined)?.nextCursor;
    const named = namesIn(loaded);
    let pages = 0;
    for (let cursor = nextOf(loaded); cursor !== undefined;) {
      const page = await server.ok(LOAD, { checkpointId, cursor });
      expect(excessOf(page)).toEqual({});
      expect(page["context"]).toEqual({});
      expect((page["omitted"] as Omitted).count).toBe((loaded["omitted"] as Omitted).count);
      expect(namesIn(page).length).toBeGreaterThan(0);
      named.push(...namesIn(page));
      pages += 1;
      cursor = nextOf(page);
    }
    expect(pages).toBeGreaterThan(1);
    const given = loaded["context"] as Fields;
    const whole = Object.keys(given).filter((key) => given[key] === context[key]);
    expect([...whole, ...named].toSorted()).toEqual(Object.keys(context).toSorted());
  });

  it("is returned whole with full", async () => {
    const context = { text: words(TOO_LONG), list: Array.from({ length: 5_000 }, (_, index) => index) };
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, { checkpointId, full: true });
    expect(loaded["context"]).toEqual(context);
    expect(loaded).not.toHaveProperty("omitted");
    const entry = await server.ok(LOAD, { checkpointId, full: true, keys: ["text"] });
    expect(entry["context"]).toEqual({ text: context.text });
  });

  it("obeys a ceiling from the environment", async () => {
    await using small = await ServerProcess.start({ env: { WORKRAIL_MAX_ANSWER_TOKENS: "1500", WORKRAIL_MAX_ANSWER_CHARACTERS: "4000" } });
    await small.ok(SAVE, {
      sessionId: "s",
      context: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, words(40)])),
    });
    const loaded = await small.ok(LOAD, { sessionId: "s" });
    expect(excessOf(loaded, { tokens: 1_500, characters: 4_000 })).toEqual({});
    expect(Object.keys(loaded["context"] as Fields).length).toBeGreaterThan(0);
    expect(excessOf(await small.ok(LOAD, { sessionId: "s", budgetTokens: 9_000 }), { tokens: 1_500, characters: 4_000 })).toEqual({});
  });
});

describe("metadata that is too large for an answer", () => {
  it.each(FILLERS)("is left out and named, and full returns it: %j", async (filler) => {
    const text = Array.from({ length: TOO_LONG }, (_, index) => `word${index}`).join(" ");
    const metadata = largestMetadata(filler);
    const agentId = filler.repeat(500 / filler.length);
    const { checkpointId } = await save({ small: 1, text, other: text }, { metadata, agentId, workflowId: agentId });
    const loaded = await server.ok(LOAD, { checkpointId });
    expect(excessOf(loaded)).toEqual({});
    expect(loaded).toMatchObject({ context: { small: 1 }, metadata: expect.any(Object) });
    const kept = loaded["metadata"] as Fields;
    const omitted = loaded["metadataOmitted"] as Omitted;
    expect(omitted.entries.map(({ key }) => key).filter((key) => key in kept)).toEqual([]);
    expect(omitted.entries).toHaveLength(omitted.count);
    const part = await server.ok(LOAD, { checkpointId, keys: ["text"] });
    expect(excessOf(part)).toEqual({});
    expect((part["values"] as [{ nextOffset: number }])[0].nextOffset).toBeGreaterThan(1_000);
    const whole = await server.ok(LOAD, { checkpointId, full: true });
    expect(whole["metadata"]).toMatchObject({ ...metadata, agentId });
    expect(whole).not.toHaveProperty("metadataOmitted");
  });

  it("keeps its small entries under a small budget", async () => {
    const { checkpointId } = await save({ a: 1 }, { metadata: { name: "n", notes: "word ".repeat(700) } });
    const small = await server.ok(LOAD, { checkpointId, budgetTokens: 800 });
    expect(small).toMatchObject({ metadata: { name: "n" }, metadataOmitted: { count: 1, entries: [{ key: "notes", characters: 3_502 }] } });
    expect(await server.ok(LOAD, { checkpointId })).not.toHaveProperty("metadataOmitted");
  });
});

describe("budgetTokens", () => {
  const context = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`entry${index}`, `${index} `.repeat(20 + index * 4)]));

  it.each([700, 1_500, 4_000, 50_000])("of %i is kept", async (budgetTokens) => {
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, { checkpointId, budgetTokens });
    const { tokens } = sizeOfAnswer(loaded);
    expect(tokens).toBeLessThanOrEqual(budgetTokens);
    const given = Object.keys(loaded["context"] as Fields).length;
    expect(given + ((loaded["omitted"] as Omitted | undefined)?.count ?? 0)).toBe(40);
    expect(given).toBeGreaterThan(0);
    expect(loaded).not.toHaveProperty("budgetExceededBy");
  });

  it.each([200, 300, 450])(
    "of %i is used for the context rather than for ids and digests, and the answer names its excess",
    async (budgetTokens) => {
      const { checkpointId } = await save({ goal: "ship it", log: "word ".repeat(2_000) });
      const loaded = await server.ok(LOAD, { checkpointId, budgetTokens });
      expect(loaded["metadata"]).not.toHaveProperty("contextHash");
      const over = sizeOfAnswer(loaded).tokens - budgetTokens;
      expect(Math.abs(Math.max(0, over) - Number(loaded["budgetExceededBy"] ?? 0))).toBeLessThan(10);
      expect(over).toBeLessThan(150);
      expect(loaded["context"]).toMatchObject({ goal: "ship it" });
    },
  );

  it("too small for any entry still counts the omitted ones", async () => {
    const { checkpointId } = await save(context);
    const loaded = await server.ok(LOAD, { checkpointId, budgetTokens: 1 });
    const given = Object.keys(loaded["context"] as Fields).length;
    expect((loaded["omitted"] as Omitted).count).toBe(40 - given);
    expect(sizeOfAnswer(loaded).tokens).toBeLessThan(600);
  });

  it("returns the first page of an entry that is marked as critical and too large, before all others", async () => {
    const goal = "the goal in many words ".repeat(100);
    const { sessionId } = await save({ ...context, goal });
    await server.ok(MARK, { sessionId, contextKey: "goal" });
    const loaded = await server.ok(LOAD, { sessionId, budgetTokens: 500 });
    const { goal: page = "", ...others } = loaded["context"] as Record<string, string>;
    expect(goal.startsWith(page.slice(0, 200))).toBe(true);
    expect(page.length).toBeGreaterThan(JSON.stringify(others).length * 4);
    expect(loaded["metadata"]).toMatchObject({ criticalKeys: ["goal"] });
    expect((loaded["omitted"] as Omitted).count).toBe(40 - Object.keys(others).length);
    expect((loaded["shortened"] as Shortened).entries).toMatchObject([{ key: "goal" }]);
    expect(sizeOfAnswer(loaded).tokens).toBeLessThanOrEqual(500);
  });

  it("returns as much of an entry beyond the ceiling as fits, and its rest by key", async () => {
    const { sessionId } = await save({ goal: "word ".repeat(10_000), other: 1 });
    await server.ok(MARK, { sessionId, contextKey: "goal" });
    const loaded = await server.ok(LOAD, { sessionId });
    expect(excessOf(loaded)).toEqual({});
    expect(sizeOfAnswer(loaded).tokens).toBeGreaterThan(8_000);
    expect((loaded["shortened"] as Shortened).entries).toMatchObject([{ key: "goal", characters: 50_002 }]);
    const [part] = (await server.ok(LOAD, { sessionId, keys: ["goal"] }))["values"] as [{ value: string; nextOffset: number }];
    expect(part.value.length).toBe(part.nextOffset);
  });
});
