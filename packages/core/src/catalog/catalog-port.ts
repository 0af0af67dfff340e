import type { AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { SessionFacts } from "../model/session.ts";
import type { Facts, Reads } from "./reads.ts";
import type { NewRow } from "./rows.ts";
import type { Rule } from "./rule.ts";

/** Holds the rows of a catalog. Decides nothing. */
export interface CatalogPort {
  /** Answers all reads as of one moment. */
  read<const R extends Reads>(reads: R): Promise<Facts<R>>;
  /**
   * Reads the facts of a rule, has the rule decide, and applies the decision: all of it, durably before it resolves, or nothing. No
   * other change comes between the facts and the decision. A rejection means that nothing was applied, unless `details.outcome` is
   * `"unknown"`.
   */
  change<Out>(rule: Rule<Out>): Promise<Out>;
}

/** Reads a catalog and cannot change it. */
export type CatalogReader = Pick<CatalogPort, "read">;

/** Restores a catalog. */
export interface RecoveryPort {
  /**
   * `lost`: the catalog never held anything although there are blobs, or cannot be read. Repairs in place first. `deep` reads
   * everything while other work goes on; `ifDue` only when that is due.
   */
  state(options?: { readonly deep?: "always" | "ifDue" | undefined }): Promise<"sound" | "lost">;
  /** Reads the facts of every session that survive the loss of the catalog. */
  sessionFacts(): AsyncIterable<SessionFacts>;
  /**
   * Replaces all rows, all or nothing. Called with the store locked exclusively. `old`: the replaced content is kept aside where
   * possible, or no file holds it afterwards.
   */
  replaceAll(content: CatalogContent, old: "kept-aside" | "erased"): Promise<void>;
}

/** Whole content of a catalog. */
export interface CatalogContent {
  /** Checkpoints come in the order of their commits. */
  readonly rows: readonly NewRow[];
  readonly audit: readonly LoggedEvent[];
  /** Session facts to write outside of the catalog; the others stay as they are. */
  readonly facts: readonly SessionFacts[];
}

/** Whole content of a catalog whose audit rows are not chained yet. */
export interface UnchainedContent extends Omit<CatalogContent, "audit"> {
  readonly audit: readonly AuditEvent[];
}

/** Restores a catalog, and chains the audit rows. */
export interface ChainedRecovery extends RecoveryPort {
  replaceAll(content: UnchainedContent, old: "kept-aside" | "erased"): Promise<void>;
}
