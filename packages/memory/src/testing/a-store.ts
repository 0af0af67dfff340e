import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  BackgroundQueue,
  type CatalogPort,
  type CheckpointId,
  type CheckpointRecord,
  type Codec,
  type Context,
  DEFAULT_LIMITS,
  type Digest,
  type Digester,
  type Facts,
  type Limits,
  loadCheckpoint,
  type LoadedCheckpoint,
  type LoadPorts,
  type Log,
  type LogFields,
  type PinPorts,
  type Read,
  type Reads,
  type RebuildPorts,
  type RemovalPorts,
  saveCheckpoint,
  type SaveInput,
  type SavePorts,
  type SaveResult,
  type SessionId,
  WorkrailError,
} from "@workrail/core";
import { classifierOf, SequentialIds, SteppingClock } from "@workrail/storage-conformance/builders";
import { type StorageInUse, storageInUse } from "@workrail/storage-conformance/harness";
import { MemoryDisk } from "../memory-disk.ts";
import { openMemoryStorage } from "../open-memory-storage.ts";

export const S: SessionId = "s1" as SessionId;
export const OTHER: SessionId = "s2" as SessionId;

export const digests: Digester = { sha256: (data) => createHash("sha256").update(data).digest("hex") as Digest };

/** Codec with the checks that these tests need. */
const codec: Codec = {
  id: "gzip",
  encode: async (bytes) => gzipSync(bytes),
  async decode(bytes, maxBytes) {
    try {
      return gunzipSync(bytes, { maxOutputLength: maxBytes });
    } catch (cause) {
      const isTooLarge = cause instanceof RangeError;
      throw new WorkrailError(isTooLarge ? "TOO_LARGE" : "CHECKPOINT_CORRUPT", "It cannot be unfolded.", { cause });
    }
  },
};

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export type AllPorts = SavePorts & LoadPorts & PinPorts & RebuildPorts & RemovalPorts;

/** In-memory store with the use cases as methods. */
export interface TestStore {
  readonly disk: MemoryDisk;
  readonly storage: StorageInUse;
  readonly clock: SteppingClock;
  /** Records that were reported as loaded. */
  readonly loaded: CheckpointRecord[];
  /** Fields of logged errors. */
  readonly errors: LogFields[];
  readonly background: BackgroundQueue;
  /** Ports of the use cases. Replace one to simulate another process or a failing disk. */
  ports: AllPorts;
  readonly save: (context: Context, input?: Partial<SaveInput>) => Promise<SaveResult>;
  /** Saves a context and fails when the save is skipped. */
  readonly saved: (context: Context, input?: Partial<SaveInput>) => Promise<CheckpointRecord>;
  readonly load: (id: CheckpointId | SessionId) => Promise<LoadedCheckpoint>;
  /** Writes a blob without a commit, like a crash before the commit. */
  readonly leaveBlob: (input: Partial<SaveInput> & { readonly context: Context; readonly checkpointId: CheckpointId }) => Promise<void>;
}

export function aStore(options: { readonly disk?: MemoryDisk; readonly limits?: Partial<Limits> } = {}): TestStore {
  const disk = options.disk ?? new MemoryDisk();
  const storage = storageInUse(openMemoryStorage({ disk }));
  const clock = new SteppingClock();
  const background = new BackgroundQueue(silent);
  const loaded: CheckpointRecord[] = [];
  const errors: LogFields[] = [];
  const ports: AllPorts = {
    ...storage,
    storage,
    classifier: classifierOf({ goal: "CRITICAL", plan: "IMPORTANT", n: "EPHEMERAL" }),
    codec,
    digests,
    clock,
    ids: new SequentialIds(),
    background,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    writer: "workrail/test",
    log: { ...silent, error: (message, fields) => void errors.push({ message, ...fields }) },
    onLoaded: (record) => void loaded.push(record),
  };
  const store: TestStore = {
    disk,
    storage,
    clock,
    loaded,
    errors,
    background,
    ports,
    save: (context, input = {}) => saveCheckpoint(store.ports, { sessionId: S, context, ...input }),
    async saved(context, input) {
      const result = await store.save(context, input);
      if (result.status !== "saved") throw new Error("The save was skipped.");
      return result.record;
    },
    load: (id) => loadCheckpoint(store.ports, id === S || id === OTHER ? { sessionId: id } : { checkpointId: id as CheckpointId }),
    async leaveBlob({ context, ...input }) {
      const crash = new Error("crashed before the commit");
      const change = (): Promise<never> => Promise.reject(crash);
      const crashing: AllPorts = { ...store.ports, catalog: withMethods(store.ports.catalog, { change }) };
      await saveCheckpoint(crashing, { sessionId: S, context, ...input }).catch((error: unknown) => {
        if (error !== crash) throw error;
      });
    },
  };
  return store;
}

/** Returns the port with some methods replaced. */
export function withMethods<T extends object>(port: T, methods: Partial<T>): T {
  return new Proxy(port, {
    get(target, name) {
      const own = (methods as Record<PropertyKey, unknown>)[name];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Returns the catalog with some answers to reads replaced. */
export function withAnswers(catalog: CatalogPort, answerOf: (read: Read, answer: unknown) => unknown): CatalogPort {
  return withMethods(catalog, {
    async read<R extends Reads>(reads: R): Promise<Facts<R>> {
      const facts = await catalog.read(reads);
      return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, answerOf(read, facts[name])])) as Facts<R>;
    },
  });
}

/** Returns a matcher for a `WorkrailError` with the code and details. */
export function failure(code: string, details: object = {}): object {
  return { name: "WorkrailError", code, details };
}
