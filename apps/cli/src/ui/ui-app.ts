import { isWorkrailError, type LogFields } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import type { StoreChanges } from "@workrail/runtime";
import { answerCall, CALLS, type DataPorts, isCallName } from "@workrail/timeline";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import { ZodError } from "zod";
import type { OneVisitor } from "./one-visitor.ts";
import { pageHeaders, splitPage } from "./page-answer.ts";

export interface UiAppOptions {
  /** The HTML document. */
  readonly page: string;
  readonly ports: DataPorts;
  readonly visitor: OneVisitor;
  /** Port at which it listens. */
  readonly port: number;
  /** Ends open streams. */
  readonly signal: AbortSignal;
  readonly onFailure: (message: string, fields: LogFields) => void;
}

/** Bytes of a request. Calls are small: names, ids, words of a search. */
const MOST_BYTES = 256 * 1024;
const HEARTBEAT_MS = 20_000;
const SCRIPT = "/page.js";

/**
 * The web application behind `workrail ui`. The page contains no data, and any user of this machine may read it. Data needs the cookie of
 * the one visitor; a request that another site or another host name causes is refused before it reaches the store.
 */
export function uiApp(options: UiAppOptions): Hono {
  const { page, port, visitor, onFailure } = options;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const cookie = `workrail-${port}`;
  const headers = pageHeaders(page);
  const { document, script } = splitPage(page, SCRIPT);
  const app = new Hono();

  app.onError((error, c) => {
    onFailure("a request failed unexpectedly", { error });
    return failure(c, 500, {
      code: "INTERNAL",
      message: "The request failed unexpectedly.",
      hint: "The terminal shows the cause.",
    });
  });
  app.notFound((c) => failure(c, 404, { code: "INVALID_INPUT", message: "Not found." }));

  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    // A name other than the loopback's: another site's name was made to lead here.
    if (!hosts.includes(c.req.header("host") ?? "")) return refuse(c, "This host name is not allowed.");
    if (c.req.method === "POST" && !isOwnPage(c, hosts)) return refuse(c, "Requests from other sites are refused.");
    return next();
  });
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: (c) => failure(c, 413, { code: "TOO_LARGE", message: "The request is too large." }) }));

  app.get("/", (c) => c.html(document));
  app.get(SCRIPT, (c) => c.body(script, 200, { "Content-Type": "text/javascript; charset=utf-8" }));

  app.post("/session", async (c) => {
    const { token } = (await bodyOf(c)) as { readonly token?: unknown };
    const key = typeof token === "string" ? visitor.admit(token) : undefined;
    if (key === undefined) return refuse(c, "This link is invalid or was already used.");
    setCookie(c, cookie, key, { httpOnly: true, sameSite: "Strict", path: "/" });
    return c.json({});
  });

  app.use(async (c, next) => {
    if (visitor.knows(getCookie(c, cookie))) return next();
    return failure(c, 401, {
      code: "INVALID_INPUT",
      message: "This browser has no access.",
      hint: inOwnName("Open the link that `workrail ui` prints. It works once."),
    });
  });
  app.post("/api/:name", (c) => answer(c, options));
  app.get("/events", (c) => (isSameSite(c) ? follow(c, options) : refuse(c, "Requests from other sites are refused.")));
  return app;
}

async function answer(c: Context, { ports, onFailure }: UiAppOptions): Promise<Response> {
  const name = c.req.param("name") ?? "";
  if (!isCallName(name)) return failure(c, 404, { code: "INVALID_INPUT", message: "There is no such call." });
  if (CALLS[name].writes && !ports.mayWrite) {
    return failure(c, 403, {
      code: "READ_ONLY",
      message: "This page is read-only.",
      hint: inOwnName("Start the page with `workrail ui --write` to make changes."),
    });
  }
  try {
    return c.json((await answerCall(ports, name, await bodyOf(c))) ?? null);
  } catch (error) {
    if (error instanceof ZodError) return failure(c, 400, { code: "INVALID_INPUT", message: `The call ${name} has wrong parameters.` });
    if (!isWorkrailError(error)) throw error;
    const { code, message, hint } = error;
    if (code === "INTERNAL") onFailure(message, { error });
    return failure(c, 422, { code, message, ...(hint === undefined ? {} : { hint: inOwnName(hint) }) });
  }
}

/** Tells the page what changes, as long as it listens. */
function follow(c: Context, { ports, signal, onFailure }: UiAppOptions): Response {
  return streamSSE(c, async (stream) => {
    const ended = new AbortController();
    stream.onAbort(() => ended.abort());
    const watch = AbortSignal.any([signal, ended.signal]);
    const heartbeat = setInterval(() => void stream.write(": alive\n\n"), HEARTBEAT_MS);
    try {
      for await (const changes of ports.store.watchChanges({ project: null, signal: watch })) {
        // The first item is empty: changes after it are reported.
        await stream.writeSSE({ event: isAny(changes) ? "change" : "begin", data: JSON.stringify(changes) });
      }
    } catch (error) {
      if (!watch.aborted) onFailure("the store cannot be watched", { error });
    } finally {
      clearInterval(heartbeat);
    }
  });
}

function isAny({ sessions, isUnknown }: StoreChanges): boolean {
  return sessions.length > 0 || isUnknown === true;
}

/** A browser names the origin of each POST, and no page can change it. */
function isOwnPage(c: Context, hosts: readonly string[]): boolean {
  const isJson = /^application\/json\b/u.test(c.req.header("content-type") ?? "");
  return isJson && isSameSite(c) && hosts.some((host) => c.req.header("origin") === `http://${host}` && c.req.header("host") === host);
}

function isSameSite(c: Context): boolean {
  return ["same-origin", undefined].includes(c.req.header("sec-fetch-site"));
}

async function bodyOf(c: Context): Promise<unknown> {
  try {
    return (await c.req.json()) ?? {};
  } catch {
    return {};
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

function refuse(c: Context, message: string): Response {
  return failure(c, 403, { code: "INVALID_INPUT", message, hint: inOwnName("Start again: `workrail ui` prints a new link.") });
}

function failure(c: Context, status: 400 | 401 | 403 | 404 | 413 | 422 | 500, error: Failure): Response {
  return c.json({ error }, status);
}
