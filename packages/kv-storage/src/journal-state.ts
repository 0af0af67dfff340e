import { type Answers, type BlobRef, MemoryTables, type Read } from "@workrail/core";
import type { Entry, Snapshot } from "./entry.ts";

/** Entries whose ids are kept, so that a writer that slept can find out if its entry counts. */
const IDS = 1_000;

/** Last entry that a state contains. */
export interface Position {
  /** 0: before the first entry. */
  readonly number: number;
  readonly id: string;
}

/** Content of a store after an entry of its journal. */
export class JournalState implements Position {
  readonly #tables: MemoryTables;
  /** Key of each blob that a row may need. */
  readonly #blobs: Map<BlobRef, string>;
  readonly #ids: string[];
  #number: number;

  /** Makes the state of a snapshot; without one, the state of an empty store. */
  constructor({ number, ids, blobs, ...content }: Snapshot = { number: 0, ids: [], blobs: [], rows: [], audit: [], lastCommit: 0 }) {
    this.#number = number;
    this.#ids = [...ids];
    this.#blobs = new Map(blobs);
    this.#tables = new MemoryTables(() => true, content);
  }

  get number(): number {
    return this.#number;
  }

  get id(): string {
    return this.#ids.at(-1) ?? "";
  }

  /** Rows that a snapshot would hold, roughly. */
  get size(): number {
    return this.#blobs.size + this.#tables.audit.length;
  }

  get snapshot(): Snapshot {
    return { number: this.#number, ids: this.#ids, blobs: [...this.#blobs], ...this.#tables.content };
  }

  answer<R extends Read>(read: R): Answers[R["of"]] {
    return this.#tables.answer(read);
  }

  /** Returns the key of a committed blob. */
  keyOf(ref: BlobRef): string | undefined {
    return this.#blobs.get(ref);
  }

  /** Returns the id of an earlier entry; `undefined` when it is too old. */
  idOf(number: number): string | undefined {
    return this.#ids.at(number - this.#number - 1);
  }

  /** Applies the next entry. */
  apply(entry: Entry): void {
    this.#tables.apply(entry);
    for (const [ref, key] of entry.blobs) {
      if (key === null) this.#blobs.delete(ref);
      else this.#blobs.set(ref, key);
    }
    this.#number += 1;
    this.#ids.push(entry.id);
    this.#ids.splice(0, this.#ids.length - IDS);
  }
}
