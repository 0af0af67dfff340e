import { CHAIN_START, linked, placeOf } from "../audit/audit-chain.ts";
import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { AuditChain, ChainedStorage, Storage } from "../ports/storage.ts";
import type { CatalogPort, ChainedRecovery, RecoveryPort } from "./catalog-port.ts";
import type { Read } from "./reads.ts";
import { mapped, type Rule, rule } from "./rule.ts";

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
