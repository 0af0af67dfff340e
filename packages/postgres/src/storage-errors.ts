import { isWorkrailError, WorkrailError } from "@workrail/core";

/** SQLSTATE, or a code of Node, of an error; `undefined` when it has none. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}

/** True for an error that the server sent about a statement. It did nothing, and the connection can be used further. */
export function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !isOfConnection(error);
}

/** True when the connection is gone, or none could be made: the same may work with another connection. */
export function isOfConnection(error: unknown): boolean {
  if (isWorkrailError(error) || !(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return /connection|timeout|not queryable|terminated/i.test(error.message);
  return /^(08...|57P0[1-5]|53300|25P0[34]|E[A-Z]+|CONNECTION_)/.test(code) && !code.startsWith("ERR_");
}

/** True when the database gave up a transaction because of another one: the same may work when it is repeated. */
export function isOfAnother(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error) ?? "");
}

/** A transaction met a connection to the server without its kept statements. It may be repeated, and then keeps none. */
export class KeptStatementLost extends Error {
  constructor(cause: Error) {
    super("The server did not have a statement as it was kept.", { cause });
  }
}

/** True for a statement that was refused because an earlier one of its transaction failed. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === "25P02";
}

const UNAVAILABLE: readonly (readonly [pattern: RegExp, reason: string, message: string, hint: string])[] = [
  [/^53100/, "disk-full", "The disk of the database is full.", "Free space on the database's server, then try again."],
  [/^(28...|42501)/, "not-permitted", "The database refuses this user.", "Check the user, the password and the rights of the store's URL."],
  [
    /^3D000/,
    "no-store",
    "There is no such database.",
    "Check the name in the store's URL, or create the database and run `workrail migrate`.",
  ],
  [/^25006/, "read-only", "The database accepts no changes.", "Connect to the primary server, not to a replica."],
  [/^(XX00[12]|58...)/, "input-output", "The database reports damage.", "See the log of the database's server."],
];

/** Translates an error of the driver. A `WorkrailError`, and an error without a code of the database, pass unchanged. */
export function storageError(error: unknown): unknown {
  if (isWorkrailError(error) || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === "55P03" || isOfAnother(error)) return lockTimeout(error);
  if (code === "42P01" || code === "3F000") return notMigrated(error);
  const [, reason, message, hint] = UNAVAILABLE.find(([pattern]) => code !== undefined && pattern.test(code)) ?? [];
  if (reason !== undefined)
    return new WorkrailError("STORAGE_UNAVAILABLE", message ?? "", { details: { reason, code }, hint, cause: error } as never);
  if (isOfConnection(error)) return unreachable(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) {
    return new WorkrailError("STORAGE_UNAVAILABLE", `The database failed: ${error.message}.`, {
      details: { reason: "other", code },
      hint: "See the log of the database's server, then try again.",
      cause: error,
    });
  }
  return error;
}

/** Runs work, and translates its errors. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error);
  }
}

function lockTimeout(cause: unknown): WorkrailError {
  return new WorkrailError("LOCK_TIMEOUT", "The store stayed locked by another writer.", {
    hint: "Try again; if it persists, see which connection keeps the store busy (`pg_stat_activity`).",
    cause,
  });
}

function unreachable(cause: unknown): WorkrailError {
  const code = codeOf(cause);
  return new WorkrailError("STORAGE_UNAVAILABLE", "The database cannot be reached.", {
    details: { reason: "cannot-open", ...(code === undefined ? {} : { code }) },
    hint: "Check that the database runs and that the host and port of the store's URL are right, then try again.",
    cause,
  });
}

/** Error for a database without our tables. */
function notMigrated(cause: unknown): WorkrailError {
  return new WorkrailError("UNSUPPORTED_VERSION", "The database has no tables of Workrail.", {
    details: { reason: "schema-older" },
    hint: "Run `workrail migrate` with the URL of the database itself, then try again.",
    cause,
  });
}

/** Error for a commit without an answer. */
export function unknownOutcome(cause: unknown): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The database was lost while it was committing; whether it did is not known.", {
    details: { reason: "input-output", outcome: "unknown" },
    hint: "Repeat the call. A save with the same checkpointId or expectedParentId is recognised if it was committed.",
    cause,
  });
}
