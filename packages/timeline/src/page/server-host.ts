import type { StoreChanges } from "@workrail/runtime";
import type { CallName, DataApi } from "../data/calls.ts";
import { CallError, type Host } from "./host.ts";
import { parseRoute, type Route } from "./route.ts";
import { newestOf } from "./use-timeline.ts";

/** Connects the page with the server that it came from. It asks at once for what the screen in the address shows first. */
export function connectToServer(): Host {
  const begun = new Map<string, Promise<unknown>>();
  async function begin(): Promise<void> {
    await signIn();
    for (const [name, params] of firstCalls(parseRoute(location.hash))) begun.set(keyOf(name, params), callServer(name, params));
    // The part of the page that wants an answer shows its failure.
    await Promise.allSettled(begun.values());
  }
  return {
    ready: begin(),
    api: apiOver(async (name, params) => {
      const key = keyOf(name, params);
      const answer = begun.get(key);
      begun.delete(key);
      return answer ?? callServer(name, params);
    }),
    follow,
  };
}

function keyOf(name: CallName, params: unknown): string {
  return JSON.stringify([name, params]);
}

function firstCalls({ sessionId }: Route): readonly (readonly [CallName, unknown])[] {
  const first = sessionId === undefined ? [] : [["timeline", newestOf(sessionId)] as const];
  return [...first, ["sessions", {}]];
}

/** Makes the functions of the data API from one function that carries a call. */
export function apiOver(call: (name: CallName, params: unknown) => Promise<unknown>): DataApi {
  return new Proxy({} as DataApi, { get: (_target, name) => (params: unknown) => call(name as CallName, params) });
}

const TOKEN = /^#token=([\w-]+)$/u;

/** Exchanges the token of the link for a cookie. The link works once. */
async function signIn(): Promise<void> {
  const [, token] = TOKEN.exec(location.hash) ?? [];
  if (token === undefined) return;
  history.replaceState(null, "", location.pathname);
  await post("/session", { token });
}

async function callServer(name: CallName, params: unknown): Promise<unknown> {
  return post(`/api/${name}`, params);
}

interface Failure {
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

async function post(path: string, body: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new CallError("OFFLINE", "The server does not answer.", "Start it again: workrail ui");
  }
  const answer = (await response.json()) as Failure;
  if (response.ok) return answer;
  const { code = "INTERNAL", message = `The server answered ${response.status}.`, hint } = answer.error ?? {};
  throw new CallError(code, message, hint);
}

/** Follows the store by server-sent events. Changes after the event `begin` are reported. The browser connects again by itself. */
function follow(onChange: (changes: StoreChanges) => void, onState: (isLive: boolean) => void): () => void {
  const events = new EventSource("/events");
  events.addEventListener("begin", () => onState(true));
  events.addEventListener("error", () => onState(false));
  events.addEventListener("change", ({ data }: MessageEvent<string>) => onChange(JSON.parse(data) as StoreChanges));
  return () => events.close();
}
