import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

/** Request that an endpoint received. Its JSON is assumed to be a `Body`. */
export interface SeenRequest<Body> {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Body;
}

/** Answers request number `call`, counted from 1. */
export type Answer<Body> = (response: ServerResponse, call: number, body: Body) => void;

export interface LocalEndpoint<Body> {
  /** Address without a path. */
  readonly url: string;
  readonly seen: SeenRequest<Body>[];
  /** Closes the server, so that the address refuses connections. */
  readonly close: () => Promise<void>;
}

const open = new Set<Server>();

/** Starts a local server for tests of HTTP adapters. Close all servers after each test. */
export async function openEndpoint<Body>(answer: Answer<Body>): Promise<LocalEndpoint<Body>> {
  const seen: SeenRequest<Body>[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readAll(request)) as Body;
    seen.push({ url: request.url, headers: request.headers, body });
    answer(response, seen.length, body);
  };
  const server = createServer((request, response) => void respond(request, response));
  open.add(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close: () => closeServer(server) };
}

/** Closes all servers, including running requests. */
export async function closeEndpoints(): Promise<void> {
  await Promise.all([...open].map(closeServer));
}

async function closeServer(server: Server): Promise<void> {
  if (!open.delete(server)) return;
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
}
