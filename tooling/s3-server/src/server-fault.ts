import type { S3Request } from "./s3-request.ts";

/**
 * Fault of one request. `slow-down`, `internal-error` and `drop` strike before the effect; `error-after`, `drop-after` and `half-answer`
 * after it. `page`: a web page
 * of something else on the way, with status 200. `damaged` flips a bit of the request body and of the response body. `silence` never answers. `denied`: the account lacks the
 * permission.
 */
export type ServerFault =
  | "slow-down"
  | "internal-error"
  | "drop"
  | "page"
  | "error-after"
  | "drop-after"
  | "half-answer"
  | "damaged"
  | "silence"
  | "denied";

/** Transient faults: a retry can succeed. */
export const SERVER_FAULTS: readonly ServerFault[] = [
  "slow-down",
  "internal-error",
  "drop",
  "page",
  "error-after",
  "drop-after",
  "half-answer",
  "damaged",
  "silence",
];

/** Chooses the fault of a request; `undefined` for none. */
export type ChooseFault = (request: S3Request) => ServerFault | undefined;

/** Flips a bit of the middle byte. Empty bytes stay empty. */
export function damaged(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length / 2);
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
