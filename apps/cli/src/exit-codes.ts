import type { ErrorCode } from "@workrail/core";

/** Exit code of each error code; success is 0. A test compares `docs/reference/cli.md` with this table. */
export const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  INTERNAL: 1,
  INVALID_INPUT: 2,
  CHECKPOINT_NOT_FOUND: 10,
  SESSION_NOT_FOUND: 10,
  STORE_IN_USE: 11,
  LOCK_TIMEOUT: 11,
  RATE_LIMITED: 11,
  KEY_UNAVAILABLE: 12,
  PLAINTEXT_REFUSED: 12,
  TOO_LARGE: 13,
  STORAGE_QUOTA_EXCEEDED: 13,
  SECRET_FOUND: 18,
  CHECKPOINT_CORRUPT: 14,
  STORAGE_UNAVAILABLE: 15,
  CONFLICT: 16,
  UNSUPPORTED_VERSION: 17,
  READ_ONLY: 19,
};
