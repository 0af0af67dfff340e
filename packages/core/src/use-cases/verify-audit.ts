import type { AuditAction, AuditBreak, AuditPlace, LoggedEvent } from "../model/audit.ts";
import { othersTurn } from "../platform.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Locking } from "../ports/locking.ts";

export interface VerifyAuditPorts {
  readonly catalog: Pick<Catalog, "auditLog" | "checkAudit">;
  readonly locking: Pick<Locking, "shared">;
}

export interface VerifyAuditOptions {
  /** A row that somebody noted, such as the last one of an earlier check: it must still be there, and as it was. */
  readonly expected?: AuditPlace | undefined;
  /** Told after each page of rows. */
  readonly onProgress?: ((progress: VerifyAuditProgress) => void) | undefined;
  /** Ends it early; what was found so far is reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

export interface VerifyAuditProgress {
  readonly done: number;
  /** How many there were at the beginning. */
  readonly total: number;
}

/**
 * What is wrong with the audit log: a break in its chain, or, with a row that was noted elsewhere, `cut-off`: it and what came behind it are not
 * there; `not-as-noted`: it is another one.
 */
export type AuditFinding = AuditBreak | { readonly kind: "cut-off" | "not-as-noted"; readonly number: number };

/** A row, as far as it says what the log spans. */
export interface AuditRowInfo {
  readonly number: number;
  readonly at: Date;
  readonly action: AuditAction;
}

export interface AuditReport {
  /** Rows looked at. */
  readonly rows: number;
  /** Of these, rows from before there was a chain: of them nothing is proven. */
  readonly unchained: number;
  readonly first: AuditRowInfo | undefined;
  readonly last: AuditRowInfo | undefined;
  /** The last row, to be noted elsewhere: with it a later check finds that the end was cut off. `undefined` for an empty log. */
  readonly head: AuditPlace | undefined;
  /** Whether it takes the store's key to make a row that fits. Else the check finds accidents, and nobody who makes all digests anew. */
  readonly isKeyed: boolean;
  /** The first hundred. */
  readonly findings: readonly AuditFinding[];
  readonly findingCount: number;
  /** `false`: it was ended early. */
  readonly isComplete: boolean;
}

const PAGE = 1_000;
const MOST_FINDINGS = 100;
/** How often the oldest rows may be removed while they are looked at. */
const MAX_LOOKS = 3;

/**
 * Reads through the audit log, page by page while others write, and tells whether every row is as it was written and none is missing.
 *
 * @throws STORAGE_UNAVAILABLE, LOCK_TIMEOUT
 */
export async function verifyAudit(ports: VerifyAuditPorts, options: VerifyAuditOptions = {}): Promise<AuditReport> {
  for (let look = 1; ; look++) {
    const before = await lastCut(ports);
    const report = await walk(ports, options);
    const isMoved = report.findingCount > 0 && (await lastCut(ports)) !== before;
    if (!isMoved || look === MAX_LOOKS) return report;
  }
}

/** The number of the row that tells what the log begins behind. */
async function lastCut({ catalog, locking }: VerifyAuditPorts): Promise<number | undefined> {
  const [cut] = await locking.shared(() => catalog.auditLog({ actions: ["audit-cut"], limit: 1 }));
  return cut?.number;
}

async function walk(ports: VerifyAuditPorts, { expected, onProgress, signal }: VerifyAuditOptions): Promise<AuditReport> {
  const { catalog, locking } = ports;
  const findings: AuditFinding[] = [];
  let [rows, unchained, hasMore] = [0, 0, true];
  let after: AuditPlace | undefined;
  let [first, last]: (LoggedEvent | undefined)[] = [];
  let noted: AuditPlace | undefined;
  let isKeyed = false;
  const [newest] = await locking.shared(() => catalog.auditLog({ limit: 1 }));
  while (hasMore) {
    if (signal?.aborted === true) break;
    const page = await locking.shared(() => catalog.checkAudit({ after, limit: PAGE }));
    rows += page.rows;
    unchained += page.unchained;
    findings.push(...page.breaks);
    first ??= page.first;
    last = page.last ?? last;
    // By the time that the last page is read, something newer may be noted.
    if (after === undefined) noted = page.noted;
    ({ place: after, isKeyed } = page);
    hasMore = page.rows === PAGE;
    onProgress?.({ done: rows, total: Math.max(rows, (newest?.number ?? 0) - (first?.number ?? 1) + 1) });
    await othersTurn();
  }
  for (const place of [noted, expected]) if (place !== undefined && !hasMore) findings.push(...(await compare(ports, place, first)));
  return {
    rows,
    unchained,
    first: first && infoOf(first),
    last: last && infoOf(last),
    head: rows === 0 ? undefined : after,
    isKeyed,
    findings: findings.slice(0, MOST_FINDINGS),
    findingCount: findings.length,
    isComplete: !hasMore,
  };
}

/** What is wrong with a row that was noted. One that was removed for its age is not missing. */
async function compare({ catalog, locking }: VerifyAuditPorts, place: AuditPlace, first: LoggedEvent | undefined): Promise<AuditFinding[]> {
  const { number, digest } = place;
  if (first !== undefined && number < first.number) return [];
  const [row] = await locking.shared(() => catalog.auditLog({ first: "oldest", after: number - 1, limit: 1 }));
  if (row === undefined) return [{ kind: "cut-off", number }];
  return row.number === number && row.digest === digest ? [] : [{ kind: "not-as-noted", number }];
}

function infoOf({ number, at, action }: LoggedEvent): AuditRowInfo {
  return { number, at, action };
}
