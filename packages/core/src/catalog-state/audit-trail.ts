import { CHAIN_START, linked, placeOf } from "../audit/audit-chain.ts";
import { cutEvent } from "../audit/audit-cut.ts";
import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { AuditCut, AuditQuery } from "../ports/catalog.ts";
import type { CatalogEntries } from "./catalog-entries.ts";

/** The audit log in memory: rows in the order of their numbers, which have no gap. */
export class AuditTrail {
  readonly #rows: LoggedEvent[] = [];
  /** Not yet rows, for want of digests. */
  readonly #waiting: AuditEvent[] = [];
  /** The last row that was given out as a change. */
  #told = 0;
  #toldFirst = 1;

  /** `link` makes rows of them. */
  add(...events: readonly AuditEvent[]): void {
    this.#waiting.push(...events);
  }

  /** Oldest first. */
  get rows(): readonly LoggedEvent[] {
    return this.#rows;
  }

  /** Makes rows of what was added. */
  link(digest: AuditDigest): void {
    for (const event of this.#waiting.splice(0)) this.#rows.push(linked(event, this.#last, digest));
  }

  /** Rows as they were written down: those of before there was a chain have no number. `first`: what came before is gone. */
  restore(rows: CatalogEntries["audit"], first: number | undefined): void {
    for (const row of rows) this.#rows.push({ ...row, number: row.number ?? this.#last.number + 1, digest: row.digest });
    if (first !== undefined) this.#dropBefore(first);
  }

  /** The rows that came since this was asked last, and, if rows went, which is the first now. */
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
    // A place may be of rows that are gone, or not there yet.
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
    // First, so that there is always one to go on from.
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
