import type { Log, LogFields } from "@workrail/core";
import type { RequestId } from "./json-rpc.ts";

/** A request as the log shows it. */
export interface LoggedRequest {
  readonly method: string;
  /** Id that the client gave. Several clients may give the same. */
  readonly id: RequestId;
  /** The tool that is called, if there is one of this name. */
  readonly tool: string | undefined;
  readonly signal: AbortSignal;
}

type Fields = Readonly<Record<string, unknown>>;

/** Number of the last request of this process. */
let last = 0;

/**
 * Runs the answer to a request with a log that names the request in each line, and logs the outcome. No argument and no stored value is
 * logged.
 */
export async function logged<T extends Fields>(
  log: Log,
  { signal, ...named }: LoggedRequest,
  answer: (log: Log) => Promise<T>,
): Promise<T> {
  last += 1;
  const own = withFields(log, { request: last });
  const startedAt = performance.now();
  const end = (outcome: string): void =>
    own.info("request", { ...named, ms: Math.round(performance.now() - startedAt), outcome: signal.aborted ? "cancelled" : outcome });
  try {
    const result = await answer(own);
    end(outcomeOf(result) ?? "ok");
    return result;
  } catch (error) {
    const { code = "INTERNAL" } = error as { readonly code?: string | number };
    end(`${code}`);
    throw error;
  }
}

function withFields(log: Log, more: LogFields): Log {
  return {
    debug: (message, fields) => log.debug(message, { ...more, ...fields }),
    info: (message, fields) => log.info(message, { ...more, ...fields }),
    warn: (message, fields) => log.warn(message, { ...more, ...fields }),
    error: (message, fields) => log.error(message, { ...more, ...fields }),
  };
}

/** Returns the code of a tool's failure, such as `CHECKPOINT_NOT_FOUND`; `undefined` for a success. */
export function outcomeOf({ isError, _meta }: Readonly<Record<string, unknown>>): string | undefined {
  if (isError !== true) return undefined;
  const { code } = (_meta ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "tool_error";
}
