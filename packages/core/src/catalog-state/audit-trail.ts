import { CHAIN_START, linked, placeOf } from "../audit/audit-chain.ts";
import { cutEvent } from "../audit/audit-cut.ts";
import { queryAudit } from "../audit/query-audit.ts";
import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { AuditCut, AuditQuery } from "../ports/catalog.ts";
import type { CatalogEntries } from "./catalog-entries.ts";

/** The audit log in memory: rows in the order of their numbers, without gaps. */
export class AuditTrail {
  readonly #rows: LoggedEvent[] = [];
  /** Events without digests, which are not rows yet. */
  readonly #waiting: AuditEvent[] = [];
  /** Number of the last row that `takeNew` returned. */
  #told = 0;
  #toldFirst = 1;

  /** Adds events, which `link` turns into rows. */
  add(...events: readonly AuditEvent[]): void {
    this.#waiting.push(...events);
  }

  /** All rows, oldest first. */
  get rows(): readonly LoggedEvent[] {
    return this.#rows;
  }

  /** Chains the added events and makes rows of them. */
  link(digest: AuditDigest): void {
    for (const event of this.#waiting.splice(0)) this.#rows.push(linked(event, this.#last, digest));
  }

  /** Restores written rows. Rows that are older than the chain have no number. Drops the rows before `first`. */
  restore(rows: CatalogEntries["audit"], first: number | undefined): void {
    for (const row of rows) this.#rows.push({ ...row, number: row.number ?? this.#last.number + 1, digest: row.digest });
    if (first !== undefined) this.#dropBefore(first);
  }

  /** Returns the rows since the last call, and the number of the first row when rows were removed. */
  takeNew(): { readonly rows: readonly LoggedEvent[]; readonly first: number | undefined } {
    const rows = this.#rows.slice(Math.max(0, this.#indexOf(this.#told + 1)));
    const first = this.#first > this.#toldFirst ? this.#first : undefined;
    this.#told = this.#last.number;
    this.#toldFirst = this.#first;
    return { rows, first };
  }

  query(query: AuditQuery): readonly LoggedEvent[] {
    return queryAudit(this.#rows, query);
  }

  cut({ before, at, limit }: AuditCut, digest: AuditDigest): number {
    const kept = this.#rows.findIndex((row) => row.at >= before);
    const count = Math.min(kept === -1 ? this.#rows.length : kept, limit);
    const last = this.#rows[count - 1];
    if (last === undefined) return 0;
    // Add the row first, so that the log always has a row to chain the next one to.
    this.add(cutEvent(placeOf(last), at));
    this.link(digest);
    this.#dropBefore(last.number + 1);
    return count;
  }

  get #last(): Pick<LoggedEvent, "number"> & { readonly digest: string } {
    const last = this.#rows.at(-1);
    return last === undefined ? CHAIN_START : placeOf(last);
  }

  get #first(): number {
    return this.#rows[0]?.number ?? 1;
  }

  #indexOf(number: number): number {
    return number - this.#first;
  }

  #dropBefore(number: number): void {
    this.#rows.splice(0, Math.max(0, this.#indexOf(number)));
  }
}
