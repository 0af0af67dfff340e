import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * Load balancer that sends each HTTP request to the next server in turn, or to the one after when a server refuses the connection. A
 * request whose server dies gets a 502 or a truncated answer.
 */
export class RoundRobin {
  readonly url: URL;
  readonly #server: Server;

  private constructor(url: URL, server: Server) {
    this.url = url;
    this.#server = server;
  }

  /** @param servers functions that return the current address of each server. */
  static async start(servers: readonly (() => URL)[]): Promise<RoundRobin> {
    let turn = 0;
    const server = createServer((incoming, outgoing) => {
      const first = turn++;
      const inTurn = servers.map((_, index) => servers[(first + index) % servers.length]?.() as URL);
      void pass(incoming, outgoing, inTurn);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RoundRobin(new URL("/mcp", `http://127.0.0.1:${(server.address() as AddressInfo).port}`), server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, servers: readonly URL[]): Promise<void> {
  try {
    const answer = await answerOf(incoming, await buffer(incoming), servers);
    outgoing.on("close", () => answer.destroy());
    answer.on("error", () => outgoing.destroy());
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  } catch {
    outgoing.writeHead(502).end();
  }
}

/** Resolves to the answer of the first server that accepts the connection. */
async function answerOf(incoming: IncomingMessage, body: Buffer, [server, ...others]: readonly URL[]): Promise<IncomingMessage> {
  const { method, url: path, headers } = incoming;
  const sent = request({ hostname: server?.hostname, port: server?.port, method, path, headers: { ...headers, host: server?.host } });
  sent.end(body);
  try {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED" || others.length === 0) throw error;
    return answerOf(incoming, body, others);
  }
}
