import {
  type BlobKey,
  type BlobRef,
  type CheckpointId,
  contentOf,
  type Everything,
  EVERYTHING,
  type Facts,
  type KeyFiles,
  type KeyPlace,
  type LoggedEvent,
  type NewRow,
  type SessionId,
  type Storage,
  WorkrailError,
  isSameBytes,
} from "@workrail/core";

/** Tells whether a copy of a key is intact. */
export type IsIntactKey = (place: KeyPlace, bytes: Uint8Array) => boolean;

export interface CopyOptions {
  /** Called after each blob. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Stops the copy. Copying again continues it. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Chooses among the copies of each key. Default: the first. */
  readonly isIntactKey?: IsIntactKey | undefined;
}

/** Blobs of the target that are as in the source, and all blobs. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

export interface CopyReport {
  /** Live checkpoints. */
  readonly checkpoints: number;
  readonly trashed: number;
  readonly sessions: number;
  readonly auditRows: number;
  /** Blobs that were written now. The others were there from an earlier copy. */
  readonly blobs: number;
  /** Bytes of the blobs that were written. */
  readonly bytes: number;
  /** Checkpoints whose blob is missing in the source, and so in the target too. */
  readonly missing: readonly { readonly sessionId: SessionId; readonly checkpointId: CheckpointId }[];
  /** False when the copy was stopped. */
  readonly isComplete: boolean;
}

/** Blobs that are copied at the same time, because a remote storage takes a round trip for each. */
const AT_ONCE = 8;

/**
 * Copies everything in a storage to another one: blobs, rows, the audit log and the keys of a sealed store, all as stored. Reads each
 * blob back, and in the end all rows. Locks both stores exclusively.
 *
 * The target is empty, or an earlier copy, complete or not, that was unused since. A copy that was killed is continued.
 *
 * @param from storage as opened by its adapter, not unsealed.
 * @throws CONFLICT when the target was used in its own right; INVALID_INPUT when a sealed store cannot be kept there; STORE_IN_USE;
 * STORAGE_UNAVAILABLE.
 */
export async function copyStore(from: Storage, to: Storage, options: CopyOptions = {}): Promise<CopyReport> {
  return from.locking.exclusively(() => to.locking.exclusively(() => copy(from, to, options)));
}

async function copy(from: Storage, to: Storage, options: CopyOptions): Promise<CopyReport> {
  if ((await from.recovery.state()) === "lost") throw lost();
  const content = await from.catalog.read(EVERYTHING);
  const keys = await keysToCopy(from, to, { content, isIntact: options.isIntactKey ?? isAny });
  await refuseOwnWork(content, to);
  await keys?.();
  const blobs = new BlobCopy(from, to, options);
  const isComplete = await blobs.run(content);
  if (isComplete) await copyRows(content, to);
  const { checkpoints, sessions, audit } = content;
  const trashed = checkpoints.filter(({ trashedAt }) => trashedAt !== undefined).length;
  const counts = { checkpoints: checkpoints.length - trashed, trashed, sessions: sessions.length, auditRows: audit.length };
  return { ...counts, ...blobs.report, isComplete };
}

/** Row that names a blob. */
interface Owner extends BlobKey {
  readonly blob: BlobRef;
}

function ownersIn({ checkpoints, removals }: Facts<Everything>): readonly Owner[] {
  const pending = removals.filter(({ isDone }) => !isDone);
  return [...checkpoints.map(({ record }) => ({ sessionId: record.sessionId, checkpointId: record.id, blob: record.blob })), ...pending];
}

/** Refuses a target that was used in its own right: its audit log does not continue in the source's. */
async function refuseOwnWork(content: Facts<Everything>, to: Storage): Promise<void> {
  if ((await to.recovery.state()) === "lost") return;
  const there = await to.catalog.read(EVERYTHING);
  const rows = new Map(content.audit.map((row) => [row.number, row]));
  if (there.audit.length > 0 && there.audit.every(({ number, digest }) => digest !== undefined && rows.get(number)?.digest === digest))
    return;
  // Opening an interrupted copy rebuilds a catalog for the blobs that are there.
  if (!there.audit.every(({ action }) => action === "rebuild")) throw ownWork({});
  const digests = new Map(content.checkpoints.map(({ record }) => [record.id, record.exactDigest]));
  const own = there.checkpoints.find(({ record }) => digests.get(record.id) !== record.exactDigest);
  if (own !== undefined) throw ownWork({ sessionId: own.record.sessionId, checkpointId: own.record.id });
}

