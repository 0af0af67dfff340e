import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { tally } from "@workrail/faults";
import { describe, expect, it } from "vitest";
import { connectHttp } from "../testing/any-client.ts";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { noticingNew, noticingOld } from "../testing/noticing-client.ts";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

/** Rounds on one store, each with new servers, one of which gets the signal to stop. */
const ROUNDS = Number(process.env["WORKRAIL_SERVER_ROUNDS"] ?? 1);
const STEPS = Array.from({ length: 6 }, (_, step) => step);
const CALLS = Array.from({ length: 50 }, (_, call) => call);
const LATEST = "workrail://sessions/shared/latest";

/** A call of a tool; rejects when it fails. */
type Call = (name: string, given: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Saves one entry of its own to the shared session. Resolves to the key. */
async function saveKey(call: Call, key: string): Promise<string> {
  await call("workflow_checkpoint_save", { sessionId: "shared", patch: { set: { [key]: key } } });
  return key;
}

/** Makes a call of a client reject when the result is an error. */
function strictly(client: {
  callTool(name: string, given: Readonly<Record<string, unknown>>): Promise<{ readonly isError?: boolean }>;
}): Call {
  return async (name, given) => {
    const result = await client.callTool(name, given);
    if (result.isError === true) throw new Error(JSON.stringify(result));
    return result;
  };
}

/** The servers of a round, and those who use them. */
class Scene {
  readonly #home: TestHome;
  readonly #stack = new AsyncDisposableStack();
  readonly #saved: string[];

  constructor(home: TestHome, saved: string[]) {
    this.#home = home;
    this.#saved = saved;
  }

  async http(): Promise<HttpFixture> {
    const { project: cwd, dataDir } = this.#home;
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-rate-limit", "0"];
    const program = { command: process.execPath, args, cwd };
    return this.#stack.use(await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: dataDir } }));
  }

  async stdio(): Promise<ServerProcess> {
    return this.#stack.use(await ServerProcess.start({ home: this.#home }));
  }

  /** Closes something at the end. */
  keep<T extends { close(): Promise<void> }>(client: T): T {
    this.#stack.defer(() => client.close());
    return client;
  }

  /** Saves one entry after another. */
  async saveAll(call: Call, who: string): Promise<void> {
    for (const step of STEPS) this.#saved.push(await saveKey(call, `${who}-${step}`));
  }

  /**
   * Starts 50 saves while the store is locked for writing, tells the server to stop when it has them, and unlocks the store. Every save
   * must be answered.
   */
  async stopAmid(who: string, pid: number, start: (keys: readonly string[]) => Promise<readonly Promise<unknown>[]>): Promise<void> {
    const lock = new DatabaseSync(join(this.#home.dataDir, "workrail.db"), { timeout: 60_000 });
    lock.exec("BEGIN IMMEDIATE");
    const keys = CALLS.map((index) => `${who}-call-${index}`);
    let answers: readonly PromiseSettledResult<unknown>[];
    try {
      const all = Promise.allSettled(await start(keys));
      process.kill(pid, "SIGTERM");
      lock.exec("ROLLBACK");
      answers = await all;
    } finally {
      lock.close();
    }
    const unanswered = answers.filter((answer) => answer.status === "rejected");
    tally({ tries: answers.length, acknowledged: answers.length - unanswered.length });
    if (unanswered.length > 0)
      throw new AggregateError(
        unanswered.map(({ reason }) => reason as unknown),
        `${unanswered.length} calls were not answered.`,
      );
    this.#saved.push(...keys);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

describe("two servers on HTTP and one on standard streams, on one store", () => {
  it("notify each other's clients of every save, lose none, and answer all calls at a signal to stop", async () => {
    await using home = await TestHome.create();
    const saved: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await using scene = new Scene(home, saved);
      const [one, two, stdio] = [await scene.http(), await scene.http(), await scene.stdio()];
      if (round === 0) await stdio.ok("workflow_checkpoint_save", { sessionId: "shared", context: { goal: "keep all" } });
      const command = { command: process.execPath, args: [join(await bundleServer(), "workrail-mcp.mjs")], cwd: home.project };
      const noticing = [
        scene.keep(await noticingNew({ url: one.url })),
        scene.keep(await noticingNew({ url: two.url })),
        scene.keep(await noticingOld("v1", command, { WORKRAIL_DATA_DIR: home.dataDir })),
      ];
      for (const client of noticing) await client.subscribe([LATEST]);
      const savers: Call[] = [(name, given) => stdio.ok(name, { ...given })];
      for (const { url } of [one, two]) {
        for (const name of ["v1 client", "v2 client of 2026-07-28"] as const) {
          savers.push(strictly(scene.keep(await connectHttp(name, url))));
        }
      }
      // Each server in turn, so that each notice is of another one's save.
      for (const [index, call] of savers.entries()) {
        saved.push(await saveKey(call, `${round}-first-${index}`));
        await Promise.all(noticing.map((client) => client.told(LATEST)));
      }
      await Promise.all(savers.map((call, index) => scene.saveAll(call, `${round}-${index}`)));
      if (process.platform === "win32") continue;
      await scene.stopAmid(`${round}-http`, two.pid, (keys) => sentOverHttp(two.url, keys));
      expect(await two.exit()).toBe(0);
      await scene.stopAmid(`${round}-stdio`, stdio.pid, async (keys) => {
        const calls = keys.map((key) => saveKey((name, given) => stdio.ok(name, { ...given }), key));
        // Lines are read in their order.
        await stdio.client.ping();
        return calls;
      });
    }
    await using last = await ServerProcess.start({ home });
    const { context } = await last.ok("workflow_checkpoint_load", { sessionId: "shared", full: true });
    const lost = ["goal", ...saved].filter((key) => !Object.hasOwn(context as object, key));
    tally({ lost: lost.length });
    expect(lost).toEqual([]);
  });
});

/** Sends saves, each on a connection of its own. Resolves to their answers when the server has all of them. */
async function sentOverHttp(url: URL, keys: readonly string[]): Promise<readonly Promise<unknown>[]> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const requests = keys.map((key, id) => {
    const params = { name: "workflow_checkpoint_save", arguments: { sessionId: "shared", patch: { set: { [key]: key } } } };
    const sent = request(url, { method: "POST", agent: false, headers });
    sent.end(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    return sent;
  });
  const answers = requests.map(answerOf);
  await Promise.all(requests.map((each) => once(each, "finish")));
  // A server reads buffered input before it answers later requests.
  for (let turn = 0; turn < 3; turn += 1) await text(await responseOf(request(new URL("/healthz", url), { agent: false }).end()));
  return answers;
}

async function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

/** Rejects unless the call succeeded. */
async function answerOf(sent: ClientRequest): Promise<void> {
  const answer = await text(await responseOf(sent));
  if (!answer.includes('"structuredContent"')) throw new Error(answer);
}
