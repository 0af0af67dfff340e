import type { S3Request } from "./s3-request.ts";

/**
 * Fault of one request. `slow-down`, `internal-error` and `drop` strike before the effect; `error-after`, `drop-after` and `half-answer`
 * after it. `damaged` flips a byte of the body that arrives, or of the one that is sent. `silence` never answers. `denied` refuses: the account may not do this.
 */
export type ServerFault =
  | "slow-down"
  | "internal-error"
  | "drop"
  | "error-after"
  | "drop-after"
  | "half-answer"
  | "damaged"
  | "silence"
  | "denied";

/** Faults that may pass. */
export const SERVER_FAULTS: readonly ServerFault[] = [
  "slow-down",
  "internal-error",
  "drop",
  "error-after",
  "drop-after",
  "half-answer",
  "damaged",
  "silence",
];

/** Chooses the fault of a request; `undefined` for none. */
export type ChooseFault = (request: S3Request) => ServerFault | undefined;

/** Flips a bit of one byte; bytes without any are not changed. */
export function damaged(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length / 2);
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
