import {
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
  type SessionId,
  type Storage,
  type UpkeepPolicy,
  type VerifyReport,
  verifyStore,
  WorkrailError,
} from "@workrail/core";
import { SteppingClock } from "./builders.ts";
import { randomIds, sha256 } from "./environment.ts";
import { tally } from "./tally.ts";

/** Stores bytes as they are, so that a wrong byte is the adapter's, and digests find it. */
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
  /** One clock for all the workbenches of a test keeps the order of creation when a store is opened again. */
  readonly clock?: Clock;
  /** Default: a queue that `idle` waits for. */
  readonly background?: Background;
  /** Default: random ones. */
  readonly ids?: IdGenerator;
}

/** What the use cases need of a storage. */
export type StorageParts = Pick<Storage, "catalog" | "recovery" | "blobs" | "locking"> &
  Partial<Pick<Storage, "purge" | "keyFiles" | "vectors">>;

/** Core's use cases over the storage that is tested. */
export class Workbench {
  readonly #storage: StorageParts;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #ids: IdGenerator;
  readonly #queue: BackgroundQueue;
  /** Errors of work that no caller waits for. */
  readonly backgroundFailures: unknown[] = [];

  constructor(storage: StorageParts, options: WorkbenchOptions = {}) {
    this.#storage = storage;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = options.clock ?? new SteppingClock();
    this.#queue = new BackgroundQueue(failureLog(this.backgroundFailures));
    this.#background = options.background ?? this.#queue;
    this.#ids = options.ids ?? randomIds;
  }

  save(input: SaveInput): Promise<SaveResult> {
    return saveCheckpoint(this.#savePorts(), input);
  }

  saveAside(input: AsideInput): Promise<SavedAside> {
    return saveAside(this.#savePorts(), input);
  }

  issueHandle(checkpointId: CheckpointId): Promise<Handle | undefined> {
    return issueHandle(this.#ports(), { checkpointId });
  }

  /** Has the store follow a policy; nothing of it is in use. */
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

  /** Compacts a session to its end; answers with how many checkpoints were re-encoded. */
  async compact(sessionId: SessionId): Promise<number> {
    const givenUp = new Set<CheckpointId>();
    for (let sum = 0; ;) {
      const { reencoded, hasMore } = await compactSession(this.#ports(), sessionId, { givenUp });
      sum += reencoded;
      if (!hasMore) return sum;
    }
  }

  /** How many erasures are not finished. */
  async erasures(): Promise<number> {
    return (await this.#storage.catalog.erasures()).length;
  }

  async list(filter: CheckpointFilter): Promise<readonly CheckpointRecord[]> {
    return (await this.#storage.catalog.list({ filter, limit: 1_000, offset: 0 })).records;
  }

  /** How many of a session's checkpoints, the newest two apart, are still kept whole. */
  async stillWhole(sessionId: SessionId): Promise<number> {
    const { records } = await this.#storage.catalog.list({ filter: { sessionId }, limit: 1_000, offset: 0 });
    return records.slice(2).filter(({ baseId }) => baseId === null).length;
  }

  /** A record's context, whole or made from what it is stored against; proven against the record's digest. */
  read(record: CheckpointRecord): Promise<ReadContext> {
    return readContext(this.#ports(), record);
  }

  /** What a record's blob says; rejects where the blob is missing, damaged or another checkpoint's. */
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

  /** Whether a blob is there, and says what it holds. */
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

  /** Resolves when the work after the answers is done. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #savePorts(): SavePorts {
    return { ...this.#ports(), ids: this.#ids, background: this.#background, writer: "workrail/conformance" };
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

/** The code a promise fails with; throws when it succeeds, or fails with anything but a `WorkrailError`. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isWorkrailError(error)) return error.code;
    throw new Error(`Expected a WorkrailError, not ${String(error)}`, { cause: error });
  }
  throw new Error("Expected a failure, but it succeeded.");
}
