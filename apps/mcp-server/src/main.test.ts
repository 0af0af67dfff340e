import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { type Answer, RawClient } from "./testing/raw-client.ts";
import { ServerProcess, TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MARK = "workflow_mark_critical";
const MIB = 1024 * 1024;
/** Saves sent without waiting. `npm run test:faults` sets the variable. */
const MANY = IS_LONG ? 500 : 60;

async function startRaw(home: TestHome, env: NodeJS.ProcessEnv = {}): Promise<RawClient> {
  const args = [join(await bundleServer(), "workrail-mcp.mjs")];
  const client = new RawClient({ WORKRAIL_DATA_DIR: home.dataDir, ...env }, { command: process.execPath, args, cwd: home.project });
  await client.request("init", "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  });
  await client.answer("init");
  await client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return client;
}

function saveMessage(id: number | string, sessionId: string, context: string): string {
  const params = `{"name":"${SAVE}","arguments":{"sessionId":"${sessionId}","context":${context},"details":true}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}\n`;
}

describe("the server", () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("introduces itself with instructions of at most 1 KB", () => {
    expect(server.client.getServerVersion()).toMatchObject({ name: "workrail", title: "Workrail" });
    const instructions = server.client.getInstructions() ?? "";
    expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(1_024);
    for (const tool of [SAVE, LOAD, "workflow_resume"]) expect(instructions).toContain(tool);
  });

  it("understands snake_case as well", async () => {
    const session_id = randomUUID();
    const saved = await server.ok(SAVE, {
      session_id,
      context: { a: 1 },
      workflow_id: "w",
      agent_id: "snake",
      checkpoint_id: `c-${session_id}`,
    });
    expect(saved).toMatchObject({ sessionId: session_id, checkpointId: `c-${session_id}` });
    const second = {
      session_id,
      context: { a: 2 },
      parent_id: saved["checkpointId"],
      expected_parent_id: saved["checkpointId"],
      details: true,
    };
    expect(await server.ok(SAVE, second)).toMatchObject({ parentId: saved["checkpointId"] });
    expect(await server.ok(LOAD, { checkpoint_id: saved["checkpointId"], budget_tokens: 2_000 })).toMatchObject({ context: { a: 1 } });
    expect(await server.ok(LIST, { session_id, workflow_id: "w", agent_id: "snake" })).toMatchObject({ total: 1 });
    expect(await server.ok(MARK, { session_id, context_key: "a" })).toMatchObject({ status: "SUCCESS" });
  });

  it("refuses a field that is given in both spellings", async () => {
    expect(await server.fails(SAVE, { session_id: "a", sessionId: "b", context: {} })).toMatchObject({
      code: "INVALID_INPUT",
      text: expect.stringContaining("session_id is another name of sessionId, which is given already"),
    });
  });

  it("shares its data with another server", async () => {
    await using other = await ServerProcess.start({ home: server.home });
    const sessionId = randomUUID();
    const steps = Array.from({ length: 10 }, (_, step) => step);
    await Promise.all([server, other].flatMap((each, who) => steps.map((step) => each.ok(SAVE, { sessionId, context: { who, step } }))));
    const { checkpoints } = await server.ok(LIST, { sessionId, details: true });
    const sequences = (checkpoints as { metadata: { sequence: number } }[]).map(({ metadata }) => metadata.sequence);
    expect(sequences).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
  });
});

describe("hostile input", () => {
  let home: TestHome;
  let client: RawClient;
  let calls = 0;

  beforeAll(async () => {
    home = await TestHome.create();
    client = await startRaw(home, { WORKRAIL_MAX_CHECKPOINT_BYTES: String(MIB) });
  });

  // The next call must work after every test.
  afterEach(async () => {
    calls += 1;
    const answer = await client.call(`after ${calls}`, SAVE, { sessionId: `after-${calls}`, context: { calls } });
    if (answer.result?.structuredContent?.["status"] !== "SAVED") throw new Error(`the next call failed: ${JSON.stringify(answer)}`);
  });

  afterAll(async () => {
    client.endInput();
    await client.exit();
    await home[Symbol.asyncDispose]();
  });

  async function answerTo(message: string, id: string | number | null): Promise<Answer> {
    await client.write(message);
    return client.answer(id);
  }

  async function refusal(message: string, id: string | number): Promise<string> {
    const { result } = await answerTo(message, id);
    expect(result?.isError).toBe(true);
    return result?.content?.[0].text ?? "";
  }

  it("may be a message of 11 MB, which is returned exactly", async () => {
    const text = "a line of text, é and 味噌\\n".repeat(380_000);
    const message = saveMessage("11 MB", "large", `{"text":"${text}"}`);
    expect(Buffer.byteLength(message)).toBeGreaterThan(11_000_000);
    expect((await answerTo(message, "11 MB")).result?.structuredContent).toMatchObject({ status: "SAVED" });
    const loaded = await client.call("load 11 MB", LOAD, { sessionId: "large", full: true });
    expect(JSON.stringify(loaded.result?.structuredContent?.["context"]) === `{"text":"${text}"}`).toBe(true);
  });

  it("may have integers that a number cannot hold: the answer names them as they were sent", async () => {
    const message = saveMessage("digits", "large", '{"at":1732379877123456789,"quoted":"9007199254740993","half":0.5}');
    const { result } = await answerTo(message, "digits");
    expect(result?.structuredContent).toMatchObject({
      status: "SAVED",
      roundedNumbers: { count: 1, integers: ["1732379877123456789"] },
    });
    const whole = await answerTo(saveMessage("whole", "large", '{"at":9007199254740992}'), "whole");
    expect(whole.result?.structuredContent).not.toHaveProperty("roundedNumbers");
  });

  it("may be larger than a checkpoint may be", async () => {
    const text = randomBytes(1_100_000).toString("base64");
    expect(await refusal(saveMessage("1.5 MB", "large", `{"text":"${text}"}`), "1.5 MB")).toMatch(/^STORAGE_QUOTA_EXCEEDED: .*1048576/u);
  });

  it("may be a message of 65 MB, which is too long", async () => {
    const { error } = await answerTo(saveMessage("65 MB", "large", `{"text":"${"x".repeat(68_000_000)}"}`), "65 MB");
    expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining("this server takes at most 67108864") });
  });

  it("may be cut off", async () => {
    const { error } = await answerTo('{"jsonrpc":"2.0","id":"cut","method":"tools/call","params":{"name":\n', "cut");
    expect(error).toMatchObject({ code: -32_700, message: expect.stringContaining("not valid JSON") });
  });

  it("may have parameters that are no object", async () => {
    const { error } = await answerTo('{"jsonrpc":"2.0","id":"list","method":"tools/call","params":[1]}\n', "list");
    expect(error).toMatchObject({ code: -32_602, message: 'The params of "tools/call" must be an object.' });
  });

  it("may name a tool or a method that does not exist", async () => {
    const tool = await client.call("unknown tool", "workflow_checkpoint_destroy", {});
    expect(tool.error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining(
        `The tools of this server are: ${SAVE}, ${LOAD}, ${LIST}, workflow_resume, workflow_context_compress, workflow_context_prioritize, ${MARK}, store_session, checkpoint_save, `,
      ),
    });
    await client.request("unknown method", "tasks/list");
    expect((await client.answer("unknown method")).error).toMatchObject({ code: -32_601 });
  });

  it("may lack an argument, or all of them", async () => {
    const missing = await client.call("missing", SAVE, { sessionId: "s" });
    expect(missing.result?.content?.[0].text).toMatch(/^INVALID_INPUT: context or patch is required/u);
    await client.request("none", "tools/call", { name: MARK });
    expect((await client.answer("none")).result?.content?.[0].text).toMatch(
      /^INVALID_INPUT: contextKey is required and must be a string\./u,
    );
    const text = await client.call("text", SAVE, "context");
    expect(text.result?.content?.[0].text).toMatch(/^INVALID_INPUT: The arguments must be an object/u);
  });

  it.each(["../../x", "..\\..\\x", "/etc/passwd", "a/b", "a\0b", ".", "..", "~", "con.txt", "ｘ", " "])(
    "may have the id %j, and creates no file",
    async (id) => {
      for (const given of [
        { name: SAVE, arguments: { sessionId: "after-hostile", checkpointId: id, context: {} } },
        { name: SAVE, arguments: { sessionId: "after-hostile", parentId: id, context: {} } },
        { name: LOAD, arguments: { checkpointId: id } },
        { name: LOAD, arguments: { sessionId: id } },
        { name: MARK, arguments: { sessionId: id, contextKey: "a" } },
      ]) {
        const name = randomUUID();
        await client.request(name, "tools/call", given);
        const { result } = await client.answer(name);
        expect(result?.content?.[0].text).toMatch(/^(INVALID_INPUT|CHECKPOINT_NOT_FOUND|SESSION_NOT_FOUND): /u);
      }
      const files = await readdir(home.directory, { recursive: true });
      expect(
        files.filter(
          (file) => !/^data($|[\\/](workrail\.|search\.db|reserve$|open($|[\\/]sqlite-)|contexts($|[\\/](after-|large))))/u.test(file),
        ),
      ).toEqual([]);
    },
  );

  it.each(["../../x", "..\\..\\x", "/etc/passwd", "a/b", ".", "..", "~", "con.txt", "ｘ", "C:x"])(
    "may save to a session %j, whose folder is next to all others",
    async (id) => {
      const name = randomUUID();
      await client.request(name, "tools/call", { name: SAVE, arguments: { sessionId: id, context: { id } } });
      expect((await client.answer(name)).result?.structuredContent).toMatchObject({ status: "SAVED", sessionId: id });
      const files = await readdir(home.directory, { recursive: true });
      const ours =
        /^data($|[\\/](workrail\.|search\.db|reserve$|open($|[\\/]sqlite-)|contexts($|[\\/](after-|large|[a-z0-9_-]+\.[0-9a-f]{32}($|[\\/])))))/u;
      expect(files.filter((file) => !ours.test(file))).toEqual([]);
    },
  );

  it("may be nested 10,000 levels deep", async () => {
    const deep = (open: string, close: string): string => `{"value":${open.repeat(10_000)}1${close.repeat(10_000)}}`;
    for (const [id, context] of Object.entries({ lists: deep("[", "]"), objects: deep('{"a":', "}"), escapes: deep('{"a\\n":', "}") })) {
      expect(await refusal(saveMessage(id, "s", context), id)).toMatch(/^INVALID_INPUT: context\S* is nested deeper than 128 levels\./u);
    }
  });

  it("may be nested 128 levels deep, and is stored", async () => {
    const context = `{"value":${"[".repeat(127)}${"]".repeat(127)}}`;
    expect((await answerTo(saveMessage("128", "deep", context), "128")).result?.structuredContent).toMatchObject({ status: "SAVED" });
    const { result } = await client.call("load 128", LOAD, { sessionId: "deep", full: true });
    expect(JSON.stringify(result?.structuredContent?.["context"])).toBe(context);
  });

  it("may be deep in metadata", async () => {
    const metadata = `{"value":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const params = `{"name":"${SAVE}","arguments":{"sessionId":"s","context":{"a":1},"metadata":${metadata}}}`;
    const text = await refusal(`{"jsonrpc":"2.0","id":"meta","method":"tools/call","params":${params}}\n`, "meta");
    expect(text).toMatch(/^INVALID_INPUT: metadata\S* is nested deeper than 128 levels\./u);
  });

  it.each(["1e400", "-1e400"])("may hold the number %s", async (number) => {
    const id = `number ${number}`;
    expect(await refusal(saveMessage(id, "s", `{"a":[{"b":${number}}]}`), id)).toMatch(
      /^INVALID_INPUT: context\["a"\]\[0\]\["b"\] is not a finite number\./u,
    );
  });

  it("may hold more than 100,000 keys", async () => {
    const members = Array.from({ length: 100_001 }, (_, index) => `"k${index}":0`).join(",");
    expect(await refusal(saveMessage("keys", "s", `{${members}}`), "keys")).toMatch(/^INVALID_INPUT: .*over 100000 keys/u);
  });

  it("may hold values that other programs change, and is returned unchanged", async () => {
    const context = `{"__proto__":{"a":1},"constructor":null,"half":"\\ud83e","tail":"\\udd5d\\ud83e","line\u2028":"\u2029\u2028","nul":"\\u0000","12":"b","3":"a","e":1e-7,"zero":0.1}`;
    // The text as JavaScript itself serialises it: integer keys come first.
    const expected = JSON.stringify(JSON.parse(context));
    expect((await answerTo(saveMessage("odd", "odd", context), "odd")).result?.structuredContent).toMatchObject({ status: "SAVED" });
    const { result } = await client.call("load odd", LOAD, { sessionId: "odd" });
    expect(JSON.stringify(result?.structuredContent?.["context"])).toBe(expected);
    expect(result?.content?.[0].text).toContain(`"context":${expected}`);
  });

  it("is never quoted in an error", async () => {
    const text = await refusal(saveMessage("secret", "s", `{"a":{"b":1e400,"secret":"hunter2"}}`), "secret");
    expect(text).not.toContain("hunter2");
  });
});

describe("many saves at once", () => {
  it(`${MANY} sent without waiting are all answered and stored, in their order`, async () => {
    await using home = await TestHome.create();
    const client = await startRaw(home, { WORKRAIL_MAX_CHECKPOINTS: "1000" });
    const messages = Array.from({ length: MANY }, (_, step) => saveMessage(step, "pipeline", `{"step":${step}}`));
    await client.write(messages.join(""));
    const saved = await Promise.all(messages.map(async (_, step) => (await client.answer(step)).result?.structuredContent));
    expect(new Set(saved.map((each) => each?.["status"]))).toEqual(new Set(["SAVED"]));
    expect(saved.slice(1).map((each) => each?.["parentId"])).toEqual(saved.slice(0, -1).map((each) => each?.["checkpointId"]));
    const newest = await client.call("newest", LIST, { sessionId: "pipeline", limit: 1, details: true });
    expect(newest.result?.structuredContent).toMatchObject({ total: MANY, checkpoints: [{ metadata: { sequence: MANY } }] });
    client.endInput();
    expect(await client.exit()).toEqual({ code: 0, signal: null });
  });
});

describe("the shutdown", () => {
  let home: TestHome;

  beforeEach(async () => {
    home = await TestHome.create();
  });

  afterEach(async () => {
    await home[Symbol.asyncDispose]();
  });

  async function storedSteps(): Promise<readonly number[]> {
    await using store = await openWorkrail({ dataDir: home.dataDir, cwd: home.project, env: {} });
    const { checkpoints } = await store.findCheckpoints({ sessionId: "s", limit: 100 });
    return checkpoints.map(({ attributes }) => Number(attributes?.["step"])).toSorted((left, right) => left - right);
  }

  async function sendSaves(client: RawClient, count: number): Promise<void> {
    const filler = "x".repeat(100_000);
    for (let step = 1; step <= count; step += 1) {
      await client.request(step, "tools/call", {
        name: SAVE,
        arguments: { sessionId: "s", context: { step, filler }, metadata: { step } },
      });
    }
  }

  function acknowledged(client: RawClient): number[] {
    return client.answers.filter(({ result }) => result?.structuredContent?.["status"] === "SAVED").map(({ id }) => Number(id));
  }

  // The server gets the signal to stop after half of the saves. The others must finish within its three seconds, on a slow disk too.
  it("at the end of the input: 10 saves in flight are answered and stored, and the database is closed", async () => {
    const client = await startRaw(home);
    await sendSaves(client, 20);
    await client.answer(10);
    client.endInput();
    expect(await client.exit()).toEqual({ code: 0, signal: null });
    expect(acknowledged(client)).toHaveLength(20);
    expect((await readdir(home.dataDir)).filter((file) => /-wal$|-shm$/u.test(file))).toEqual([]);
    expect(await storedSteps()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  // Windows has no signals: a process is killed there without a request to end. `drain.test.ts` sends the other signals, too.
  it.skipIf(process.platform === "win32").each(IS_LONG ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "by %s: accepted calls are answered, answered saves are stored, and the database is closed",
    async (signal) => {
      const client = await startRaw(home);
      await sendSaves(client, 20);
      await client.answer(10);
      client.kill(signal);
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      expect(client.stderr).toBe("");
      expect((await readdir(home.dataDir)).filter((file) => /-wal$|-shm$/u.test(file))).toEqual([]);
      expect(await storedSteps()).toEqual(acknowledged(client));
    },
  );

  it("by SIGKILL in the middle of saves: answered saves are stored", async () => {
    const client = await startRaw(home);
    await sendSaves(client, 20);
    await client.answer(5);
    client.kill("SIGKILL");
    await client.exit();
    expect(await storedSteps()).toEqual(expect.arrayContaining(acknowledged(client)));
  });
});

describe("settings", () => {
  let home: TestHome;
  let config: string;

  beforeEach(async () => {
    home = await TestHome.create();
    config = join(home.dataDir, "config.json");
    await mkdir(home.dataDir);
  });

  afterEach(async () => {
    await home[Symbol.asyncDispose]();
  });

  it("are read from config.json, the environment and options, in ascending order of priority", async () => {
    await writeFile(config, '{ "maxDepth": 3, "maxKeys": 3, "logLevel": "debug" } // few');
    const env = { WORKRAIL_MAX_DEPTH: "4", WORKRAIL_LOG_LEVEL: "INFO" };
    await using server = await ServerProcess.start({ home, env, args: ["--max-keys=2", "--log-level", "silent"] });
    expect((await server.fails(SAVE, { context: { a: [[[[1]]]] } })).text).toContain("deeper than 4 levels");
    expect((await server.fails(SAVE, { context: { a: 1, b: 2, c: 3 } })).text).toContain("over 2 keys");
    expect(server.log).toEqual([]);
  });

  it("move the store by --storage-path, which overrides the environment", async () => {
    await using server = await ServerProcess.start({ home, args: ["--storage-path", join(home.directory, "elsewhere")] });
    await server.ok(SAVE, { context: { a: 1 } });
    expect(await readdir(home.dataDir)).toEqual([]);
    expect(await readdir(join(home.directory, "elsewhere"))).toContain("workrail.db");
  });

  it("that are wrong do not stop the start: each call and the log report the fault until it is fixed", async () => {
    await writeFile(config, '{\n  "retentionDay": 0\n}\n');
    await using server = await ServerProcess.start({ home });
    await vi.waitFor(
      () => expect(server.log).toMatchObject([{ level: "error", file: config, line: 2, hint: "Did you mean retentionDays?" }]),
      { timeout: 60_000 },
    );
    expect(await server.fails(SAVE, { context: {} })).toMatchObject({
      code: "INVALID_INPUT",
      text: `INVALID_INPUT: There is no setting retentionDay (${config}, line 2). Did you mean retentionDays?`,
      details: { field: "retentionDay", file: config, line: 2 },
    });
    await writeFile(config, '{ "retentionDays": 0 }');
    await server.ok(SAVE, { context: { a: 1 } });
  });

  it("that are wrong are named in the form in which they were given", async () => {
    const env = { WORKRAIL_MAX_CHECKPOINTS: "many", WORKRAIL_LOG_LEVEL: "loud" };
    await using server = await ServerProcess.start({ home, env, args: ["--max-dept=5"] });
    expect(await server.fails(SAVE, { context: {} })).toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "--max-dept", issues: [{ field: "--max-dept" }, { field: "WORKRAIL_MAX_CHECKPOINTS" }] },
    });
    await vi.waitFor(
      () =>
        expect(server.log.map(({ level, field }) => [level, field])).toEqual([
          ["error", "--max-dept"],
          ["error", "WORKRAIL_MAX_CHECKPOINTS"],
          ["warn", "WORKRAIL_LOG_LEVEL"],
        ]),
      { timeout: 60_000 },
    );
  });

  it("that demand encryption leave no clear text, neither on the disk nor in logs", async () => {
    const secret = "planted-7q3z9k2v5x-secret";
    const env = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: randomBytes(32).toString("hex"), WORKRAIL_LOG_LEVEL: "debug" };
    const server = await ServerProcess.start({ home, env });
    const context = { [secret]: secret, list: Array.from({ length: 40 }, (_, at) => `${secret} ${at}`) };
    const metadata = { name: secret, tags: [secret] };
    for (let step = 0; step < 4; step++) {
      await server.ok(SAVE, { sessionId: "s", context: { ...context, step }, metadata, agentId: secret, workflowId: secret });
    }
    await server.ok(MARK, { sessionId: "s", contextKey: secret });
    const project = join(home.directory, secret);
    await mkdir(project);
    await server.ok("checkpoint_save", { summary: secret, description: secret, tags: [secret], project_path: project });
    expect(JSON.stringify(await server.ok("checkpoint_search", { query: secret }))).toContain(secret);
    await server.fails(LOAD, { checkpointId: `${secret}-none` });
    // A file for people would be unencrypted.
    expect((await server.call("store_session", { conversation: secret })).isError).toBe(true);
    expect(await readdir(home.project)).not.toContain(".codearchitect");
    // Killed with its write-ahead log in place.
    await server.kill();
    const stderr = server.stderr;
    expect(stderr).not.toContain(secret);
    const files = (await readdir(home.dataDir, { withFileTypes: true, recursive: true })).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(5);
    for (const entry of files) {
      const file = join(entry.parentPath, entry.name);
      expect(file.slice(home.dataDir.length)).not.toContain(secret);
      expect((await readFile(file)).includes(secret), file).toBe(false);
    }
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ["an option", { args: ["--encryption=enabled"] }],
    ["the environment", { env: { WORKRAIL_ENCRYPTION: "enabled" } }],
  ])("that demand encryption by %s, without an available key, store nothing in clear", async (_, options) => {
    const env = { ...("env" in options ? options.env : {}), WORKRAIL_ENCRYPTION_KEY: "no key" };
    await using server = await ServerProcess.start({ home, ...options, env });
    expect((await server.fails(SAVE, { context: { a: 1 } })).text).toContain("KEY_UNAVAILABLE: ");
  });
});
