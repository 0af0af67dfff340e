import type { AuditBreak, AuditDigest, AuditEvent, AuditPlace, LinkCheck, LoggedEvent } from "../model/audit.ts";
import type { AuditChain, ChainedStorage, Storage } from "../ports/storage.ts";
import type { CatalogPort, ChainedRecovery, RecoveryPort } from "../catalog/catalog-port.ts";
import type { Read } from "../catalog/reads.ts";
import { mapped, type Rule, rule } from "../catalog/rule.ts";

/** Place before the very first row. */
export const CHAIN_START: AuditPlace = { number: 0, digest: "0".repeat(32) };

/** Makes an event the row after a place. */
export function linked(event: AuditEvent, behind: AuditPlace, digest: AuditDigest): LoggedEvent {
  const row = { ...event, number: behind.number + 1 };
  return { ...row, digest: digestOf(row, behind.digest, digest) };
}

/** Returns the place of a row. */
export function placeOf({ number, digest }: Pick<LoggedEvent, "number" | "digest">): AuditPlace {
  return { number, digest: digest ?? CHAIN_START.digest };
}

/**
 * Verifies that rows, ordered by number, continue the chain from a place. After a break, the check continues from the row's own
 * digest.
 */
export function checkLinks(rows: Iterable<LoggedEvent>, from: AuditPlace, digest: AuditDigest): LinkCheck {
  const breaks: AuditBreak[] = [];
  let unchained = 0;
  let place = from;
  for (const row of rows) {
    const { number } = row;
    const isBegun = place.digest !== CHAIN_START.digest;
    if (number !== place.number + 1) breaks.push({ kind: "missing", number: place.number + 1, through: number - 1 });
    else if (row.digest === undefined) {
      if (isBegun) breaks.push({ kind: "unchained", number });
      else unchained += 1;
    } else if (row.digest !== digestOf(row, place.digest, digest)) breaks.push({ kind: "changed", number });
    place = { number, digest: row.digest ?? place.digest };
  }
  return { breaks, unchained, place };
}

/** Digests a row as `docs/reference/audit-log.md` defines. Lone surrogates are replaced first, as a database does. */
function digestOf(row: Omit<LoggedEvent, "digest">, previous: string, digest: AuditDigest): string {
  const { number, at, action, sessionId, checkpointId, agentId, reason, subject } = row;
  const texts = [sessionId, checkpointId, agentId, reason].map((text) => text?.toWellFormed() ?? null);
  // Rows without a subject have the digests that they had before there were subjects.
  if (subject !== undefined) texts.push(subject.toWellFormed());
  return digest(`${previous}\n${JSON.stringify([number, at.toISOString(), action, ...texts])}`).slice(0, CHAIN_START.digest.length);
}

const THROUGH = /^through (\d{1,15}) ([0-9a-f]{32})$/u;

/**
 * Returns the event that records the removal of the rows up to a place. It holds the digest of the last removed row, so that the
 * remaining rows can still be verified.
 */
export function cutEvent(through: AuditPlace, at: Date): AuditEvent {
  const reason = `through ${through.number} ${through.digest}`;
  return { at, action: "audit-cut", sessionId: undefined, checkpointId: undefined, agentId: undefined, reason };
}

/** Returns the place after which a cut log begins. `cut` is the last `audit-cut` row; without one the log begins at the start. */
export function beginningAfter(cut: Pick<LoggedEvent, "reason"> | undefined): AuditPlace {
  const [, number, digest] = THROUGH.exec(cut?.reason ?? "") ?? [];
  return number === undefined || digest === undefined ? CHAIN_START : { number: Number(number), digest };
}

const LAST: Extract<Read, { of: "audit" }> = { of: "audit", query: { limit: 1 } };

type Unchained = Pick<Storage, "catalog" | "recovery" | "chain">;

type Chained = Pick<ChainedStorage, "recovery" | "chain">;

/** Chains the audit rows of every decision. No-op for a storage that is chained already. */
export function chained<S extends Unchained>(
  storage: S,
  digest: AuditDigest,
  { isKeyed = false }: Partial<Pick<AuditChain, "isKeyed">> = {},
): S & Chained {
  const { catalog, recovery, chain = { rows: catalog, digest, isKeyed } } = storage;
  if (chain === storage.chain) return { ...storage, chain };
  return { ...storage, catalog: chainedCatalog(catalog, digest), recovery: chainedRecovery(recovery, digest), chain };
}

function chainedCatalog(catalog: CatalogPort, digest: AuditDigest): CatalogPort {
  return {
    read: (reads) => catalog.read(reads),
    change: (change) => catalog.change(linking(change, digest)),
  };
}

function chainedRecovery(recovery: RecoveryPort, digest: AuditDigest): ChainedRecovery {
  return {
    state: (options) => recovery.state(options),
    sessionFacts: () => recovery.sessionFacts(),
    replaceAll: (content, old) => recovery.replaceAll({ ...content, audit: chainOf(content.audit, undefined, digest) }, old),
  };
}

function linking<Out>(change: Rule<Out>, digest: AuditDigest): Rule<Out> {
  const linkAll = mapped(change, (decision) => {
    if (decision.audit.length === 0) return decision;
    return rule({
      reads: { last: LAST },
      decide: ({ last }) => ({ ...decision, audit: chainOf(decision.audit, last[0], digest) }),
    });
  });
  return { ...linkAll, ahead: [...(change.ahead ?? []), LAST] };
}

/** Makes rows of events, after a last row. */
function chainOf(events: readonly AuditEvent[], last: LoggedEvent | undefined, digest: AuditDigest): readonly LoggedEvent[] {
  let place = last === undefined ? CHAIN_START : placeOf(last);
  return events.map((event) => {
    const row = linked(event, place, digest);
    place = placeOf(row);
    return row;
  });
}
