import type { BlobRef, SessionId } from "../model/ids.ts";

/** Rows keyed by blob, with an index by session. */
export class BlobTable<Row extends { readonly blob: BlobRef; readonly sessionId: SessionId }> {
  readonly #rows = new Map<BlobRef, Row>();
  readonly #bySession = new Map<SessionId, Set<BlobRef>>();

  set(row: Row): void {
    this.delete(row.blob);
    this.#rows.set(row.blob, row);
    const blobs = this.#bySession.get(row.sessionId) ?? new Set();
    this.#bySession.set(row.sessionId, blobs.add(row.blob));
  }

  delete(blob: BlobRef): void {
    const row = this.#rows.get(blob);
    if (row === undefined) return;
    this.#rows.delete(blob);
    const blobs = this.#bySession.get(row.sessionId);
    blobs?.delete(blob);
    if (blobs?.size === 0) this.#bySession.delete(row.sessionId);
  }

  values(): Iterable<Row> {
    return this.#rows.values();
  }

  /** Returns all rows with one of these blobs, or of this session; possibly others too. */
  candidates({
    blobs,
    sessionId,
  }: {
    readonly blobs?: readonly BlobRef[] | undefined;
    readonly sessionId?: SessionId | undefined;
  }): readonly Row[] {
    const refs = blobs ?? (sessionId === undefined ? undefined : [...(this.#bySession.get(sessionId) ?? [])]);
    if (refs === undefined) return [...this.#rows.values()];
    return [...new Set(refs)].map((ref) => this.#rows.get(ref)).filter((row) => row !== undefined);
  }
}
