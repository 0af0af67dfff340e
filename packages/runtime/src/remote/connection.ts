import { setTimeout as pause } from "node:timers/promises";
import { type ErrorCode, type ErrorOptions, WorkrailError } from "@workrail/core";
import { placeOf } from "../place-of.ts";
import { parseWire, writeParams } from "./wire.ts";

/** Tries of a call that may be sent again, the first included. */
const TRIES = 5;
/** Wait before the second try; it doubles before each further one. */
const FIRST_WAIT_MS = 200;
/** Longest wait that a node may ask for. */
const LONGEST_WAIT_MS = 60_000;
/** Default: one that works gives a sign every ten seconds. */
const SILENCE_MS = 60_000;
/** Failures before anything of a call reached the node. */
const UNSENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Codes of certificates that are not accepted: nothing was sent, and another try meets the same one. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/u;

/** A call to send. */
export interface SentCall {
  readonly operation: string;
  readonly body: object;
  /** True when the node may get it twice. */
  readonly isRepeatable: boolean;
  /** Functions that the node calls. */
  readonly functions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  readonly signal: { readonly aborted: boolean } | undefined;
}

/** A line of an answer. */
interface Line {
  readonly item?: unknown;
  readonly call?: string;
  readonly args?: readonly unknown[];
  readonly error?: WorkrailError;
  readonly result?: unknown;
}

/** A try that failed and can be followed by another. */
class Failed extends Error {
  readonly failure: WorkrailError;
  readonly isUnsent: boolean;
  readonly waitMs: number | undefined;

  constructor(failure: WorkrailError, isUnsent: boolean, waitMs?: number) {
    super(failure.message);
    this.failure = failure;
    this.isUnsent = isUnsent;
    this.waitMs = waitMs;
  }
}

/** The connection of a program to a node over HTTP. */
export class Connection {
  readonly #base: string;
  readonly #token: string | undefined;
  /** Name of the node for people. */
  readonly #name: string;
  readonly #silenceMs: number;
  readonly #closing = new AbortController();

  /**
   * @param url address of the node, with or without the path of its MCP endpoint.
   * @param silenceMs silence after which the node counts as unreachable.
   */
  constructor(url: string, token: string | undefined, silenceMs: number = SILENCE_MS) {
    this.#base = url.replace(/\/*(?:\/mcp)?\/*$/u, "");
    this.#token = token;
    this.#silenceMs = silenceMs;
    this.#name = placeOf({ store: url, dataDir: "" });
  }

