import {
  type BackupContents,
  type BackupTarget,
  type BlobRef,
  type CatalogPort,
  CHECKPOINT_KINDS,
  type CheckpointId,
  type CheckpointRecord,
  type Clock,
  decodeBlob,
  eachRecord,
  eachTrashed,
  getBlob,
  type IdGenerator,
  isUnreadableBlob,
  isWorkrailError,
  type Locking,
  type ProofPorts,
  readBlobs,
  refuseWhenNothingIsRead,
  runFinally,
  type SessionFacts,
  type SessionId,
  type Shield,
  type WorkrailError,
  findSession,
  listErasures,
  findCheckpoint,
  hold,
  commit,
  release,
} from "@workrail/core";

export interface BackupPorts extends ProofPorts {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Product and version, such as `workrail/0.1.0`. */
  readonly writer: string;
}

export interface BackupOptions {
  /** Called for each blob. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  /** Aborts the backup; what was written is removed. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

export interface BackupProgress {
  /** `verify` reads back the copied blobs; `prove` verifies the deltas once more. */
  readonly phase: "copy" | "verify" | "prove";
  /** Blobs of this phase that are done. */
  readonly done: number;
  /** Blobs of this phase, as far as known. */
  readonly total: number;
}

export interface BackupReport extends Omit<BackupContents, "writer"> {
  /** Bytes of the copied blobs. */
  readonly bytes: number;
  /** `false` when the backup was aborted; then there is none. */
  readonly isComplete: boolean;
}

/** Longest hold of removals by a crashed backup. */
const HOLD_MS = 30 * 60_000;
const RENEW_AFTER_MS = HOLD_MS / 3;

/**
 * Copies the store into `target` while others may use it. The backup contains every checkpoint that was saved and not removed
 * when it began, the trash, pins and tags; later checkpoints may be in it too. Removals are held meanwhile, so that every blob
 * can be copied. The copy is then read back as a rebuild would read it, and each checkpoint verified against its record. A failed
 * blob is copied once more, and otherwise reported.
 *
 * @throws STORAGE_UNAVAILABLE, LOCK_TIMEOUT; what was written is then removed, if possible.
 */
export async function backupStore(ports: BackupPorts, target: BackupTarget, options: BackupOptions = {}): Promise<BackupReport> {
  const holder = `backup-${ports.ids.sessionId()}`;
  return ports.locking.shared(() =>
    runFinally(
      () => new Backup(ports, target, { ...options, holder }).run(),
      () => ports.catalog.change(release(holder)),
    ),
  );
}

/** Blob to copy. */
interface Source {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
  readonly blob: BlobRef;
}

/** Checkpoint that must be in the backup. */
interface Wanted extends Source {
  readonly record: CheckpointRecord;
  /** Absent for a live checkpoint. */
  readonly trashedAt?: Date;
}

class Interrupted extends Error {}

class Backup {
  readonly #ports: BackupPorts;
  readonly #target: BackupTarget;
  readonly #options: BackupOptions;
  readonly #holder: string;
  /** Wanted checkpoints by their place in the backup. */
  readonly #wanted = new Map<BlobRef, Wanted>();
  /** Copied blobs with their sizes: wanted checkpoints and their bases. */
  readonly #copied = new Map<BlobRef, { readonly source: Source; readonly bytes: number }>();
  /** Blobs that could not be read for copying. */
  readonly #unreadable = new Map<BlobRef, WorkrailError>();
  #heldAt = Number.NEGATIVE_INFINITY;

  constructor(ports: BackupPorts, target: BackupTarget, { holder, ...options }: BackupOptions & { readonly holder: string }) {
    this.#ports = ports;
    this.#target = target;
    this.#options = options;
    this.#holder = holder;
  }

