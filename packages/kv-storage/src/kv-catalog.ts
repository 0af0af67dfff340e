import {
  answered,
  type BlobRef,
  type CatalogContent,
  type CatalogPort,
  type Decision,
  EVERYTHING,
  type Facts,
  factsOf,
  type NewRow,
  type Read,
  type Reads,
  type RecoveryPort,
  type RowChange,
  type Rule,
  SerialQueue,
  type SessionFacts,
  WorkrailError,
} from "@workrail/core";
import { type Change, isDamage } from "./entry.ts";
import type { Journal } from "./journal.ts";
import type { Position } from "./journal-state.ts";
import type { KeyValues } from "./key-values.ts";
import type { BlobChanges, KvBlobStore } from "./kv-blob-store.ts";

/** Catalog rows in a journal of decisions. A decision whose entry came too late is made again. */
export class KvCatalog implements CatalogPort, RecoveryPort {
  readonly #keys: KeyValues;
  readonly #journal: Journal;
  readonly #blobs: KvBlobStore;
  readonly #turns = new SerialQueue();

  constructor(keys: KeyValues, journal: Journal, blobs: KvBlobStore) {
    this.#keys = keys;
    this.#journal = journal;
    this.#blobs = blobs;
  }

  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    await this.#journal.catchUp();
    return structuredClone(await this.#answers(reads)) as Facts<R>;
  }

  change<Out>(rule: Rule<Out>): Promise<Out> {
    return this.#turns.run(async () => {
      for (;;) {
        const done = await this.#tryChange(rule);
        if (done !== undefined) return structuredClone(done.outcome);
      }
    });
  }

  async state(): Promise<"sound" | "lost"> {
    try {
      await this.#journal.catchUp();
    } catch (error) {
      if (isDamage(error)) return "lost";
      throw error;
    }
    return this.#journal.state.number === 0 && (await this.#blobs.newestKeys()).size > 0 ? "lost" : "sound";
  }

  /** Where the journal is damaged, the facts before the damage. */
  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    if ((await this.state()) === "lost" && !this.#journal.isRead) return;
    const { sessions, removals, erasures, checkpoints } = structuredClone(await this.#answers(EVERYTHING)) as Facts<typeof EVERYTHING>;
    for (const session of sessions) {
      const isOfSession = ({ sessionId }: { readonly sessionId: string }): boolean => sessionId === session.id;
      yield factsOf(session, {
        removals: removals.filter(isOfSession),
        erasures: erasures.filter(isOfSession),
        checkpoints: checkpoints.filter(({ record }) => isOfSession(record)),
      });
    }
  }

  /** Session facts are rows: there is no other place for them. The replaced content stays until a later snapshot. */
  replaceAll({ rows, audit }: CatalogContent, old: "kept-aside" | "erased"): Promise<void> {
    const content = structuredClone({ rows, audit });
    return this.#turns.run(async () => {
      const after = (await this.state()) === "lost" ? await this.#journal.end() : this.#position();
      const blobs = await this.#blobsOf(rows);
      if (!(await this.#journal.replace(after, { ...content, lastCommit: 0, blobs }))) {
        throw new WorkrailError("STORE_IN_USE", "Another process changed the store meanwhile.");
      }
      if (old === "erased") await this.#journal.compact();
    });
  }

  /** Deletes all entries and snapshots that may hold removed rows. */
  purge(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#journal.catchUp();
      while (!(await this.#journal.append(this.#position(), {}))) await this.#journal.catchUp();
      await this.#journal.compact();
    });
  }

  /** Waits for the changes that are under way. */
  async settled(): Promise<void> {
    await this.#turns.run(async () => undefined);
  }

  /** `undefined` when another process changed the store meanwhile. */
  async #tryChange<Out>(rule: Rule<Out>): Promise<{ readonly outcome: Out } | undefined> {
    await this.#journal.catchUp();
    const position = this.#position();
    let next: Decision<Out> | Rule<Out> = rule;
    while ("reads" in next) next = next.decide(await this.#answers(next.reads));
    const decision = next;
    if (decision.blobs === undefined) return (await this.#append(position, changeOf(decision))) ? decision : undefined;
    const { blobs } = decision;
    const { changes, result } = await this.#blobs.collect(() => blobs());
    const change = result ? changeOf(decision) : {};
    if (!(await this.#appendWithBlobs(position, change, changes))) return undefined;
    return { outcome: result ? decision.outcome : (decision.withdrawn as Out) };
  }

  /** Keys are deleted after an entry gave them up. The rows that record a removal follow, so that an interrupted one is repeated. */
  async #appendWithBlobs(position: Position, change: Change, { renamed, removed, keys }: BlobChanges): Promise<boolean> {
    const blobs = [...renamed, ...[...removed].map((ref) => [ref, null] as const)];
    if (removed.size === 0) {
      if (!(await this.#append(position, { ...change, blobs }))) return false;
      // No entry names a key that stays: `removeAbandoned` deletes it.
      for (const key of keys) await this.#keys.delete(key).catch(() => undefined);
      return true;
    }
    if (!(await this.#append(position, { blobs }))) return false;
    const given = this.#position();
    for (const key of keys) await this.#keys.delete(key);
    return this.#append(given, change);
  }

  async #append(position: Position, change: Change): Promise<boolean> {
    const { rows = [], audit = [], auditThrough, blobs = [] } = change;
    if (rows.length + audit.length + blobs.length === 0 && auditThrough === undefined) return this.#isAt(position);
    return this.#journal.append(position, { ...change, blobs: [...blobs, ...this.#namesOf(rows)] });
  }

  /** Names the blobs of new checkpoints. */
  #namesOf(rows: readonly RowChange[]): Change["blobs"] & {} {
    return refsOf(rows).flatMap((ref) => {
      const key = this.#journal.state.keyOf(ref) === undefined ? this.#journal.keyOf(ref) : undefined;
      return key === undefined ? [] : [[ref, key] as const];
    });
  }

  #position(): Position {
    const { number, id } = this.#journal.state;
    return { number, id };
  }

  #isAt({ number, id }: Position): boolean {
    return this.#journal.state.number === number && this.#journal.state.id === id;
  }

  async #answers(reads: Reads): Promise<Facts<Reads>> {
    const present = new Map<Read, boolean>();
    for (const read of Object.values(reads)) if (read.of === "blob") present.set(read, await this.#blobs.has(read.ref));
    return answered(reads, (read) => present.get(read) ?? this.#journal.state.answer(read));
  }

  /** Finds the keys of all blobs that rows may need. */
  async #blobsOf(rows: readonly NewRow[]): Promise<readonly (readonly [BlobRef, string])[]> {
    const newest = await this.#blobs.newestKeys();
    return refsOf(rows).flatMap((ref) => {
      const key = this.#journal.keyOf(ref) ?? newest.get(ref);
      return key === undefined ? [] : [[ref, key] as const];
    });
  }
}

/** Without session facts outside of the catalog, no caller asks for a finished removal. */
function changeOf({ rows, audit, auditThrough }: Decision<unknown>): Change {
  return {
    rows: rows.map((row) => (row.table === "removal" && row.now?.isDone === true ? { ...row, now: undefined } : row)),
    audit,
    auditThrough,
  };
}

function refsOf(rows: readonly RowChange[]): readonly BlobRef[] {
  return [
    ...new Set(
      rows.flatMap((row) => {
        if (row.table === "checkpoint") return row.now === undefined ? [] : [row.now.record.blob];
        return (row.table === "removal" || row.table === "erasure") && row.now !== undefined ? [row.now.blob] : [];
      }),
    ),
  ];
}
