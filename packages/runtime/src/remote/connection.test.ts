import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { Connection, type SentCall } from "./connection.ts";
import { writeWire } from "./wire.ts";

const SILENCE_MS = 1_500;
const CALL: SentCall = { operation: "listSessions", body: {}, isRepeatable: false, functions: {}, signal: undefined };
const RESULT = `${writeWire({ result: "done" })}\n`;

// The tests mostly wait.
describe.concurrent("the connection to a node", () => {
  const servers: Server[] = [];

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function connect(answer: RequestListener): Promise<Connection> {
    const server = createServer(answer).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined, SILENCE_MS);
  }

  it("treats a silent node as unreachable", async () => {
    const connection = await connect(() => {});
    await expect(connection.send(CALL)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "timeout" } });
  });

  it("treats a node that falls silent within an answer as unreachable", async () => {
    const connection = await connect((_, response) => void response.writeHead(200).write(`${writeWire({ item: 1 })}\n`));
    const items = connection.stream(CALL);
    expect((await items.next()).value).toBe(1);
    await expect(items.next()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "timeout" } });
  });

  it("waits for a node as long as it gives signs of life", async () => {
    let signs = 0;
    const connection = await connect((_, response) => {
      response.writeHead(200);
      const alive = setInterval(() => {
        signs += 1;
        if (signs < 8) return void response.write("\n");
        clearInterval(alive);
        response.end(RESULT);
      }, SILENCE_MS / 6);
    });
    expect(await connection.send(CALL)).toBe("done");
  });

  it("does not take the time that the caller spends on an item for silence", async () => {
    const connection = await connect((_, response) => {
      response.writeHead(200).write(`${writeWire({ item: 1 })}\n`);
      setTimeout(() => response.end(`${writeWire({ item: 2 })}\n${RESULT}`), SILENCE_MS);
    });
    const items: unknown[] = [];
    for await (const item of connection.stream(CALL)) {
      items.push(item);
      if (item === 1) await pause(1.5 * SILENCE_MS);
    }
    expect(items).toEqual([1, 2]);
  });

  it("frees its connection when the caller leaves a stream before its end", async () => {
    const closed = Promise.withResolvers<boolean>();
    const connection = await connect((_, response) => {
      response.once("close", () => closed.resolve(true));
      response.writeHead(200).write(`${writeWire({ item: 1 })}\n`);
    });
    for await (const item of connection.stream(CALL)) {
      expect(item).toBe(1);
      break;
    }
    expect(await closed.promise).toBe(true);
  });

  it("repeats repeatable calls to a silent node", async () => {
    let calls = 0;
    const connection = await connect((_, response) => {
      calls += 1;
      if (calls === 2) response.writeHead(200).end(RESULT);
    });
    expect(await connection.send({ ...CALL, isRepeatable: true })).toBe("done");
  });

  it("waits as long as a node asks for, when it gets too many calls", async () => {
    const times: number[] = [];
    const connection = await connect((_, response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(429, { "retry-after": "1" }).end();
      else response.writeHead(200).end(RESULT);
    });
    expect(await connection.send(CALL)).toBe("done");
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThan(950);
  });

  it("does not wait longer than a minute", async () => {
    const connection = await connect((_, response) => void response.writeHead(429, { "retry-after": "61" }).end());
    await expect(connection.send(CALL)).rejects.toMatchObject({ code: "RATE_LIMITED", details: { retryAfterMs: 61_000 } });
  });
});
