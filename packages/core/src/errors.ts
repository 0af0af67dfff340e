/** Codes of every way in which a use case or an adapter can fail. */
export type ErrorCode =
  | "INVALID_INPUT"
  | "CHECKPOINT_NOT_FOUND"
  | "SESSION_NOT_FOUND"
  | "CONFLICT"
  | "TOO_LARGE"
  | "SECRET_FOUND"
  | "STORAGE_QUOTA_EXCEEDED"
  | "STORE_IN_USE"
  | "KEY_UNAVAILABLE"
  | "PLAINTEXT_REFUSED"
  | "READ_ONLY"
  | "CHECKPOINT_CORRUPT"
  | "INTERNAL"
  | "UNSUPPORTED_VERSION"
  | "LOCK_TIMEOUT"
  | "RATE_LIMITED"
  | "STORAGE_UNAVAILABLE";

export interface ErrorMeaning {
  /** Matching HTTP status. */
  readonly httpStatus: number;
  /** True when the same call may succeed later without being changed. */
  readonly retryable: boolean;
}

const final = (httpStatus: number): ErrorMeaning => ({ httpStatus, retryable: false });
const retryable = (httpStatus: number): ErrorMeaning => ({ httpStatus, retryable: true });

/** Meaning of each error code to a program. `docs/reference/errors.md` is checked against this table. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  INVALID_INPUT: final(400),
  CHECKPOINT_NOT_FOUND: final(404),
  SESSION_NOT_FOUND: final(404),
  CONFLICT: final(409),
  TOO_LARGE: final(413),
  STORAGE_QUOTA_EXCEEDED: final(413),
  PLAINTEXT_REFUSED: final(403),
  READ_ONLY: final(403),
  SECRET_FOUND: final(422),
  STORE_IN_USE: retryable(423),
  RATE_LIMITED: retryable(429),
  CHECKPOINT_CORRUPT: final(500),
  INTERNAL: final(500),
  UNSUPPORTED_VERSION: final(501),
  KEY_UNAVAILABLE: final(503),
  LOCK_TIMEOUT: retryable(503),
  STORAGE_UNAVAILABLE: retryable(503),
};

/** Machine-readable facts about a failure. Never contains a value of a context. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorOptions {
  readonly details?: ErrorDetails;
  /** One sentence that tells the reader what to do now. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** `Symbol.for`, so that an error is recognised when two copies of this package are loaded. */
const BRAND = Symbol.for("@workrail/core/WorkrailError");

/** The one error type that leaves a use case or an adapter. */
export class WorkrailError extends Error {
  override readonly name = "WorkrailError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.hint = options.hint;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True when the same call may succeed later without being changed. */
  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }
}

/** Recognises a `WorkrailError` from any copy of this package. */
export function isWorkrailError(error: unknown): error is WorkrailError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/**
 * Returns the error for an invalid field.
 *
 * @param hint what to give instead.
 */
export function invalidInput(field: string, message: string, hint?: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, { details: { field }, ...(hint === undefined ? {} : { hint }) });
}

/** Returns the error for changing a read-only store. */
export function readOnly(): WorkrailError {
  return new WorkrailError("READ_ONLY", "The store is read-only, so nothing was changed.", {
    hint: "To write, unset WORKRAIL_READ_ONLY, leave out --read-only, or run `workrail config set readOnly false`, whichever applies.",
  });
}

/** Reasons of `STORAGE_UNAVAILABLE` that may concern a single file only. */
const REASONS: ReadonlySet<unknown> = new Set([
  "input-output",
  "not-permitted",
  "wrong-kind-of-file",
  "symbolic-link",
  "file-in-use",
  "path-too-long",
  "object-damaged",
  "other",
]);

/**
 * True when one file could not be read but others may still be readable. This proves no damage: a failed disk may work again, and
 * access to a directory may be granted.
 */
export function isFaultOfOneFile(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE" && REASONS.has(error.details["reason"]);
}
