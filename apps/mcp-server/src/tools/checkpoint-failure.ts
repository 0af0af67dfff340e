import { type ErrorCode, isWorkrailError, type WorkrailError } from "@workrail/core";
import { type ToolFailure, toToolFailure } from "../wire-errors.ts";
import { OutOfTime } from "./within-time.ts";

/** Error codes of contextd, each with a fitting HTTP status. */
export const CHECKPOINT_ERRORS = {
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  TIMEOUT_ERROR: 504,
} as const;

type CheckpointError = keyof typeof CHECKPOINT_ERRORS;

/** Our codes as contextd codes. All others are an `INTERNAL_ERROR` whose details name the code. */
const WIRE_CODES: Readonly<Partial<Record<ErrorCode, CheckpointError>>> = {
  INVALID_INPUT: "VALIDATION_ERROR",
  TOO_LARGE: "VALIDATION_ERROR",
  SECRET_FOUND: "VALIDATION_ERROR",
  CHECKPOINT_NOT_FOUND: "NOT_FOUND",
  SESSION_NOT_FOUND: "NOT_FOUND",
  RATE_LIMITED: "RATE_LIMITED",
};

/** Builds the failure of a contextd tool. Its text is the documented JSON, `{"error": {"code", "message", "details"}}`. */
export function toCheckpointFailure(error: unknown): ToolFailure {
  const { code, message, details } = describe(error);
  const text = JSON.stringify({ error: { code, message, details } });
  return { text, code, httpStatus: CHECKPOINT_ERRORS[code], details };
}

interface Described {
  readonly code: CheckpointError;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

function describe(error: unknown): Described {
  if (error instanceof OutOfTime) {
    const details = { timeout: inSeconds(error.timeoutMs), elapsed: inSeconds(error.elapsedMs), hint: error.hint };
    return { code: "TIMEOUT_ERROR", message: "operation exceeded timeout", details };
  }
  const known = isWorkrailError(error) ? WIRE_CODES[error.code] : undefined;
  if (!isWorkrailError(error) || known === undefined) return internal(error);
  switch (known) {
    case "VALIDATION_ERROR":
      return error.code === "SECRET_FOUND" ? secret(error) : invalid(error);
    case "NOT_FOUND":
      return { code: known, message: "checkpoint not found", details: { id: error.details["checkpointId"], error: error.message } };
    default:
      return limited(error);
  }
}

/** Reports the first invalid field, by its name on the wire. */
function invalid({ details, message }: WorkrailError): Described {
  const [issue] = (details["issues"] ?? []) as readonly { readonly path: string; readonly message: string }[];
  const name = textOr(issue?.path ?? details["field"], "arguments");
  const rule = issue?.message ?? textOr(details["rule"], message);
  const field = toWireName(name);
  const meant = details["meant"];
  return {
    code: "VALIDATION_ERROR",
    message: `invalid ${field}`,
    details: { field, error: rule.replaceAll(name, field).replace(/\.$/u, ""), ...(meant === undefined ? {} : { hint: meant }) },
  };
}

type Found = { readonly rule: string; readonly path: string };

/** Reports secrets. A draft is stored in two places, of which the caller knows one: each secret is reported once, at the given field. */
function secret({ details, hint }: WorkrailError): Described {
  const told = (details["found"] as readonly Found[]).map(({ rule, path }) => ({ rule, path: toDraftPlace(path) }));
  const found = told.filter(({ rule, path }, index) => told.findIndex((each) => each.rule === rule && each.path === path) === index);
  // With more secrets than are named, the number of duplicates among the others is unknown.
  const count = Number(details["count"]) > told.length ? details["count"] : found.length;
  const field = /^\w+/u.exec(found[0]?.path ?? "")?.[0] ?? "arguments";
  const error = "it holds what looks like a secret: nothing was saved";
  return { code: "VALIDATION_ERROR", message: `invalid ${field}`, details: { field, error, count, found, hint } };
}

function toDraftPlace(path: string): string {
  if (path === "name") return "summary";
  return path.replace(/^context\["(summary|description)"\]/u, "$1").replace(/^(?:context|metadata)\["context"\]/u, "context");
}

function limited({ message, hint, details: { perMinute, burst, retryAfterMs } }: WorkrailError): Described {
  const wait = Number(retryAfterMs);
  const details = { limit: perMinute, burst, retry_after: inSeconds(wait), retry_after_ms: wait, hint };
  return { code: "RATE_LIMITED", message, details };
}

/** `error` is our own code, with its details. An unexpected error reveals nothing: its message may quote stored text. */
function internal(error: unknown): Described {
  const { code, details } = toToolFailure(error);
  const [message, hint] = isWorkrailError(error)
    ? [error.message, error.hint]
    : ["the tool failed unexpectedly", "The cause is in the log."];
  return { code: "INTERNAL_ERROR", message, details: { provider: "storage", error: code, ...details, hint } };
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" && value !== "" ? value : other;
}

/** Converts a field name: `projectPath` becomes `project_path`. */
function toWireName(name: string): string {
  return /^[a-z]+(?:[A-Z][a-z]*)+$/u.test(name) ? name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`) : name;
}

/** Formats a duration, such as `30s` or `31.2s`. */
function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 100) / 10}s`;
}
