import { setTimeout as waitFor } from "node:timers/promises";
import { isWorkrailError, WorkrailError } from "@workrail/core";
import pRetry from "p-retry";
import { retryAfterMs } from "./retry-after.ts";

/** An address that takes JSON and answers with JSON. */
export interface Endpoint {
  /** What the path of a request is put behind, such as `http://localhost:11434/v1`. */
  readonly url: string;
  /** Sent as a bearer token. Default: none is. */
  readonly apiKey?: string | undefined;
  /** For one answer, all tries and what is waited between them included. */
  readonly timeoutMs: number;
  /** Of what may pass. Default 2, the first included. */
  readonly tries?: number;
  /** About what is waited before the second try, and twice that before the next. Default 250 ms. */
  readonly firstWaitMs?: number;
  /** The longest answer that is read. Default 1,000,000. */
  readonly mostBytes?: number;
  /** Ends what is under way, and what is asked later. */
  readonly signal?: AbortSignal | undefined;
  /** What a person can do when it fails. */
  readonly hint: string;
}

/**
 * Posts `body` and resolves with the answer. What may pass - a lost connection, a server error, too many requests - is tried
 * again, later if the endpoint says so. Nobody is followed to another address.
 *
 * @throws INTERNAL with `details.reason` `refused` (and the `status`), `unreachable`, `timeout`, `ended` or `not-an-answer`;
 *   `isPassing` where another try may help, and `retryAfterMs` where the endpoint said when. It has no word of `body` or of the
 *   answer.
 */
export async function askEndpoint(endpoint: Endpoint, path: string, body: object): Promise<unknown> {
  const { timeoutMs, tries = 2, firstWaitMs = 250 } = endpoint;
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(endpoint.signal === undefined ? [] : [endpoint.signal])]);
  const deadline = performance.now() + timeoutMs;
  const request = JSON.stringify(body);
  const attempt = async (): Promise<unknown> => {
    try {
      return await post(endpoint, path, request, signal);
    } catch (error) {
      throw toFailure(error, endpoint, signal);
    }
  };
  const asked = pRetry(attempt, {
    signal,
    retries: tries - 1,
    minTimeout: firstWaitMs,
    randomize: true,
    shouldRetry: async ({ error, retryDelay }) => {
      const details = isWorkrailError(error) ? error.details : {};
      if (details["isPassing"] !== true) return false;
      const longer = Math.max(0, Number(details["retryAfterMs"] ?? 0) - retryDelay);
      // What is known to be too late is not waited for.
      if (performance.now() + longer + retryDelay > deadline) return false;
      await waitFor(longer, undefined, { signal });
      return true;
    },
  });
  return asked.catch((error: unknown) => {
    throw toFailure(error, endpoint, signal);
  });
}

/** An answer that is none, in words that say in what way: "has no text". */
export function notAnAnswer({ hint }: Pick<Endpoint, "hint">, how: string, cause?: unknown): WorkrailError {
  return failed(hint, `The endpoint's answer ${how}.`, { reason: "not-an-answer" }, cause);
}

async function post(endpoint: Endpoint, path: string, body: string, signal: AbortSignal): Promise<unknown> {
  const { url, apiKey, hint } = endpoint;
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(url.replace(/\/+$/, "") + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body,
    signal,
    // A text goes to the address that was configured, and nowhere else.
    redirect: "error",
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw refused(response, hint);
  }
  const text = await bodyOf(response, endpoint);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notAnAnswer(endpoint, "is not JSON", cause);
  }
}

function refused({ status, headers }: Response, hint: string): WorkrailError {
  const isPassing = status >= 500 || status === 429;
  const later = isPassing ? retryAfterMs(headers.get("retry-after"), Date.now()) : undefined;
  const when = later === undefined ? "" : `, to be asked again in ${Math.ceil(later / 1_000)} s`;
  const details = { reason: "refused", status, isPassing, ...(later === undefined ? {} : { retryAfterMs: later }) };
  return failed(hint, `The endpoint answered with status ${status}${when}.`, details);
}

async function bodyOf(response: Response, endpoint: Endpoint): Promise<string> {
  const { mostBytes = 1_000_000 } = endpoint;
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw notAnAnswer(endpoint, "is far too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What `fetch` rejects with says little; its cause says more, and has no word of the text. */
function toFailure(error: unknown, { url, timeoutMs, hint, signal: ending }: Endpoint, signal: AbortSignal): WorkrailError {
  if (isWorkrailError(error)) return error;
  if (ending?.aborted === true) return failed(hint, "The endpoint is not asked any more.", { reason: "ended" }, error);
  if (signal.aborted) return failed(hint, `The endpoint took longer than ${timeoutMs} ms.`, { reason: "timeout" }, error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause === undefined ? "" : ` (${(cause as NodeJS.ErrnoException).code ?? cause.message})`;
  return failed(hint, `The endpoint ${hostOf(url)} cannot be reached${code}.`, { reason: "unreachable", isPassing: true }, error);
}

/** The rest of an address may hold a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "of the settings";
}

function failed(hint: string, message: string, details: Readonly<Record<string, unknown>>, cause?: unknown): WorkrailError {
  return new WorkrailError("INTERNAL", message, { details, hint, cause });
}