function ownWork(details: { readonly sessionId?: SessionId; readonly checkpointId?: CheckpointId }): WorkrailError {
  return new WorkrailError("CONFLICT", "The target was used in its own right, so nothing was copied.", {
    details: { reason: "target-in-use", ...details },
    hint: "Copy to an empty place. To bring single sessions into a store in use, export them and import them there.",
  });
}

function lost(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The catalog of the source is lost or damaged.", {
    hint: "Run `workrail rebuild` on the source, then copy it.",
  });
}

/**
 * Returns the step that copies the keys of a sealed store. It comes first: with rows and without its keyring, a sealed store would be taken
 * for damaged.
 */
async function keysToCopy(
  from: Storage,
  to: Storage,
  { content, isIntact }: { readonly content: Facts<Everything>; readonly isIntact: IsIntactKey },
): Promise<(() => Promise<void>) | undefined> {
  const [keyring, theirs] = [await keyOf(from.keyFiles, "store", isIntact), await keyOf(to.keyFiles, "store", isIntact)];
  if (theirs !== undefined && !(keyring !== undefined && isSameBytes(theirs, keyring))) throw sealedOtherwise();
  if (from.keyFiles === undefined || keyring === undefined) return undefined;
  const { keyFiles } = from;
  const target = to.keyFiles;
  // A sealed blob opens only under its ref.
  if (target === undefined || !ownersIn(content).every((owner) => to.blobs.refOf(owner) === owner.blob)) throw cannotBeSealed();
  return async () => {
    if (theirs === undefined) await target.write("store", keyring, "if-absent");
    await copySessionKeys(keyFiles, target, isIntact);
  };
}

async function keyOf(keyFiles: KeyFiles | undefined, place: KeyPlace, isIntact: IsIntactKey): Promise<Uint8Array | undefined> {
  return keyFiles?.read(place, (bytes) => isIntact(place, bytes));
}

async function copySessionKeys(from: KeyFiles, to: KeyFiles, isIntact: IsIntactKey): Promise<void> {
  const kept = new Set<BlobRef>();
  for await (const place of from.sessions()) {
    const key = await keyOf(from, place, isIntact);
    if (key === undefined) continue;
    kept.add(place);
    await to.write(place, key, "replace");
  }
  // Keys of an earlier copy whose sessions were erased since.
  for (const place of await allOf(to.sessions())) if (!kept.has(place)) await to.destroy(place);
}

async function allOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function isAny(): boolean {
  return true;
}

function sealedOtherwise(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The target is sealed with another key than the source, so nothing was copied.", {
    details: { reason: "target-sealed" },
    hint: "Copy to an empty place: a sealed store stays sealed with its own key.",
  });
}

function cannotBeSealed(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The source is sealed, and the target cannot keep it sealed, so nothing was copied.", {
    details: { reason: "target-keeps-no-keys" },
    hint: "Copy it to another kind of storage, or run `workrail encrypt --off` on the source first.",
  });
}

/** Copies the blobs of a store. */
class BlobCopy {
  readonly #from: Storage;
  readonly #to: Storage;
  readonly #options: CopyOptions;
  readonly #missing: Owner[] = [];
  #written = 0;
  #bytes = 0;
  #done = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(from: Storage, to: Storage, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  get report(): Pick<CopyReport, "blobs" | "bytes" | "missing"> {
    const missing = this.#missing.map(({ sessionId, checkpointId }) => ({ sessionId, checkpointId }));
    return { blobs: this.#written, bytes: this.#bytes, missing };
  }

