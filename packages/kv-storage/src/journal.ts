import { type BlobRef, runFinally, WorkrailError } from "@workrail/core";
import { type Change, decodedEntry, decodedSnapshot, encoded, type Entry, isDamage, type Snapshot } from "./entry.ts";
import { JournalState, type Position } from "./journal-state.ts";
import type { KeyValues } from "./key-values.ts";
import { sortedKeys } from "./reported-keys.ts";

const ENTRIES = "journal/";
const SNAPSHOTS = "snapshot/";

/** Entries between two snapshots, at least. */
const LEAST_ENTRIES = 128;
/** A snapshot is due when there are this many rows to an entry since the last one, so that its cost per save does not grow. */
const ROWS_PER_ENTRY = 4;
/** Entries read at the same time. */
const MOST_READS = 32;

/**
 * Changes of a store under ascending numbers. The process that puts the next number first changes the store; the others read that entry and
 * decide again. Snapshots hold the whole content, so that old entries can be deleted.
 *
 * A process may sleep at any moment, and wake when entries were deleted that it never read. Entries are deleted in ascending order, so
 * whenever the last entry that it knows is still there, no later one was deleted. It looks for that entry with each reading and after
 * each writing.
 */
export class Journal {
  readonly #keys: KeyValues;
  /** Keys of the blobs that this process put and that no entry names yet. */
  readonly #pending = new Map<BlobRef, string>();
  #state: JournalState | undefined;
  #reading: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #lastSnapshot = 0;
  #upkeep: Promise<void> = Promise.resolve();

  constructor(keys: KeyValues) {
    this.#keys = keys;
  }

  /** Content after the last entry that was read. */
  get state(): JournalState {
    if (this.#state === undefined) throw new WorkrailError("INTERNAL", "The journal was not read yet.");
    return this.#state;
  }

  /** Reads all entries up to now. Calls at the same time share a reading that began after them. */
  async catchUp(): Promise<void> {
    if (this.#reading === undefined) return this.#read();
    this.#waiting ??= this.#reading.then(ignore, ignore).then(() => {
      this.#waiting = undefined;
      return this.#read();
    });
    await this.#waiting;
  }

  get isRead(): boolean {
    return this.#state !== undefined;
  }

