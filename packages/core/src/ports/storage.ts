import type { Durability } from "../model/checkpoint.ts";
import type { BlobStore } from "./blob-store.ts";
import type { Catalog, CatalogRecovery } from "./catalog.ts";
import type { Locking } from "./locking.ts";
import type { SearchEngine } from "./search-index.ts";
import type { VectorEngine } from "./vector-index.ts";
import type { KeyFiles } from "./sealer.ts";

/** What a storage adapter gives: ports that belong together, and the way to close them. */
export interface Storage {
  /** `disk`: what is acknowledged survives a crash and a power cut. */
  readonly durability: Durability;
  /** Whether it is open for reading alone: whatever would change it fails with `READ_ONLY`. Default `false`. */
  readonly isReadOnly?: boolean;
  /** How it works at present, for the person who asks for the status: the driver that is in use, `memory`, or the like. */
  readonly mode: string;
  /** What the person should know of the place it is in, a sentence each; none when all is well. */
  readonly warnings: readonly string[];
  readonly catalog: Catalog;
  readonly recovery: CatalogRecovery;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  /** Absent where a store cannot be sealed. */
  readonly keyFiles?: KeyFiles;
  /** Absent where there is nothing that can be full. */
  readonly reserve?: Reserve;
  /** Absent where nothing is left of earlier times. */
  readonly remains?: Remains;
  /** Its index of texts, kept beside the store. Absent where it has none of its own. */
  readonly search?: SearchEngine;
  /**
   * Sees to it that no file of the storage has anything of what is no longer in it: free pages, logs, terms that an index let go of,
   * catalogs that were kept aside. May be interrupted at any moment, and be called again. Resolves with what it could not see to,
   * a sentence each for the person; none when all is done. Absent where nothing is ever left.
   */
  purge?(): Promise<readonly string[]>;
  /** Holds what an embedder makes of it. Absent where there is no place for that. */
  readonly vectors?: VectorEngine;
  /** What indexes take on the disk, which hold nothing that cannot be made again. Absent where none of it is on a disk. */
  readonly derivedBytes?: () => DerivedBytes;
  /** Releases files and locks; everything acknowledged is already durable. May be called twice. */
  close(): Promise<void>;
}

/** What lies beside a store from earlier times: nobody reads it any more but a person. */
export interface Remains {
  /** Names of what killed restores and rebuilds left. Called with the store held shared, so that none is under way. */
  leftovers(): Promise<readonly string[]>;
  /** Removes them, overwritten where that can be. Resolves with their names. Called with the store held shared; may be repeated. */
  removeLeftovers(): Promise<readonly string[]>;
  /**
   * Removes the copies of the catalog, and of sessions' facts, that the storage kept by itself when it changed or replaced them, and what interrupted
   * writers left. Resolves, when it is durable, with where the copies were. Called with the store locked exclusively.
   */
  removeCatalogCopies(): Promise<readonly string[]>;
  /**
   * What else may hold what the store holds or held, as it was then: what was put aside as damaged, exported, or replaced by a backup.
   *
   * @param isSealed whether the bytes of a blob are sealed.
   */
  list(isSealed: (bytes: Uint8Array) => boolean): AsyncIterable<Remain>;
}

export interface Remain {
  /** Where it is, in words for a person. */
  readonly place: string;
  readonly isSealed: boolean;
}

/** 0: there is none. */
export interface DerivedBytes {
  readonly search: number;
  readonly vectors: number;
}

/** Room on the disk that is kept for the time when there is no other. */
export interface Reserve {
  /** Sees to it that the room is kept. `false` when the disk does not take it. */
  keep(): Promise<boolean>;
  /**
   * Gives the room back, and what else the storage holds without need. May be called when nothing is kept. Resolves with
   * how many bytes the room was.
   */
  release(): Promise<number>;
  /** What can still be written, in bytes: a hint, for quotas and other writers may have it otherwise. */
  freeBytes(): number;
}
