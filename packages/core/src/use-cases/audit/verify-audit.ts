import type { AuditAction, AuditBreak, AuditPlace, LoggedEvent } from "../../model/audit.ts";
import { yieldToEventLoop } from "../../turns.ts";
import type { Locking } from "../../ports/locking.ts";
import { auditRows, checkAudit } from "../../catalog/queries/read-audit.ts";
import type { AuditChain } from "../../ports/storage.ts";

export interface VerifyAuditPorts {
  readonly chain: AuditChain;
  readonly locking: Pick<Locking, "shared">;
}

export interface VerifyAuditOptions {
  /** Row noted elsewhere, such as the last one of an earlier check: it must still exist unchanged. */
  readonly expected?: AuditPlace | undefined;
  /** Called after each page of rows. */
  readonly onProgress?: ((progress: VerifyAuditProgress) => void) | undefined;
  /** Aborts early; the findings so far are reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

export interface VerifyAuditProgress {
  readonly done: number;
  /** Rows at the beginning. */
  readonly total: number;
}

/**
 * Fault in the audit log: a break in its chain, or a contradiction to a row noted elsewhere. `cut-off`: the noted row and later
 * ones are gone. `not-as-noted`: the row differs.
 */
export type AuditFinding = AuditBreak | { readonly kind: "cut-off" | "not-as-noted"; readonly number: number };

/** Row that bounds the log. */
export interface AuditRowInfo {
  readonly number: number;
  readonly at: Date;
  readonly action: AuditAction;
}

export interface AuditReport {
  /** Rows examined. */
  readonly rows: number;
  /** Rows from before chaining was introduced. Nothing is proven about them. */
  readonly unchained: number;
  readonly first: AuditRowInfo | undefined;
  readonly last: AuditRowInfo | undefined;
  /** Last row, to be noted elsewhere: with it a later check detects a cut at the end. `undefined` for an empty log. */
  readonly head: AuditPlace | undefined;
  /**
   * True when only a holder of the store's key can make valid rows. Otherwise the check detects accidents, but not a forger who
   * recomputes all digests.
   */
  readonly isKeyed: boolean;
  /** The first hundred. */
  readonly findings: readonly AuditFinding[];
  readonly findingCount: number;
  /** `false` when the check was aborted. */
  readonly isComplete: boolean;
}

const PAGE = 1_000;
const MOST_FINDINGS = 100;
/** Attempts when the oldest rows are removed during the check. */
const MAX_LOOKS = 3;

/**
 * Verifies the audit log page by page, while others may write: every row is unchanged and none is missing.
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

/** Returns the number of the last `audit-cut` row. */
async function lastCut({ chain, locking }: VerifyAuditPorts): Promise<number | undefined> {
  const [cut] = await locking.shared(() => auditRows(chain.rows, { actions: ["audit-cut"], limit: 1 }));
  return cut?.number;
}

async function walk(ports: VerifyAuditPorts, { expected, onProgress, signal }: VerifyAuditOptions): Promise<AuditReport> {
  const { chain, locking } = ports;
  const findings: AuditFinding[] = [];
  let [rows, unchained, hasMore] = [0, 0, true];
  let after: AuditPlace | undefined;
  let [first, last]: (LoggedEvent | undefined)[] = [];
  let noted: AuditPlace | undefined;
  let isKeyed = false;
  const [newest] = await locking.shared(() => auditRows(chain.rows, { limit: 1 }));
  while (hasMore) {
    if (signal?.aborted === true) break;
    const page = await locking.shared(() => checkAudit(chain, { after, limit: PAGE }));
    rows += page.rows;
    unchained += page.unchained;
    findings.push(...page.breaks);
    first ??= page.first;
    last = page.last ?? last;
    // Uses the note of the first page: a later one may be newer than the rows read so far.
    if (after === undefined) noted = page.noted;
    ({ place: after, isKeyed } = page);
    hasMore = page.rows === PAGE;
    onProgress?.({ done: rows, total: Math.max(rows, (newest?.number ?? 0) - (first?.number ?? 1) + 1) });
    await yieldToEventLoop();
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

/** Compares a noted row with the log. A row removed for its age is not missing. */
async function compare({ chain, locking }: VerifyAuditPorts, place: AuditPlace, first: LoggedEvent | undefined): Promise<AuditFinding[]> {
  const { number, digest } = place;
  if (first !== undefined && number < first.number) return [];
  const [row] = await locking.shared(() => auditRows(chain.rows, { first: "oldest", after: number - 1, limit: 1 }));
  if (row === undefined) return [{ kind: "cut-off", number }];
  return row.number === number && row.digest === digest ? [] : [{ kind: "not-as-noted", number }];
}

function infoOf({ number, at, action }: LoggedEvent): AuditRowInfo {
  return { number, at, action };
}