  /** Reads all entries unless that was done before. */
  async ensureRead(): Promise<void> {
    if (this.#state === undefined) await this.catchUp();
  }

  /** Key of a blob: of the committed one, else of one that this process put. */
  keyOf(ref: BlobRef): string | undefined {
    return this.#state?.keyOf(ref) ?? this.#pending.get(ref);
  }

  /** Notes a blob that the next entries may name. An entry of any process that names this blob ends the note. */
  notePending(ref: BlobRef, key: string): void {
    this.#pending.set(ref, key);
  }

  /**
   * Puts the entry that follows a state. False: another entry follows it, and nothing was changed.
   *
   * @throws STORAGE_UNAVAILABLE with `outcome: "unknown"` when the entry's outcome is unknown.
   */
  async append(after: Position, change: Change): Promise<boolean> {
    const entry: Entry = { id: globalThis.crypto.randomUUID(), rows: [], audit: [], blobs: [], ...change };
    return this.#put(after, entry);
  }

  /** Replaces all content. False: another entry follows the state. */
  async replace(after: Position, content: Omit<Snapshot, "number" | "ids">): Promise<boolean> {
    const id = globalThis.crypto.randomUUID();
    const snapshot = { ...content, number: after.number + 1, ids: [id] };
    const key = snapshotKey({ number: snapshot.number, id });
    await this.#keys.putIfAbsent(key, encoded(snapshot));
    const isDone = await this.#put(after, { id, rows: [], audit: [], blobs: [], isReplaced: true });
    if (!isDone) await this.#keys.delete(key);
    return isDone;
  }

  /** Last position of a journal that cannot be read. Only a replacement can follow it. */
  async end(): Promise<Position> {
    const last = [(await sortedKeys(this.#keys, ENTRIES)).at(-1), (await sortedKeys(this.#keys, SNAPSHOTS)).at(-1)];
    return { number: Math.max(0, ...last.map((key) => (key === undefined ? 0 : numberOf(key)))), id: "" };
  }

  /** Writes a snapshot, and deletes everything older than it. */
  async compact(): Promise<void> {
    await this.#upkeep;
    const { state } = this;
    await this.#keys.putIfAbsent(snapshotKey(state), encoded(state.snapshot));
    this.#lastSnapshot = state.number;
    await this.#deleteBefore(state.number);
  }

  /** Waits for the snapshot that is being written. */
  async settled(): Promise<void> {
    await this.#upkeep;
  }

  async #read(): Promise<void> {
    const reading = this.#readNewLines();
    this.#reading = reading;
    await runFinally(
      () => reading,
      () => {
        if (this.#reading === reading) this.#reading = undefined;
      },
    );
  }

  async #readNewLines(): Promise<void> {
    this.#state ??= await this.#load();
    for (let count = 1; ; count = Math.min(2 * count, MOST_READS)) {
      const { number, id } = this.state;
      const numbers = Array.from({ length: count }, (_, index) => number + 1 + index);
      const [isHeld, ...values] = await Promise.all([
        this.#isHeld({ number, id }),
        ...numbers.map((each) => this.#keys.get(entryKey(each))),
      ]);
      if (!isHeld) {
        await this.#reload();
        continue;
      }
      for (const [index, each] of numbers.entries()) {
        const value = values[index];
        if (value === undefined) return;
        if (!(await this.#applyValue(each, value))) break;
      }
    }
  }

  /** Applies an entry. False: it is damaged, and a later snapshot was read in its place. */
  async #applyValue(number: number, value: Uint8Array): Promise<boolean> {
    try {
      await this.#apply(number, decodedEntry(entryKey(number), value));
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      const later = await this.#load();
      if (later.number < number) throw error;
      this.#state = later;
      this.#pending.clear();
      return false;
    }
  }

  /** Applies an entry unless that was done meanwhile. */
  async #apply(number: number, entry: Entry): Promise<void> {
    if (entry.isReplaced === true) {
      if (this.#state !== undefined && this.state.number >= number) return;
      const key = snapshotKey({ number, id: entry.id });
      const value = await this.#keys.get(key);
      // A later snapshot may have taken its place.
      if (value === undefined) return this.#reload();
      if (this.#state !== undefined && this.state.number >= number) return;
      this.#state = new JournalState(decodedSnapshot(key, value));
      this.#lastSnapshot = number;
      this.#pending.clear();
      return;
    }
    if (this.state.number !== number - 1) return;
    this.state.apply(entry);
    for (const [ref] of entry.blobs) this.#pending.delete(ref);
  }

  async #put(after: Position, entry: Entry): Promise<boolean> {
    const number = after.number + 1;
    const value = encoded(entry);
    if (!(await this.#isPut(number, entry.id, value))) return false;
    if (!(await orUnknown(this.#isHeld(after)))) return this.#isCounted(number, entry.id);
    // Read back, so that the content is the same in every process.
    await orUnknown(this.#apply(number, decodedEntry(entryKey(number), value)));
    this.#startUpkeep();
    return true;
  }

  async #isPut(number: number, id: string, value: Uint8Array): Promise<boolean> {
    try {
      return await this.#keys.putIfAbsent(entryKey(number), value);
    } catch (error) {
      return this.#settle(number, id, error);
    }
  }

  /** Finds out what became of an entry. An empty entry under its number refuses a write that is still under way. */
  async #settle(number: number, id: string, error: unknown): Promise<boolean> {
    const empty: Entry = { id: globalThis.crypto.randomUUID(), rows: [], audit: [], blobs: [] };
    const isRefused = await this.#keys.putIfAbsent(entryKey(number), encoded(empty)).catch(ignore);
    if (isRefused === true) throw error;
    const found = await orUnknown(this.#idAt(number));
    if (found === undefined) throw unknownOutcome(error);
    return found === id;
  }

  /** Finds out if an entry counts that was put after a sleep. */
  async #isCounted(number: number, id: string): Promise<boolean> {
    await orUnknown(this.#reload());
    const counted = this.state.idOf(number);
    if (counted === undefined) throw unknownOutcome(undefined);
    if (counted === id) return true;
    // No process reads this entry, for all begin with a later snapshot.
    await this.#keys.delete(entryKey(number));
    return false;
  }

  /** True when no entry after this position was deleted. */
  async #isHeld({ number, id }: Position): Promise<boolean> {
    if (id !== "") return (await this.#idAt(number)) === id;
    if (number > 0) return true;
    // Nothing is deleted before there is a snapshot.
    for (const key of await sortedKeys(this.#keys, SNAPSHOTS)) if (await this.#isComplete(key)) return false;
    return true;
  }

  /** A snapshot without its entry belongs to a replacement that was never completed. */
  async #isComplete(snapshot: string): Promise<boolean> {
    return (await this.#idAt(numberOf(snapshot))) === snapshot.slice(snapshot.indexOf(".") + 1);
  }

  async #idAt(number: number): Promise<string | undefined> {
    const value = await this.#keys.get(entryKey(number));
    return value === undefined ? undefined : idOf(value);
  }

  async #reload(): Promise<void> {
    this.#state = await this.#load();
    this.#pending.clear();
  }

  /** Reads the newest snapshot. */
  async #load(): Promise<JournalState> {
    for (let before = ""; ;) {
      let damage: unknown;
      const names = (await sortedKeys(this.#keys, SNAPSHOTS)).toReversed();
      for (const key of names) {
        const value = await this.#keys.get(key);
        if (value === undefined || !(await this.#isComplete(key))) continue;
        try {
          const state = new JournalState(decodedSnapshot(key, value));
          this.#lastSnapshot = state.number;
          return state;
        } catch (error) {
          // The snapshot before it is there, and the entries after that.
          if (!isDamage(error)) throw error;
          damage = error;
        }
      }
      if (damage !== undefined) throw damage;
      // Newer snapshots may have replaced all of them meanwhile.
      if (names.join() === before) return new JournalState();
      before = names.join();
    }
  }

  /** Writes a snapshot when one is due. The saver does not wait for it. */
  #startUpkeep(): void {
    const { number, size } = this.state;
    if (number - this.#lastSnapshot < Math.max(LEAST_ENTRIES, size / ROWS_PER_ENTRY)) return;
    const before = this.#lastSnapshot;
    this.#lastSnapshot = number;
    // After a failure the next snapshot is due as usual.
    this.#upkeep = this.#upkeep.then(() => this.#writeSnapshot(before)).catch(ignore);
  }

  async #writeSnapshot(before: number): Promise<void> {
    const newest = Math.max(0, ...(await sortedKeys(this.#keys, SNAPSHOTS)).map(numberOf));
    // Another process wrote one since the last that this process knows.
    if (newest > before) {
      this.#lastSnapshot = newest;
      return;
    }
    await this.#keys.putIfAbsent(snapshotKey(this.state), encoded(this.state.snapshot));
    // The snapshot before this one stays, with the entries after it: other processes may be reading them.
    await this.#deleteBefore(newest);
  }

  async #deleteBefore(number: number): Promise<void> {
    for (const folder of [ENTRIES, SNAPSHOTS]) {
      const old = (await sortedKeys(this.#keys, folder)).filter((key) => numberOf(key) < number);
      for (const key of old) await this.#keys.delete(key);
    }
  }
}

function entryKey(number: number): string {
  return `${ENTRIES}${String(number).padStart(12, "0")}`;
}

function snapshotKey({ number, id }: Position): string {
  return `${SNAPSHOTS}${String(number).padStart(12, "0")}.${id}`;
}

/** An entry begins with its id. */
function idOf(entry: Uint8Array): string | undefined {
  return /^\{"id":"([\da-f-]+)"/u.exec(new TextDecoder().decode(entry.subarray(0, 64)))?.[1];
}

function numberOf(key: string): number {
  return Number(/\d+/u.exec(key)?.[0]);
}

async function orUnknown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unknownOutcome(error);
  }
}

function unknownOutcome(cause: unknown): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "It is unknown if the change was stored.", { cause, details: { outcome: "unknown" } });
}

function ignore(): void {}
