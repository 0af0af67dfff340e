import { isWorkrailError, WorkrailError } from "@workrail/core";
import { retryAfterMs } from "./retry-after.ts";
import { retry } from "./retry.ts";

/** HTTP endpoint that takes and returns JSON. */
export interface Endpoint {
  /** Base address, to which the path of a request is appended, such as `http://localhost:11434/v1`. */
  readonly url: string;
  /** Bearer token. Default: none. */
  readonly apiKey?: string | undefined;
  /** Time limit in milliseconds for one answer, including all tries and the waits between them. */
  readonly timeoutMs: number;
  /** Number of tries for temporary failures, including the first. Default 2. */
  readonly tries?: number;
  /** Approximate wait before the second try; it doubles before each further one. Default 250 ms. */
  readonly firstWaitMs?: number;
  /** Maximum bytes of an answer. Default 1,000,000. */
  readonly mostBytes?: number;
  /** Aborts running requests and rejects later ones. */
  readonly signal?: AbortSignal | undefined;
  /** Advice for a user after a failure. */
  readonly hint: string;
}

/**
 * Posts `body` and resolves with the answer. Retries temporary failures (a lost connection, a server error, too many requests),
 * and honours the endpoint's `Retry-After`. Follows no redirects.
 *
 * @throws INTERNAL with `details.reason` `refused` (and the `status`), `unreachable`, `timeout`, `ended` or `not-an-answer`;
 * `isPassing` when another try may help, and `retryAfterMs` when the endpoint gave a time. The error contains no word of `body`
 * or of the answer.
 */
export async function askEndpoint(endpoint: Endpoint, path: string, body: object): Promise<unknown> {
  const { timeoutMs, tries = 2, firstWaitMs = 250 } = endpoint;
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(endpoint.signal === undefined ? [] : [endpoint.signal])]);
  const deadline = performance.now() + timeoutMs;
  const request = JSON.stringify(body);
  const attempt = async (): Promise<unknown> => {
    try {
      return await post({ ...endpoint, signal }, path, request);
    } catch (error) {
      throw toFailure(error, endpoint, signal);
    }
  };
  const asked = retry(attempt, { tries, firstWaitMs, deadline, signal });
  return asked.catch((error: unknown) => {
    throw toFailure(error, endpoint, signal);
  });
}

/** Creates the error for an invalid answer. `how` completes the sentence: "has no text". */
export function notAnAnswer({ hint }: Pick<Endpoint, "hint">, how: string, cause?: unknown): WorkrailError {
  return new WorkrailError("INTERNAL", `The endpoint's answer ${how}.`, { details: { reason: "not-an-answer" }, hint, cause });
}

async function post(endpoint: Endpoint & { readonly signal: AbortSignal }, path: string, body: string): Promise<unknown> {
  const { url, apiKey, hint, signal } = endpoint;
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(url.replace(/\/+$/, "") + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body,
    signal,
    // The text goes only to the configured address.
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
  return new WorkrailError("INTERNAL", `The endpoint answered with status ${status}${when}.`, { details, hint });
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

/** Converts a rejection of `fetch`. Its message says little; its cause says more, and has no word of the text. */
function toFailure(error: unknown, { url, timeoutMs, hint, signal: ending }: Endpoint, signal: AbortSignal): WorkrailError {
  if (isWorkrailError(error)) return error;
  if (ending?.aborted === true)
    return new WorkrailError("INTERNAL", "The endpoint is not asked any more.", { details: { reason: "ended" }, hint, cause: error });
  if (signal.aborted)
    return new WorkrailError("INTERNAL", `The endpoint took longer than ${timeoutMs} ms.`, {
      details: { reason: "timeout" },
      hint,
      cause: error,
    });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause === undefined ? "" : ` (${(cause as NodeJS.ErrnoException).code ?? cause.message})`;
  return new WorkrailError("INTERNAL", `The endpoint ${hostOf(url)} cannot be reached${code}.`, {
    details: { reason: "unreachable", isPassing: true },
    hint,
    cause: error,
  });
}

/** Returns only the host, since the rest of an address may contain a password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "of the settings";
}
