import type { CatalogPort, ChainedRecovery, RecoveryPort } from "../catalog/catalog-port.ts";
import type { AuditDigest } from "../model/audit.ts";
import type { Durability } from "../model/checkpoint.ts";
import type { Clock } from "./environment.ts";
import type { BlobStore } from "./blob-store.ts";
import type { Locking } from "./locking.ts";
import type { SearchEngine } from "./search-index.ts";
import type { VectorEngine } from "./vector-index.ts";
import type { KeyFiles } from "./sealer.ts";

/** Ports of one storage adapter, with the way to close them. */
export interface Storage {
  /** `disk`: acknowledged data survives a crash and a power cut. */
  readonly durability: Durability;
  /** True when the store is open for reading only: every change fails with `READ_ONLY`. Default `false`. */
  readonly isReadOnly?: boolean;
  /** Current mode for the status report, such as the driver in use or `memory`. */
  readonly mode: string;
  /** Warnings about the storage location for the user, one sentence each; empty when all is well. */
  readonly warnings: readonly string[];
  /** Clock that all users of the storage share. Absent where the clock of the machine counts. */
  readonly clock?: Clock;
  readonly catalog: CatalogPort;
  readonly recovery: RecoveryPort;
  /** Absent while nothing chains the audit log. */
  readonly chain?: AuditChain;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  /** Absent where a store cannot be sealed. */
  readonly keyFiles?: KeyFiles;
  /** Absent where no disk can be full. */
  readonly reserve?: Reserve;
  /** Absent where no data from earlier versions can be left. */
  readonly remains?: Remains;
  /** Text index kept beside the store. Absent where the storage has none. */
  readonly search?: SearchEngine;
  /**
   * Removes deleted data from all files of the storage: free pages, logs, terms dropped by an index, and catalogs kept aside. An
   * interrupted call can be repeated. Resolves to the parts that could not be purged, one sentence each for the user; empty when
   * everything is done. Absent where deleted data never remains.
   */
  purge?(): Promise<readonly string[]>;
  /**
   * Runs the work of a job that one opener does for all, or resolves to `undefined` at once while another opener does that job. The claim
   * of a dead process expires. Absent where every opener does its own work: each job may also be done by several at the same time.
   */
  claimJob?<T>(job: Job, work: () => Promise<T>): Promise<{ readonly done: T } | undefined>;
  /** Holds the vectors of an embedder. Absent where there is no place for them. */
  readonly vectors?: VectorEngine;
  /** Disk usage of the indexes, which can be rebuilt at any time. Absent where no index is on a disk. */
  readonly derivedBytes?: () => DerivedBytes;
  /** Releases files and locks. All acknowledged data is already durable. May be called twice. */
  close(): Promise<void>;
}

/** Work on a whole store that is due from time to time. */
export const JOBS = ["clean up", "compact", "index", "verify"] as const;
export type Job = (typeof JOBS)[number];

/** Storage with a chained audit log. */
export interface ChainedStorage extends Storage {
  readonly recovery: ChainedRecovery;
  readonly chain: AuditChain;
}

/** Audit log in the form in which it is stored and chained. */
export interface AuditChain {
  readonly rows: Pick<CatalogPort, "read">;
  readonly digest: AuditDigest;
  /** True when only a holder of the store's key can compute the digest. */
  readonly isKeyed: boolean;
}

/** Leftover files next to a store. No program reads them any more. */
export interface Remains {
  /** Names of files left by killed restores and rebuilds. Called with the store held shared, so that none is in progress. */
  leftovers(): Promise<readonly string[]>;
  /**
   * Removes these leftovers, overwriting them where possible. Resolves to their names. Called with the store held shared; may be
   * repeated.
   */
  removeLeftovers(): Promise<readonly string[]>;
  /**
   * Removes the copies of the catalog and of session facts that the storage kept when it changed or replaced them, and files of
   * interrupted writers. Resolves, when the removal is durable, to the places of the copies. Called with the store locked
   * exclusively.
   */
  removeCatalogCopies(): Promise<readonly string[]>;
  /**
   * Lists other places that may hold current or former data of the store: data quarantined, exported, or replaced by a backup.
   *
   * @param isSealed tells whether the bytes of a blob are sealed.
   */
  list(isSealed: (bytes: Uint8Array) => boolean): AsyncIterable<Remain>;
}

export interface Remain {
  /** Description of the place for a person. */
  readonly place: string;
  readonly isSealed: boolean;
}

/** Bytes on disk; 0 when there is no such index. */
export interface DerivedBytes {
  readonly search: number;
  readonly vectors: number;
}

/** Disk space reserved for the time when the disk is full. */
export interface Reserve {
  /** Makes sure that the space is reserved. `false` when the disk has no room for it. */
  keep(): Promise<boolean>;
  /**
   * Frees the reserved space, and other space that the storage does not need. May be called when nothing is reserved. Resolves to
   * the size of the reserve in bytes.
   */
  release(): Promise<number>;
  /** Returns the bytes that can still be written. Only a hint: quotas and other writers may reduce them. */
  freeBytes(): number;
}
