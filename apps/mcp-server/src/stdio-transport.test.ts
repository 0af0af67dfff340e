import process from "node:process";
import { PassThrough, Writable } from "node:stream";
import { isJsonObject } from "@workrail/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";
import { type Answer, RawClient } from "./testing/raw-client.ts";

const MIB = 1024 * 1024;
/** The published server takes 64 MiB; a test of `main.test.ts` sends it a longer message. */
const MAX_BYTES = 2 * MIB;
/** Twenty such answers are more than a pipe holds, and less than the server leaves unread. */
const FILLED = MIB / 16;
/** The tool that answers late is released by a signal. */
const hasNoSignals = process.platform === "win32";

describe.each(["v1", "v2"])("StdioTransport in a separate process, with version %s of the MCP library", (version) => {
  let client: RawClient;

  const start = (): RawClient => new RawClient({ FIXTURE_ADAPTER: version, FIXTURE_MAX_MESSAGE_BYTES: String(MAX_BYTES) });

  beforeAll(() => {
    client = start();
  });

  beforeEach(() => client.forget());

  afterAll(async () => {
    client.kill("SIGKILL");
    await client.exit();
  });

  /** Checks that the next call works. */
  async function expectAlive(): Promise<void> {
    const answer = await client.call("alive", "echo", { userContext: { still: "here" } });
    expect(answer.result?.structuredContent?.["userContext"]).toEqual({ still: "here" });
  }

  function echoMessage(id: number, text: string): string {
    const params = { name: "echo", arguments: { userContext: { text } } };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
  }

  function echoedText({ result }: Answer): unknown {
    const context = result?.structuredContent?.["userContext"];
    return isJsonObject(context) ? context["text"] : undefined;
  }

  it("does not treat U+2028 inside a value as the end of a line", async () => {
    const text = "one\u2028two\u2029three\u0085four";
    await client.write(echoMessage(1, text));
    expect(echoedText(await client.answer(1))).toBe(text);
  });

  it("joins characters that were split between their bytes", async () => {
    const bytes = Buffer.from(echoMessage(1, "é 😀 漢"));
    for (const byte of bytes) {
      await client.write(Buffer.of(byte));
    }
    expect(echoedText(await client.answer(1))).toBe("é 😀 漢");
  });

  it("receives and answers a message that is much longer than a pipe holds", async () => {
    const text = "é".repeat(0.75 * MIB);
    await client.write(echoMessage(1, text));
    expect(echoedText(await client.answer(1))).toBe(text);
    await expectAlive();
  });

  it("answers a line that is too long by its id, whether the id comes first or last", async () => {
    const filling = Buffer.alloc(MIB / 8, "x");
    const sendLong = async (head: string, tail: string): Promise<void> => {
      await client.write(head);
      for (let sent = 0; sent < 20; sent += 1) {
        await client.write(filling);
      }
      await client.write(tail);
    };
    await sendLong('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":"', '"}}\n');
    await sendLong('{"params":{"id":9,"a":"', '"},"method":"tools/call","id":"two","jsonrpc":"2.0"}\n');
    await sendLong("", "\n");
    for (const id of [1, "two", null]) {
      const { error } = await client.answer(id);
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining(`at most ${MAX_BYTES}`) as unknown });
    }
    await expectAlive();
  });

  it.for([
    ["broken JSON with an id", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":]', 1, -32700],
    ["broken JSON", "garbage", null, -32700],
    ["params that are no object", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', 1, -32602],
    ["params that are an array", '{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', "a", -32602],
    ["params of null", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}', 1, -32602],
    ["no method", '{"jsonrpc":"2.0","id":1}', 1, -32600],
    ["a method that is no string", '{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600],
    ["no version", '{"id":1,"method":"ping"}', 1, -32600],
    ["an id of null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', null, -32600],
    ["an id that is no integer", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
    ["an infinite id", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null, -32600],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
    ["a number", "42", null, -32600],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 1, -32601],
    ["a name that is no string", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}', 1, -32602],
    ["no params where they are needed", '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 1, -32602],
    ["an unknown tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', 1, -32602],
    ["initialize without what it needs", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', 1, -32602],
    ["_meta that is no object", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}', 1, -32602],
  ] as const)("answers %s, and the next call works", async ([, line, id, code]) => {
    await client.write(`${line}\n`);
    const { error } = await client.answer(id);
    expect(error).toEqual({ code, message: expect.stringMatching(/^[^\n]{10,200}\.$/u) as unknown });
    await expectAlive();
  });

  it("answers broken and unknown messages at the beginning of a connection", async () => {
    for (const [line, id, code] of [
      ["garbage", null, -32700],
      ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', 1, -32601],
    ] as const) {
      const fresh = start();
      await fresh.write(`${line}\n`);
      expect((await fresh.answer(id)).error?.code).toBe(code);
      const { result } = await fresh.call("alive", "echo", { userContext: { still: "here" } });
      expect(result?.structuredContent?.["userContext"]).toEqual({ still: "here" });
      fresh.kill("SIGKILL");
      await fresh.exit();
    }
  });

  it("refuses bytes that are not UTF-8 instead of storing other text", async () => {
    const [head = "", tail = ""] = echoMessage(1, "|").split("|");
    await client.write(Buffer.concat([Buffer.from(head), Buffer.of(0xc3, 0x28), Buffer.from(tail)]));
    expect((await client.answer(1)).error).toMatchObject({ code: -32700, message: expect.stringContaining("UTF-8") as unknown });
    await expectAlive();
  });

  it("keeps lone surrogates, __proto__ and the order of keys", async () => {
    const context = '{"b":"\\ud800","__proto__":{"a":1},"a":{"__proto__":[],"constructor":null}}';
    await client.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"userContext":${context}}}}\n`);
    const { result } = await client.answer(1);
    expect(result?.content?.[0].text).toContain(`{"userContext":${context},`);
    expect(JSON.stringify(result?.structuredContent?.["userContext"])).toBe(context);
  });

  it("survives a value nested 200,000 levels deep", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    await client.write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"userContext":{"deep":${deep}}}}}\n`,
    );
    expect((await client.answer(1)).error).toEqual({ code: -32_700, message: "The message is nested deeper than 20,000 levels." });
    await expectAlive();
  });

  it("does not answer notifications, empty lines and unrequested responses", async () => {
    await client.write('\n\r\n  \n{"jsonrpc":"2.0","method":"notifications/whatever","params":7}\n');
    await client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\r\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
    await expectAlive();
    expect(client.answers.map(({ id }) => id)).toEqual(["alive"]);
  });

  it("tolerates additional members of JSON-RPC messages", async () => {
    await client.write('{"jsonrpc":"2.0","id":1,"method":"ping","trace":"abc"}\n');
    expect(await client.answer(1)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it.skipIf(hasNoSignals)("does not answer with the id of a call that is still running", async () => {
    await client.request(1, "tools/call", { name: "hold", arguments: { n: 1 } });
    await client.stderrLine("holding 1");
    await client.write('{"jsonrpc":"2.0","id":1,"method":]\n');
    expect((await client.answer(null)).error?.code).toBe(-32700);
    client.kill("SIGUSR2");
    expect((await client.answer(1)).result?.structuredContent).toEqual({ n: 1 });
  });

  it.skipIf(hasNoSignals)("waits for a slow client, and continues to read meanwhile", async () => {
    client.pauseOutput();
    for (let id = 1; id <= 20; id += 1) {
      await client.request(id, "tools/call", { name: "fill", arguments: { length: FILLED } });
    }
    await client.request("hold", "tools/call", { name: "hold", arguments: { n: 1 } });
    await client.stderrLine("holding 1");
    client.resumeOutput();
    for (let id = 1; id <= 20; id += 1) {
      expect((await client.answer(id)).result?.structuredContent?.["text"]).toHaveLength(FILLED);
    }
    client.kill("SIGUSR2");
    await client.answer("hold");
  });
});

describe("StdioTransport", () => {
  it("stops reading while too much output is unread, and then continues", async () => {
    const input = new PassThrough();
    const held: (() => void)[] = [];
    const output = new Writable({ write: (_chunk, _encoding, done) => void held.push(done) });
    const transport = new StdioTransport({ input, output, maxMessageBytes: 100 });
    await transport.start();
    const answers = [1, 2].map((id) => transport.send({ jsonrpc: "2.0", id, result: { text: "x".repeat(200) } }));
    expect(input.isPaused()).toBe(true);
    for (let done = held.shift(); done !== undefined; done = held.shift()) {
      done();
      await new Promise(setImmediate);
    }
    await Promise.all(answers);
    expect(input.isPaused()).toBe(false);
  });

  it("answers with an error when a result cannot be written as JSON", async () => {
    const output = new PassThrough();
    const transport = new StdioTransport({ input: new PassThrough(), output });
    await transport.start();
    await transport.send({ jsonrpc: "2.0", id: 1, result: { huge: 1n } });
    expect(JSON.parse(String(output.read()))).toMatchObject({ id: 1, error: { code: -32603 } });
  });
});
