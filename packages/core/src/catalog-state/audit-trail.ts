import { CHAIN_START, linked, placeOf } from "../audit/audit-chain.ts";
import { cutEvent } from "../audit/audit-cut.ts";
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

  query({ limit = Number.POSITIVE_INFINITY, first = "newest", after, ...wanted }: AuditQuery): readonly LoggedEvent[] {
    const found: LoggedEvent[] = [];
    const step = first === "oldest" ? 1 : -1;
    let index = step === 1 ? 0 : this.#rows.length - 1;
    // `after` may be the number of a row that is gone, or that does not exist yet.
    if (after !== undefined) index = step === 1 ? Math.max(index, this.#indexOf(after + 1)) : Math.min(index, this.#indexOf(after - 1));
    for (let row = this.#rows[index]; row !== undefined && found.length < limit; row = this.#rows[(index += step)]) {
      if (isWanted(row, wanted)) found.push(row);
    }
    return found;
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

function isWanted(
  row: LoggedEvent,
  { actions, sessionId, checkpointId, at, since, until }: Omit<AuditQuery, "limit" | "first" | "after">,
): boolean {
  return (
    actions?.includes(row.action) !== false &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (checkpointId === undefined || row.checkpointId === checkpointId) &&
    (at === undefined || row.at.getTime() === at.getTime()) &&
    (since === undefined || row.at >= since) &&
    (until === undefined || row.at <= until)
  );
}
