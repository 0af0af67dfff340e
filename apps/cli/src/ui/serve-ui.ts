import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { WorkrailError } from "@workrail/core";
import { findProject, type Workrail } from "@workrail/runtime";
import type { CleanUpRules } from "@workrail/timeline";
import { readPage } from "@workrail/timeline/page";
import type { Hono } from "hono";
import { printWarning } from "../print.ts";
import { OneVisitor } from "./one-visitor.ts";
import { uiApp } from "./ui-app.ts";

export interface ServeUiOptions {
  readonly store: Workrail;
  readonly mayWrite: boolean;
  readonly rules?: CleanUpRules | undefined;
  /** Option with which a command of the shell finds the store; absent: it needs none. */
  readonly storeOption?: string | undefined;
  /** Port to listen at; 0: any free one. */
  readonly port: number;
  /** Failures are written as JSON. */
  readonly json: boolean;
}

export interface ServedUi {
  /** Works once. */
  readonly link: string;
  close(): Promise<void>;
}

/** Connections at the same time: one browser. */
const MOST_CONNECTIONS = 64;

/** Serves the page of a store to one browser on this machine. */
export async function serveUi({ store, mayWrite, rules, storeOption, port, json }: ServeUiOptions): Promise<ServedUi> {
  const page = await readPage();
  const visitor = new OneVisitor();
  const stopped = new AbortController();
  // The application is made when the port is known.
  const ready = Promise.withResolvers<Hono>();
  const server = createAdaptorServer({ fetch: async (request, env) => (await ready.promise).fetch(request, env) }) as Server;
  server.maxConnections = MOST_CONNECTIONS;
  const actual = await listen(server, port);
  const ports = { store, project: findProject(process.cwd()), storeOption, mayWrite, rules, now: () => new Date() };
  const onFailure = (message: string, fields: object): void => printWarning(message, { ...fields }, json);
  ready.resolve(uiApp({ page, ports, visitor, port: actual, signal: stopped.signal, onFailure }));
  return {
    link: `http://127.0.0.1:${actual}/#token=${visitor.token}`,
    async close() {
      stopped.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const MOST_PORT = 65_535;

async function listen(server: Server, port: number): Promise<number> {
  if (port > MOST_PORT) throw cannotListen(port, `ports end at ${MOST_PORT}`);
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    throw cannotListen(port, code === "EADDRINUSE" ? "another program uses the port" : message, cause);
  }
  return (server.address() as AddressInfo).port;
}

function cannotListen(port: number, why: string, cause?: unknown): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `The page cannot be served at port ${port}: ${why}.`, {
    cause,
    details: { field: "port" },
    hint: "Choose another port with --port, or leave it out.",
  });
}
