import { classifierOf } from "./builders.ts";
import {
  type AppendRecordsInput,
  appendRecords,
  type LoadedTexts,
  loadTexts,
  removeCheckpoints,
  restoreFromTrash,
  type AsideInput,
  type Background,
  type BlobRef,
  BackgroundQueue,
  cleanUp,
  type CleanUpReport,
  type Clock,
  type Codec,
  collectGarbage,
  type CheckpointFilter,
  type CheckpointId,
  type CheckpointRecord,
  compactSession,
  type CopiedSession,
  copySession,
  type CopySessionInput,
  decodeBlob,
  type DecodedBlob,
  DEFAULT_LIMITS,
  eraseCheckpoints,
  type EraseInput,
  type ErasureReport,
  finishErasures,
  type FinishedErasures,
  type GarbageReport,
  type Handle,
  type IdGenerator,
  issueHandle,
  keepingSession,
  isWorkrailError,
  type Limits,
  loadCheckpoint,
  type LoadedCheckpoint,
  type LoadInput,
  type Log,
  pinEntry,
  type PinInput,
  type PinResult,
  type ReadContext,
  readContext,
  rebuildCatalog,
  type RebuildReport,
  type RepairOptions,
  type RepairReport,
  repairStore,
  saveAside,
  saveCheckpoint,
  type SavedAside,
  type SaveInput,
  type SavePorts,
  type SaveResult,
  type SecretScreen,
  type SessionId,
  type UpkeepPolicy,
  type VerifyReport,
  verifyStore,
  WorkrailError,
  screenSecretsBy,
} from "@workrail/core";
import { SteppingClock } from "./builders.ts";
import { randomIds, sha256 } from "./environment.ts";
import { tally } from "./tally.ts";
import type { StorageInUse } from "./storage-in-use.ts";

/** Codec that stores bytes unchanged, so that a wrong byte comes from the adapter and digests detect it. */
const plainCodec: Codec = {
  id: "plain",
  encode: async (bytes) => bytes,
  async decode(bytes, maxBytes) {
    if (bytes.length > maxBytes) throw new WorkrailError("TOO_LARGE", "The blob is larger than it may be.");
    return bytes;
  },
};

export interface WorkbenchOptions {
  readonly limits?: Partial<Limits>;
  /** Clock. One clock for all workbenches of a test keeps the order of creation when a store is opened again. */
  readonly clock?: Clock;
  /** Background. Default: a queue that `idle` waits for. */
  readonly background?: Background;
  /** Ids. Default: random ids. */
  readonly ids?: IdGenerator;
  /** Screen of saves. Default: none. */
  readonly secrets?: SecretScreen;
}

/** Parts of a storage that the use cases need. */
export type StorageParts = Pick<StorageInUse, "catalog" | "recovery" | "blobs" | "locking"> &
  Partial<Pick<StorageInUse, "purge" | "keyFiles" | "vectors">>;

/** Core's use cases on the tested storage. */
export class Workbench {
  readonly #storage: StorageParts;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #ids: IdGenerator;
  readonly #secrets: SecretScreen | undefined;
  readonly #queue: BackgroundQueue;
  /** Errors of background work, which no caller waits for. */
  readonly backgroundFailures: unknown[] = [];

  constructor(storage: StorageParts, options: WorkbenchOptions = {}) {
    this.#storage = storage;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = options.clock ?? new SteppingClock();
    this.#queue = new BackgroundQueue(failureLog(this.backgroundFailures));
    this.#background = options.background ?? this.#queue;
    this.#ids = options.ids ?? randomIds;
    this.#secrets = options.secrets;
  }