  /** Resolves to false when it was stopped. Removes blobs of the target that the source does not have. */
  async run(content: Facts<Everything>): Promise<boolean> {
    const owners = ownersIn(content);
    const waiting = owners.values();
    await Promise.all(Array.from({ length: AT_ONCE }, async () => this.#work(waiting, owners.length)));
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isStopped()) return false;
    const kept = new Set(owners.map((owner) => this.#to.blobs.refOf(owner)));
    await this.#to.blobs.erase((await allOf(this.#to.blobs.list())).map(({ ref }) => ref).filter((ref) => !kept.has(ref)));
    return true;
  }

  async #work(waiting: Iterable<Owner>, total: number): Promise<void> {
    for (const owner of waiting) {
      if (this.#failure !== undefined || this.#isStopped()) return;
      try {
        await this.#copyOne(owner);
      } catch (error) {
        this.#failure ??= { error };
        return;
      }
      this.#options.onProgress?.({ done: ++this.#done, total });
    }
  }

  #isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  async #copyOne(owner: Owner): Promise<void> {
    const bytes = await this.#from.blobs.get(owner.blob);
    if (bytes === undefined) {
      this.#missing.push(owner);
      return;
    }
    const { blobs } = this.#to;
    const ref = blobs.refOf(owner);
    const there = await blobs.get(ref);
    if (there !== undefined && isSameBytes(there, bytes)) return;
    if (there === undefined) await blobs.put(owner, bytes);
    else await blobs.replace(ref, bytes);
    const written = await blobs.get(ref);
    if (written === undefined || !isSameBytes(written, bytes)) throw otherThanWritten(owner);
    this.#written += 1;
    this.#bytes += bytes.length;
  }
}

function otherThanWritten({ sessionId, checkpointId }: Owner): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The target returned other bytes than were written to it.", {
    details: { sessionId, checkpointId },
    hint: "Check the target's disk or service, then copy again.",
  });
}

async function copyRows(content: Facts<Everything>, to: Storage): Promise<void> {
  const blobAt = (key: BlobKey): BlobRef => to.blobs.refOf(key);
  const placed = contentOf({
    ...content,
    checkpoints: content.checkpoints.map((row) => {
      const { sessionId, id: checkpointId } = row.record;
      return { ...row, record: { ...row.record, blob: blobAt({ sessionId, checkpointId }) } };
    }),
    removals: content.removals.map((row) => ({ ...row, blob: blobAt(row) })),
    erasures: content.erasures.map((row) => ({ ...row, blob: blobAt(row) })),
    // A process that held removals works on the source.
    holds: [],
  });
  await to.recovery.replaceAll(placed, "erased");
  await forgetOthers(placed, to);
  const written = contentOf(await to.catalog.read(EVERYTHING));
  if (comparable(written) !== comparable(placed)) throw rowsDiffer();
}

/** Removes the facts of sessions that an earlier copy has and the source no longer has. */
async function forgetOthers({ facts }: ReturnType<typeof contentOf>, to: Storage): Promise<void> {
  const kept = new Set(facts.map(({ sessionId }) => sessionId));
  const there = await allOf(to.recovery.sessionFacts());
  const forgotten = there.map(({ sessionId }) => sessionId).filter((id) => !kept.has(id));
  if (forgotten.length > 0) await to.catalog.change({ reads: {}, decide: () => ({ outcome: undefined, rows: [], audit: [], forgotten }) });
}

/** Rows as text: checkpoints in the order of their commits, whose places the target assigns, and the other tables sorted. */
function comparable({ rows, audit }: ReturnType<typeof contentOf>): string {
  const checkpoints = rows.filter(({ table }) => table === "checkpoint").map(textOf);
  const others = rows.filter(({ table }) => table !== "checkpoint").map(textOf);
  return JSON.stringify([checkpoints, others.toSorted(), audit.map(textOf)]);
}

/** Row as text, with sorted fields. The order of keys counts only in the caller's own attributes. */
function textOf(row: NewRow | LoggedEvent): string {
  return JSON.stringify(row, (field, value: unknown) => {
    if (field === "commit") return undefined;
    if (field === "attributes") return JSON.stringify(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function rowsDiffer(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The target returned other rows than were written to it.", {
    hint: "Copy again. If it fails again, report it as a bug with the versions of both stores.",
  });
}
