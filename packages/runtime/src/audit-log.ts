import path from "node:path";
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditPlace,
  type AuditReport,
  type AuditRowInfo,
  type CatalogPort,
  type Clock,
  invalidInput,
  type Locking,
  type LoggedEvent,
  parseSessionId,
  verifyAudit,
  type VerifyAuditOptions,
  auditRows,
  type AuditChain,
} from "@workrail/core";
import type { AuditFilter } from "@workrail/transfer";
import type { AccessRecorder } from "./access-recorder.ts";
import { parsePeriod } from "./parse-time.ts";
import { writeNewFile, type WrittenFile } from "./write-new-file.ts";

/** Filter for rows of the audit log; all conditions must hold. */
export interface AuditLogFilter {
  readonly sessionId?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Most rows to return, at least 1. */
  readonly limit?: number | undefined;
}

export interface AuditLogParams extends AuditLogFilter {
  /** Number of the row to continue after, towards older rows. */
  readonly before?: number | undefined;
}

/** A row of the audit log. */
export interface AuditLogEntry {
  readonly number: number;
  readonly at: string;
  readonly action: AuditAction;
  readonly sessionId?: string;
  readonly checkpointId?: string;
  readonly agentId?: string;
  /** The caller, as proved by a token. Absent where callers prove nothing. */
  readonly subject?: string;
  readonly reason?: string;
  /** Absent for rows written before rows were chained. */
  readonly digest?: string;
}

export interface AuditLogResult {
  readonly entries: readonly AuditLogEntry[];
  /** Cursor: pass this as `before` to continue. Absent on the last page. */
  readonly next?: number;
}

export interface VerifyAuditLogParams {
  /** A row noted earlier, as `number:digest`. The check fails when this row is gone or has changed. */
  readonly expected?: string | undefined;
  readonly onProgress?: VerifyAuditOptions["onProgress"];
  readonly signal?: VerifyAuditOptions["signal"];
}

interface ReportedRow extends Omit<AuditRowInfo, "at"> {
  readonly at: string;
}

export interface VerifyAuditLogResult extends Omit<AuditReport, "first" | "last" | "head"> {
  readonly first?: ReportedRow;
  readonly last?: ReportedRow;
  /** The last row in the form that `expected` takes, for the caller to note. */
  readonly head?: string;
}

interface AuditLogParts {
  readonly catalog: CatalogPort;
  readonly chain: AuditChain;
  readonly locking: Locking;
  readonly clock: Clock;
  readonly accesses: AccessRecorder;
}

const DEFAULT_LIMIT = 20;
const PLACE = /^(\d{1,15}):([0-9a-f]{32})$/u;

/** Lists rows, newest first. */
export async function listAuditLog(
  { catalog, locking, accesses }: AuditLogParts,
  { before, limit = DEFAULT_LIMIT, ...filter }: AuditLogParams = {},
): Promise<AuditLogResult> {
  const query = { ...filterOf(filter), after: before };
  checkLimit(limit);
  if (before !== undefined && !Number.isSafeInteger(before))
    throw invalidInput("before", "before must be the number of a row.", "Use the next that an earlier answer returned.");
  await accesses.write();
  const rows = await locking.shared(() => auditRows(catalog, { ...query, limit: limit + 1 }));
  const entries = rows.slice(0, limit).map(entryOf);
  const last = rows.length > limit ? entries.at(-1) : undefined;
  return { entries, ...(last === undefined ? {} : { next: last.number }) };
}

/** Yields lines of JSON, oldest first. */
export async function* auditText(parts: AuditLogParts, { limit, ...given }: AuditLogFilter = {}): AsyncGenerator<string, void, undefined> {
  const filter = filterOf(given);
  if (limit !== undefined) checkLimit(limit);
  const { exportAudit } = await import("./on-demand/transferring.ts");
  await parts.accesses.write();
  yield* exportAudit(parts, { ...filter, limit });
}

/** Writes these lines to a new file. */
export async function exportAuditLog(parts: AuditLogParts, file: string, filter?: AuditLogFilter): Promise<WrittenFile> {
  return writeNewFile([path.resolve(file)], auditText(parts, filter));
}

/** Checks that each row is unchanged and none is missing. */
export async function verifyAuditLog(
  parts: AuditLogParts,
  { expected, ...options }: VerifyAuditLogParams = {},
): Promise<VerifyAuditLogResult> {
  const place = expected === undefined ? undefined : parsePlace(expected);
  const { first, last, head, ...report } = await verifyAudit(parts, { ...options, expected: place });
  return {
    ...report,
    ...(first === undefined ? {} : { first: told(first) }),
    ...(last === undefined ? {} : { last: told(last) }),
    ...(head === undefined ? {} : { head: `${head.number}:${head.digest}` }),
  };
}

function filterOf({ sessionId, actions, since, until }: AuditLogFilter): AuditFilter {
  return {
    sessionId: sessionId === undefined ? undefined : parseSessionId(sessionId),
    actions: actions?.map(parseAction),
    ...parsePeriod({ since, until }),
  };
}

function parseAction(text: string): AuditAction {
  const action = AUDIT_ACTIONS.find((each) => each === text);
  if (action !== undefined) return action;
  throw invalidInput("actions", `There is no action ${JSON.stringify(text)}.`, `Use one of ${AUDIT_ACTIONS.join(", ")}.`);
}

function parsePlace(text: string): AuditPlace {
  const [, number, digest] = PLACE.exec(text) ?? [];
  if (number !== undefined && digest !== undefined) return { number: Number(number), digest };
  throw invalidInput(
    "expected",
    "expected must be a row number and its digest, separated by a colon.",
    "Use the head that an earlier check returned.",
  );
}

function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw invalidInput("limit", "limit must be a whole number from 1.", "Leave it out for the default.");
}

function entryOf({ number, at, action, ...rest }: LoggedEvent): AuditLogEntry {
  const { sessionId, checkpointId, agentId, subject, reason, digest } = rest;
  return {
    number,
    at: at.toISOString(),
    action,
    ...(subject === undefined ? {} : { subject }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(checkpointId === undefined ? {} : { checkpointId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
  };
}

function told({ at, ...row }: AuditRowInfo): ReportedRow {
  return { ...row, at: at.toISOString() };
}