  save({ keep = false, ...input }: SaveInput & { readonly keep?: boolean }, own: Pick<SavePorts, "secrets"> = {}): Promise<SaveResult> {
    const ports = { ...this.#savePorts(), ...own };
    return saveCheckpoint(keep ? keepingSession(ports, input.sessionId) : ports, input);
  }

  saveAside(input: AsideInput): Promise<SavedAside> {
    return saveAside(this.#savePorts(), input);
  }

  appendRecords(input: AppendRecordsInput): Promise<void> {
    return appendRecords(this.#savePorts(), input);
  }

  copySession(input: CopySessionInput): Promise<CopiedSession> {
    return copySession({ ...this.#savePorts(), log: silent, onLoaded: () => undefined }, input);
  }

  loadTexts(ids: readonly CheckpointId[], withRecords = true): Promise<LoadedTexts> {
    return loadTexts({ ...this.#ports(), onLoaded: () => undefined }, ids, withRecords);
  }

  /** Moves a session into the trash, and back. */
  async trash(sessionId: SessionId): Promise<void> {
    await removeCheckpoints(this.#ports(), { sessionId });
  }

  async restore(sessionId: SessionId): Promise<readonly CheckpointId[]> {
    return (await restoreFromTrash(this.#ports(), { sessionId })).map(({ id }) => id);
  }

  issueHandle(checkpointId: CheckpointId): Promise<Handle | undefined> {
    return issueHandle(this.#ports(), { checkpointId });
  }

  /** Cleans the store up by a policy while nothing of it is in use. */
  cleanUp(policy: UpkeepPolicy): Promise<CleanUpReport> {
    return cleanUp(this.#ports(), policy);
  }

  load(input: LoadInput): Promise<LoadedCheckpoint> {
    return loadCheckpoint({ ...this.#ports(), onLoaded: () => undefined }, input);
  }

  pin(input: PinInput): Promise<PinResult> {
    return pinEntry({ ...this.#ports(), onLoaded: () => undefined }, input);
  }

  erase(input: EraseInput): Promise<ErasureReport> {
    return eraseCheckpoints(this.#ports(), input);
  }

  finishErasures(): Promise<FinishedErasures> {
    return finishErasures(this.#ports());
  }

  rebuild(): Promise<RebuildReport> {
    return rebuildCatalog(this.#ports());
  }

  collectGarbage(): Promise<GarbageReport> {
    return collectGarbage(this.#ports());
  }

  /** Compacts a session until nothing is left to do. Returns the number of re-encoded checkpoints. */
  async compact(sessionId: SessionId): Promise<number> {
    const givenUp = new Set<CheckpointId>();
    for (let sum = 0; ;) {
      const { reencoded, hasMore } = await compactSession(this.#ports(), sessionId, { givenUp });
      sum += reencoded;
      if (!hasMore) return sum;
    }
  }

  /** Returns the number of unfinished erasures. */
  async erasures(): Promise<number> {
    return (await this.#storage.catalog.erasures()).length;
  }

  async list(filter: CheckpointFilter): Promise<readonly CheckpointRecord[]> {
    return (await this.#storage.catalog.list({ filter, limit: 1_000, offset: 0 })).records;
  }

  /** Returns the number of checkpoints of a session, except the newest two, that are still stored whole. */
  async stillWhole(sessionId: SessionId): Promise<number> {
    const { records } = await this.#storage.catalog.list({ filter: { sessionId }, limit: 1_000, offset: 0 });
    return records.slice(2).filter(({ baseId }) => baseId === null).length;
  }

  /** Reads the context of a record, stored whole or as a delta, and verifies the record's digest. */
  read(record: CheckpointRecord): Promise<ReadContext> {
    return readContext(this.#ports(), record);
  }

  /** Decodes the blob of a record. Rejects when the blob is missing, damaged or of another checkpoint. */
  async readBlob(record: CheckpointRecord): Promise<DecodedBlob> {
    const bytes = await this.#storage.blobs.get(record.blob);
    if (bytes === undefined) {
      tally({ tries: 0, dangling: 1 });
      throw new Error(`Checkpoint ${record.id} has a record but no blob.`);
    }
    const blob = await decodeBlob(this.#ports(), bytes);
    if (blob.facts.id !== record.id) throw new Error(`The blob of checkpoint ${record.id} holds ${blob.facts.id}.`);
    return blob;
  }

  /** True when a blob exists and can be decoded. */
  async isReadable(ref: BlobRef): Promise<boolean> {
    const bytes = await this.#storage.blobs.get(ref);
    if (bytes === undefined) return false;
    return decodeBlob(this.#ports(), bytes).then(
      () => true,
      (error: unknown) => {
        if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return false;
        throw error;
      },
    );
  }

  verify(): Promise<VerifyReport> {
    return verifyStore(this.#ports());
  }

  repair(options?: RepairOptions): Promise<RepairReport> {
    return repairStore(this.#ports(), options);
  }

  /** Resolves when the background work is done. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #savePorts(): SavePorts {
    const own = { ids: this.#ids, background: this.#background, secrets: screenSecretsBy(this.#secrets), writer: "workrail/conformance" };
    return { ...this.#ports(), ...own, classifier: classifierOf({}) };
  }

  #ports() {
    const storage = this.#storage;
    const { catalog, blobs, locking, recovery } = storage;
    const own = { codec: plainCodec, digests: sha256, limits: this.#limits, clock: this.#clock, log: silent };
    return { storage, catalog, blobs, locking, recovery, ...own };
  }
}

const ignore = (): void => undefined;
const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function failureLog(failures: unknown[]): Log {
  return { ...silent, warn: (_, fields) => void failures.push(fields?.["error"]) };
}

/** Returns the code of a promise's rejection. Throws when it resolves, or rejects with anything but a `WorkrailError`. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isWorkrailError(error)) return error.code;
    throw new Error(`Expected a WorkrailError, not ${String(error)}`, { cause: error });
  }
  throw new Error("Expected a failure, but it succeeded.");
}
