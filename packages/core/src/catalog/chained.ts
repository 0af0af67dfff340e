import { CHAIN_START, linked, placeOf } from "../audit/audit-chain.ts";
import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CatalogPort } from "./catalog-port.ts";
import type { Read } from "./reads.ts";
import { mapped, type Rule, rule } from "./rule.ts";

const LAST: Extract<Read, { of: "audit" }> = { of: "audit", query: { limit: 1 } };

/** Chains the audit rows of every decision. `digest` returns the digest of new rows. */
export function chained(catalog: CatalogPort, digest: () => AuditDigest): CatalogPort {
  return {
    read: (reads) => catalog.read(reads),
    change: (change) => catalog.change(linking(change, digest)),
  };
}

function linking<Out>(change: Rule<Out>, digest: () => AuditDigest): Rule<Out> {
  const linkAll = mapped(change, (decision) => {
    if (decision.audit.length === 0) return decision;
    return rule({
      reads: { last: LAST },
      decide: ({ last }) => ({ ...decision, audit: chain(decision.audit, last[0], digest()) }),
    });
  });
  return { ...linkAll, ahead: [...(change.ahead ?? []), LAST] };
}

/** Makes rows of events, after a last row. */
export function chain(events: readonly AuditEvent[], last: LoggedEvent | undefined, digest: AuditDigest): readonly LoggedEvent[] {
  let place = last === undefined ? CHAIN_START : placeOf(last);
  return events.map((event) => {
    const row = linked(event, place, digest);
    place = placeOf(row);
    return row;
  });
}
