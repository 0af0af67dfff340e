import type { Storage } from "@workrail/core";
import type { Faults } from "./faults.ts";

// Everything that a harness may need at run time, without vitest, so that child processes start faster.
export { type Chance, withChance } from "./chance.ts";
export { randomIds, sha256 } from "./environment.ts";
export { type ConformanceOptions, completeOptions } from "./options.ts";
export { faultError, Faults, withFaults } from "./faults.ts";
export { type StorageInUse, storageInUse } from "./storage-in-use.ts";
export { tally } from "./tally.ts";
export type { FaultCounts } from "./tally.ts";
export type { FaultKind, FaultOptions, FaultPlan } from "./faults.ts";

/** Describes an adapter to the tests and gives them stores. */
export interface StorageHarness {
  /** Prefix of the names of all tests. */
  readonly name: string;
  readonly capabilities: StorageCapabilities;
  /** Creates an empty, closed store and returns its place: a path, a key, or anything else that `open` understands. */
  create(): Promise<string>;
  /** Opens a store: the first time, again after it was closed, and with `manyOpeners` beside other openers. */
  open(place: string): Promise<Storage>;
  /** Removes the store, which is closed. */
  destroy(place: string): Promise<void>;
  /**
   * URL of the module that exports this object as `harness`; use `import.meta.url`. Child processes import the module, so it
   * must not import vitest. Absent: tests that need another process are skipped.
   */
  readonly module?: string;
  /** Opens the store so that each of its file operations asks `faults` first. Absent: tests with faults are skipped. */
  openWithFaults?(place: string, faults: Faults): Promise<Storage>;
  /** Destroys the catalog of a closed store and nothing else, as deleting a database file does. */
  loseCatalog?(place: string): Promise<void>;
}

/** Permitted differences between adapters. Everything else is required of all adapters. */
export interface StorageCapabilities {
  /** True when a closed store has its content when it is opened again; `false`: closing forgets the content. */
  readonly persistent: boolean;
  /** True when a store can be open several times at once: in this process and, with `module`, in others. */
  readonly manyOpeners: boolean;
  /** True when a commit checks that the blob exists and returns `blob-missing` when it does not. */
  readonly seesBlobs: boolean;
}
