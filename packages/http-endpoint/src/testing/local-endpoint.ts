import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

/** A request that an endpoint got, its JSON taken for a `Body`. */
export interface SeenRequest<Body> {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Body;
}

/** Answers the request number `call`, from 1. */
export type Answer<Body> = (response: ServerResponse, call: number, body: Body) => void;

export interface LocalEndpoint<Body> {
  /** Without a path. */
  readonly url: string;
  readonly seen: SeenRequest<Body>[];
  /** So that nothing listens there any more. */
  readonly close: () => Promise<void>;
}

const open = new Set<Server>();

/** A server on this machine, for tests of adapters that speak to one. Close all of them after each test. */
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

/** Closes what was opened, what is under way included. */
export async function closeEndpoints(): Promise<void> {
  await Promise.all([...open].map(closeServer));
}

async function closeServer(server: Server): Promise<void> {
  if (!open.delete(server)) return;
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
}