  async run(): Promise<BackupReport> {
    const createdAt = this.#ports.clock.now();
    try {
      await this.#goOn();
      await this.#listWanted();
      await this.#copy([...this.#wanted.values()].filter(({ record }) => !record.damaged));
      const contents = { createdAt, ...(await this.#prove()) };
      await this.#writeFacts();
      await this.#target.finish({ ...contents, writer: this.#ports.writer });
      await this.#ports.catalog.change(
        commit({
          audit: [{ at: createdAt, action: "backup", sessionId: undefined, checkpointId: undefined, agentId: undefined }],
        }),
      );
      return { ...contents, bytes: this.#bytes(), isComplete: true };
    } catch (error) {
      await this.#target.discard();
      if (!(error instanceof Interrupted)) throw error;
      return { createdAt, checkpoints: 0, trashed: 0, sessions: 0, unreadable: [], bytes: 0, isComplete: false };
    }
  }

  /** Runs between any two steps: extends the hold, and stops when an abort was requested. */
  async #goOn(): Promise<void> {
    if (this.#options.signal?.aborted === true) throw new Interrupted();
    const now = this.#ports.clock.now().getTime();
    if (now - this.#heldAt < RENEW_AFTER_MS) return;
    await this.#ports.catalog.change(hold({ holder: this.#holder, until: new Date(now + HOLD_MS) }));
    this.#heldAt = now;
  }

  /** Lists the trash before and after the live checkpoints, so that a moving one is seen at least once. */
  async #listWanted(): Promise<void> {
    for await (const wanted of this.#trash()) this.#want(wanted);
    for await (const record of this.#live()) this.#want({ ...sourceOf(record), record });
    for await (const wanted of this.#trash()) if (!this.#wanted.has(this.#placeOf(wanted))) this.#want(wanted);
  }

  #want(wanted: Wanted): void {
    this.#wanted.set(this.#placeOf(wanted), wanted);
  }

  async *#live(): AsyncGenerator<CheckpointRecord> {
    for await (const record of eachRecord(this.#ports.catalog, { kinds: CHECKPOINT_KINDS })) {
      await this.#goOn();
      yield record;
    }
  }

  async *#trash(): AsyncGenerator<Wanted> {
    for await (const { record, trashedAt } of eachTrashed(this.#ports.catalog, {})) {
      await this.#goOn();
      yield { ...sourceOf(record), record, trashedAt };
    }
  }

  /** Copies blobs and their current bases, because compaction may run meanwhile. */
  async #copy(sources: readonly Source[]): Promise<void> {
    const copied = new Set<BlobRef>();
    const waiting = [...sources];
    for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
      const place = this.#placeOf(source);
      if (copied.has(place)) continue;
      copied.add(place);
      this.#options.onProgress?.({ phase: "copy", done: copied.size, total: copied.size + waiting.length });
      await this.#goOn();
      const base = await this.#copyOne(source, place);
      if (base !== undefined) waiting.push(base);
    }
    refuseWhenNothingIsRead(this.#copied.size, [...this.#unreadable.values()]);
  }

  /** Copies one blob and returns its base. */
  async #copyOne(source: Source, place: BlobRef): Promise<Source | undefined> {
    const bytes = await this.#read(source.blob, place);
    if (bytes === undefined) return undefined;
    if (this.#copied.has(place)) await this.#target.blobs.replace(place, bytes);
    else await this.#target.blobs.put(source, bytes);
    this.#copied.set(place, { source, bytes: bytes.length });
    const base = await this.#baseIn(bytes);
    if (base === undefined) return undefined;
    const key = { sessionId: source.sessionId, checkpointId: base };
    // A removed base has no record, but its blob remains while something needs it.
    return { ...key, blob: (await findCheckpoint(this.#ports.catalog, base))?.blob ?? this.#ports.blobs.refOf(key) };
  }

  async #read(blob: BlobRef, place: BlobRef): Promise<Uint8Array | undefined> {
    this.#unreadable.delete(place);
    try {
      return await getBlob(this.#ports.blobs, blob);
    } catch (error) {
      if (!isWorkrailError(error) || !isUnreadableBlob(error)) throw error;
      this.#unreadable.set(place, error);
      return undefined;
    }
  }

  /** Returns the base of a delta; `undefined` for a whole or unreadable blob. Verification of the copy reports unreadable ones. */
  async #baseIn(bytes: Uint8Array): Promise<CheckpointId | undefined> {
    try {
      const blob = await decodeBlob(this.#ports, bytes);
      return blob.kind === "delta" ? blob.base : undefined;
    } catch (error) {
      if (!isWorkrailError(error) || error.code === "STORAGE_UNAVAILABLE") throw error;
      return undefined;
    }
  }

  async #prove(): Promise<Pick<BackupContents, "checkpoints" | "trashed" | "sessions" | "unreadable">> {
    let unproven = await this.#readBack();
    const again = [...unproven.keys()].filter(({ record }) => !record.damaged);
    if (again.length > 0) {
      await this.#copy(again);
      unproven = await this.#readBack();
    }
    const proven = [...this.#wanted.values()].filter((wanted) => !unproven.has(wanted));
    const trashed = proven.filter(({ trashedAt }) => trashedAt !== undefined).length;
    return {
      checkpoints: proven.length - trashed,
      trashed,
      sessions: new Set(proven.map(({ sessionId }) => sessionId)).size,
      unreadable: [...unproven].map(([{ sessionId, checkpointId }, code]) => ({ sessionId, checkpointId, code })),
    };
  }

  /** Returns the checkpoints that cannot be read from the backup exactly as their records say, with the reasons. */
  async #readBack(): Promise<ReadonlyMap<Wanted, string>> {
    const { onProgress } = this.#options;
    const { records, unreadable } = await readBlobs(
      { ...this.#ports, blobs: this.#target.blobs },
      {
        beforeEach: () => this.#goOn(),
        onProgress: onProgress && (({ phase, ...counts }) => onProgress({ phase: phase === "read" ? "verify" : phase, ...counts })),
      },
    );
    const found = new Map(records.map((record) => [record.blob, record]));
    const codes = new Map(unreadable.map(({ ref, code }) => [ref, code]));
    const unproven = new Map<Wanted, string>();
    for (const [place, wanted] of this.#wanted) {
      const record = found.get(place);
      const isSame = record?.exactDigest === wanted.record.exactDigest && record.canonicalDigest === wanted.record.canonicalDigest;
      if (!isSame) unproven.set(wanted, codes.get(place) ?? this.#unreadable.get(place)?.code ?? "CHECKPOINT_CORRUPT");
    }
    return unproven;
  }

  /**
   * Writes the session facts. Removed checkpoints are in the backup only as bases: they become tombstones, so that a rebuild does
   * not bring them back.
   */
  async #writeFacts(): Promise<void> {
    const tombstones = new Map<SessionId, CheckpointId[]>();
    for (const [place, { source }] of this.#copied) {
      if (this.#wanted.has(place)) continue;
      // It may also have been saved since.
      if ((await findCheckpoint(this.#ports.catalog, source.checkpointId))?.sessionId === source.sessionId) continue;
      tombstones.set(source.sessionId, [...(tombstones.get(source.sessionId) ?? []), source.checkpointId]);
    }
    const trash = new Map<SessionId, SessionFacts["trash"][number][]>();
    const shields = new Map<SessionId, Shield[]>();
    for (const { sessionId, checkpointId, trashedAt, record } of this.#wanted.values()) {
      if (trashedAt !== undefined) trash.set(sessionId, [...(trash.get(sessionId) ?? []), { checkpointId, at: trashedAt }]);
      const until = record.shieldedUntil;
      if (until !== undefined) shields.set(sessionId, [...(shields.get(sessionId) ?? []), { checkpointId, until }]);
    }
    const erasing = new Set((await listErasures(this.#ports.catalog)).map(({ checkpointId }) => checkpointId));
    for (const sessionId of new Set([...this.#wanted.values()].map((wanted) => wanted.sessionId))) {
      const session = await findSession(this.#ports.catalog, sessionId);
      if (session === undefined) continue;
      const { createdAt, tags, pins } = session;
      const dead = tombstones.get(sessionId) ?? [];
      const removed = { tombstones: dead, erasing: dead.filter((id) => erasing.has(id)), trash: trash.get(sessionId) ?? [] };
      const held = shields.get(sessionId) ?? [];
      await this.#target.writeFacts({ sessionId, createdAt, tags, pins, oldestLive: null, ...removed, shields: held });
    }
  }

  #bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#copied.values()) sum += bytes;
    return sum;
  }

  #placeOf(source: Source): BlobRef {
    return this.#target.blobs.refOf(source);
  }
}

function sourceOf({ sessionId, id, blob }: CheckpointRecord): Source {
  return { sessionId, checkpointId: id, blob };
}