  /** Resolves to the result of a call. @throws the node's error, unchanged. */
  async send(call: SentCall): Promise<unknown> {
    let result: unknown;
    for await (const line of this.#answers(call)) ({ result } = line);
    return result;
  }

  /** Yields the items of a call. Once the first has come it is not sent again. */
  async *stream(call: SentCall): AsyncGenerator {
    for await (const line of this.#answers(call)) if ("item" in line) yield line.item;
  }

  /** Ends calls that are under way. */
  close(): void {
    this.#closing.abort();
  }

  /** Yields items and the result. Tries again where that is harmless. */
  async *#answers(call: SentCall): AsyncGenerator<Line> {
    let isBegun = false;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const line of this.#lines(call)) {
          isBegun = true;
          yield line;
        }
        return;
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        const { failure, isUnsent, waitMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random()) } = error;
        if (isBegun || attempt === TRIES || waitMs > LONGEST_WAIT_MS || !(isUnsent || call.isRepeatable)) throw failure;
        await pause(waitMs, undefined, { signal: this.#signalOf(call) }).catch(() => this.#throwIfEnded(call));
      }
    }
  }

  /** Yields the lines of one try, and makes the calls of functions. */
  async *#lines(call: SentCall): AsyncGenerator<Line> {
    const silence = new AbortController();
    // While the caller works on a line, the node is not silent.
    let isWithCaller = false;
    const timer = setTimeout(() => (isWithCaller ? timer.refresh() : silence.abort()), this.#silenceMs).unref();
    let lines: AsyncGenerator<string> | undefined;
    try {
      const response = await this.#fetch(call, silence.signal);
      if (response.status !== 200) throw await this.#refusal(response, call.operation);
      lines = linesIn(response);
      // Read to its end, so that the connection serves the next call.
      for (let isDone = false; ;) {
        const { value: text, done } = await lines.next().catch((error: unknown) => {
          if (isDone) return { value: undefined, done: true } as const;
          throw this.#lost(error, call, silence.signal);
        });
        if (done === true && isDone) return;
        if (done === true) throw this.#lost(undefined, call, silence.signal);
        timer.refresh();
        this.#throwIfEnded(call);
        if (text === "" || isDone) continue;
        const line = this.#parse(text);
        if (line.error !== undefined) throw line.error;
        if (line.call !== undefined) call.functions[line.call]?.(...(line.args ?? []));
        else {
          isWithCaller = true;
          yield line;
          isWithCaller = false;
          timer.refresh();
        }
        isDone = line.call === undefined && !("item" in line);
      }
    } finally {
      clearTimeout(timer);
      // Frees the connection of a stream that the caller leaves. One that failed is free.
      await lines?.return(undefined).catch(() => {});
    }
  }

  async #fetch(call: SentCall, silence: AbortSignal): Promise<Response> {
    const headers = {
      "content-type": "application/json",
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
    };
    const signal = AbortSignal.any([silence, this.#signalOf(call)]);
    const request = { method: "POST", headers, body: writeParams(call.body), redirect: "manual", signal } as const;
    try {
      return await fetch(`${this.#base}/library/${call.operation}`, request);
    } catch (error) {
      const code = codeOf(error);
      if (!signal.aborted && CERTIFICATE.test(String(code)))
        throw this.#unavailable(`The certificate of the node is not trusted (${String(code)})`, "certificate", error);
      if (signal.aborted || !UNSENT.has(code)) throw this.#lost(error, call, silence);
      throw new Failed(this.#unavailable(`The node cannot be reached (${String(code)})`, "unreachable", error), true);
    }
  }

  /** Returns the failure of a try whose answer did not arrive. @throws when the caller ended it. */
  #lost(cause: unknown, call: SentCall, silence: AbortSignal): Failed {
    this.#throwIfEnded(call);
    const [message, reason] = silence.aborted ? ["The node does not answer", "timeout"] : ["The answer of the node was lost", "no-answer"];
    return new Failed(this.#unavailable(message, reason, cause), false);
  }

  #parse(text: string): Line {
    try {
      return parseWire(text) as Line;
    } catch (cause) {
      throw new Failed(this.#unavailable("The server at this address is not a node", "no-answer", cause), false);
    }
  }

  /** Returns the error for a request that the node, or a server before it, refused. */
  async #refusal(response: Response, operation: string): Promise<Error> {
    const { status, headers } = response;
    const told = (await response.text().catch(() => "")).slice(0, MOST_TOLD);
    const wait = Number(headers.get("retry-after") ?? Number.NaN) * 1_000;
    const retryAfterMs = Number.isFinite(wait) ? wait : undefined;
    const error = (code: ErrorCode, message: string, { details, hint }: ErrorOptions): WorkrailError =>
      new WorkrailError(code, `${message} (${this.#name}).`, { details: { status, ...details }, ...(hint === undefined ? {} : { hint }) });
    switch (status) {
      case 401: {
        const hint = "Set WORKRAIL_STORE_TOKEN to a token of the node: `workrail-mcp token create` makes one there.";
        return error("INVALID_INPUT", "The node does not accept the token", { details: { field: "storeToken" }, hint });
      }
      case 403: {
        const scope = /scope="?(?<scope>[a-z]+)/u.exec(headers.get("www-authenticate") ?? "")?.groups?.["scope"];
        if (scope === undefined)
          return this.#unavailable(`The node refuses requests to this host name or from this machine: ${told}`, "refused");
        const details = { reason: "scope", scope, operation };
        return error("READ_ONLY", `The token lacks the scope ${scope}`, {
          details,
          hint: "Ask for a token with this scope.",
        });
      }
      case 404: {
        const hint = "Check the address. If it is correct, use the same version of Workrail here and at the node.";
        return error("UNSUPPORTED_VERSION", `The node does not offer ${operation}`, { hint });
      }
      case 413:
        return error("TOO_LARGE", "The call is too large for the node", { hint: "Send less at once." });
      case 429: {
        const failure = error("RATE_LIMITED", "The node gets too many calls with this token", { details: { retryAfterMs } });
        return new Failed(failure, true, retryAfterMs);
      }
      case 503:
        return new Failed(this.#unavailable(`The node cannot answer now: ${told}`, "busy"), true, retryAfterMs);
      default: {
        const failure = this.#unavailable(`The node answered with the status ${status}`, "no-answer");
        return status < 500 ? failure : new Failed(failure, false);
      }
    }
  }

  #unavailable(message: string, reason: string, cause?: unknown): WorkrailError {
    const hint = `${REMEDY[reason] ?? "Try again later."} To save without the node, use a local store and push later with \`workrail sync\`.`;
    return new WorkrailError("STORAGE_UNAVAILABLE", `${message} (${this.#name}).`, { details: { reason }, hint, cause });
  }

  #signalOf({ signal }: SentCall): AbortSignal {
    return signal instanceof AbortSignal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  /** @throws the reason of the caller's signal; STORAGE_UNAVAILABLE once the store is closed. */
  #throwIfEnded({ signal }: SentCall): void {
    if (signal instanceof AbortSignal) signal.throwIfAborted();
    else if (signal?.aborted === true) throw new DOMException("The call was cancelled.", "AbortError");
    if (!this.#closing.signal.aborted) return;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The store is closed.", { details: { reason: "closed" }, hint: "Open it again." });
  }
}

/** Longest text of a refusal that is repeated. */
const MOST_TOLD = 200;

const REMEDY: Readonly<Record<string, string>> = {
  "no-answer": "The call may have arrived. Try again: an unchanged state is not saved twice.",
  unreachable: "Check the address and the network.",
  certificate: "For a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its file before the program starts.",
  refused: "Set httpHosts at the node to the name that clients use.",
};

async function* linesIn(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of response.body ?? []) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    rest.push(first);
    for (const next of others) {
      yield rest.join("");
      rest = [next];
    }
  }
}

/** Returns the code of the system for a failure of `fetch`, which is a cause. */
function codeOf(error: unknown): unknown {
  const { cause, code } = error as { readonly cause?: { readonly code?: unknown }; readonly code?: unknown };
  return cause?.code ?? code;
}
