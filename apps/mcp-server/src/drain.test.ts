import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drainOnSignals } from "./drain.ts";
import { RawClient } from "./testing/raw-client.ts";

const CALLS = Array.from({ length: 20 }, (_, index) => index + 1);

describe("a signal to stop", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"] as const)(
    "%s starts the shutdown, also the last one, which only Windows sends",
    (signal) => {
      const events = ["SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK", "unhandledRejection", "uncaughtException"] as const;
      const before = new Map(events.map((event) => [event, process.listeners(event as "SIGTERM")]));
      const reasons: string[] = [];
      const ignore = (): void => {};
      drainOnSignals((reason) => reasons.push(reason), { debug: ignore, info: ignore, warn: ignore, error: ignore });
      try {
        const [own] = process.listeners(signal).filter((each) => before.get(signal)?.includes(each) === false);
        own?.(signal);
      } finally {
        for (const [event, old] of before) {
          for (const each of process.listeners(event as "SIGTERM")) if (!old.includes(each)) process.off(event, each);
        }
      }
      expect(reasons).toEqual([signal]);
    },
  );
});

// Windows has no signals: a process is killed there without a request to end.
describe.skipIf(process.platform === "win32").each(["v1", "v2"])(
  "the shutdown of the server, with version %s of the MCP library",
  (version) => {
    let client: RawClient;

    beforeEach(() => {
      client = new RawClient({ FIXTURE_ADAPTER: version, WORKRAIL_LOG_LEVEL: "info" });
    });

    afterEach(async () => {
      client.kill("SIGKILL");
      await client.exit();
    });

    async function startCalls(): Promise<void> {
      for (const n of CALLS) {
        await client.request(n, "tools/call", { name: "hold", arguments: { n } });
      }
      await client.stderrLine("holding 20\n");
    }

    /** Returns the exit of the server, the answered calls, and the last log line. */
    async function ending(): Promise<{ readonly exit: unknown; readonly answered: readonly unknown[]; readonly last: string | undefined }> {
      const exit = await client.exit();
      const answered = client.answers.map((answer) => answer.result?.structuredContent?.["n"]);
      return {
        exit,
        answered: answered.sort((a, b) => Number(a) - Number(b)),
        last: client.stderr.trimEnd().split("\n").at(-1),
      };
    }

    it("answers 20 calls in flight when the input ends, closes and exits with 0", async () => {
      await startCalls();
      client.endInput();
      client.kill("SIGUSR2");
      expect(await ending()).toEqual({ exit: { code: 0, signal: null }, answered: CALLS, last: "closed" });
    });

    it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("answers 20 calls in flight at %s, closes and exits with 0", async (signal) => {
      await startCalls();
      client.kill(signal);
      await client.stderrLine('"msg":"stopping"');
      await client.request("late", "tools/call", { name: "echo", arguments: { userContext: {} } });
      client.kill("SIGUSR2");
      expect(await ending()).toEqual({ exit: { code: 0, signal: null }, answered: CALLS, last: "closed" });
    });

    it("answers requests that were sent before the input ended", async () => {
      for (const n of CALLS) {
        await client.request(n, "tools/call", { name: "fill", arguments: { length: 100_000 } });
      }
      await client.write('{"jsonrpc":"2.0","id":"last","method":"ping"}');
      client.endInput();
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      expect(client.answers).toHaveLength(21);
    });

    it("finishes the calls and exits with 0 when the reader of its output has closed", async () => {
      await startCalls();
      client.closeOutput();
      // A server notices a closed reader only when it writes.
      await client.request("probe", "ping");
      client.kill("SIGUSR2");
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      for (const n of CALLS) {
        expect(client.stderr).toContain(`released ${n}\n`);
      }
      expect(client.stderr.endsWith("closed\n")).toBe(true);
    });

    it.runIf(version === "v2")("does not wait for a subscription", async () => {
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
      await client.request(1, "subscriptions/listen", { notifications: { toolsListChanged: true }, _meta });
      await client.request(2, "tools/call", { name: "echo", arguments: { userContext: {} }, _meta });
      await client.answer(2);
      client.endInput();
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      expect(client.stderr).not.toContain("stopping before");
    });

    it("waits for a call that was cancelled, but not for its answer", async () => {
      await client.request(1, "tools/call", { name: "hold", arguments: { n: 1 } });
      await client.stderrLine("holding 1");
      await client.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
      client.endInput();
      client.kill("SIGUSR2");
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      expect(client.stderr).toContain("released 1");
      expect(client.answers).toEqual([]);
    });

    it("logs an unhandled rejection, and continues", async () => {
      await client.call(1, "lose_a_promise");
      await client.stderrLine("unhandled rejection");
      expect((await client.call(2, "echo", { userContext: {} })).result?.isError).toBeUndefined();
    });

    it("ends after an uncaught exception, but answers first and reports it by its exit code", async () => {
      await client.request(1, "tools/call", { name: "throw_later" });
      await client.stderrLine("uncaught exception");
      client.kill("SIGUSR2");
      expect(await client.exit()).toEqual({ code: 1, signal: null });
      expect(client.answers).toMatchObject([{ id: 1, result: {} }]);
      expect(client.stderr.endsWith("closed\n")).toBe(true);
    });
  },
);

// The servers wait at the same time.
describe.skipIf(process.platform === "win32").concurrent("the shutdown of a server with a call that never ends", () => {
  it.each(["v1", "v2"])(
    "is limited in time, with version %s of the MCP library: the server exits with 0 after three seconds",
    async (version) => {
      const client = new RawClient({ FIXTURE_ADAPTER: version });
      await client.request(1, "tools/call", { name: "hold", arguments: { n: 1 } });
      await client.stderrLine("holding 1");
      client.kill("SIGTERM");
      expect(await client.exit()).toEqual({ code: 0, signal: null });
      expect(client.stderr).toContain("stopping before every call was answered");
      expect(client.stderr).toContain("closed\n");
    },
  );
});
