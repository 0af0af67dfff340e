import { CHAIN_START, checkLinks, linked, placeOf } from "../audit/audit-chain.ts";
import { beginningAfter, cutEvent } from "../audit/audit-cut.ts";
import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { AuditCheck, AuditCut, AuditQuery, AuditWalk, ChangePage, ChangeQuery } from "../ports/catalog.ts";
import type { CatalogEntries } from "./catalog-entries.ts";
import { changesIn, positionBehind, rowBefore } from "./changes.ts";

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

  query({ actions, sessionId, checkpointId, at, since, until, limit, first = "newest", after }: AuditQuery): readonly LoggedEvent[] {
    const isOldestFirst = first === "oldest";
    const isBehind = ({ number }: LoggedEvent): boolean => after === undefined || (isOldestFirst ? number > after : number < after);
    const rows = this.#rows.filter(
      (row) =>
        isBehind(row) &&
        actions?.includes(row.action) !== false &&
        (sessionId === undefined || row.sessionId === sessionId) &&
        (checkpointId === undefined || row.checkpointId === checkpointId) &&
        (at === undefined || row.at.getTime() === at.getTime()) &&
        (since === undefined || row.at >= since) &&
        (until === undefined || row.at <= until),
    );
    return (isOldestFirst ? rows : rows.toReversed()).slice(0, limit);
  }

  check({ after, limit }: AuditWalk, digest: AuditDigest): Omit<AuditCheck, "isKeyed"> {
    const from = after ?? beginningAfter(this.query({ actions: ["audit-cut"], limit: 1 })[0]);
    const rows = this.query({ first: "oldest", after: from.number, limit });
    return { rows: rows.length, first: rows[0], last: rows.at(-1), noted: undefined, ...checkLinks(rows, from, digest) };
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

  changes({ after, limit }: ChangeQuery): ChangePage | undefined {
    if (after === undefined) return { sessions: [], position: positionBehind(this.#rows.at(-1)), hasMore: false, rows: 0 };
    const before = rowBefore(after);
    if (positionBehind(this.#rows[this.#indexOf(before)]) !== after) return undefined;
    return changesIn(after, this.query({ first: "oldest", after: before, limit: limit + 1 }), limit);
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
