import type { Storage } from "@workrail/core";
import type { Faults } from "./faults.ts";

// What a harness may need at run time, without vitest: child processes import it, and start sooner so.
export { type Chance, withChance } from "./chance.ts";
export { randomIds, sha256 } from "./environment.ts";
export { type ConformanceOptions, completeOptions } from "./options.ts";
export { faultError, Faults, withFaults } from "./faults.ts";
export { tally } from "./tally.ts";
export type { FaultCounts } from "./tally.ts";
export type { FaultKind, FaultOptions, FaultPlan } from "./faults.ts";

/** What the tests need to know of an adapter, and how they get stores of it. */
export interface StorageHarness {
  /** Stands before every test's name. */
  readonly name: string;
  readonly capabilities: StorageCapabilities;
  /** Makes a fresh, empty store, closed, and says where it is kept: a path, a key, whatever `open` understands. */
  create(): Promise<string>;
  /** Opens a store: the first time, again after it was closed, and with `manyOpeners` beside others that have it open. */
  open(place: string): Promise<Storage>;
  /** Removes the store. Nobody has it open any more. */
  destroy(place: string): Promise<void>;
  /**
   * URL of the module that exports this very object as `harness`; write `import.meta.url`. Child processes import it,
   * so it must not import vitest. Absent: nothing is tested that needs another process.
   */
  readonly module?: string;
  /** Opens the store so that each of its file operations asks `faults` first. Absent: no fault is injected. */
  openWithFaults?(place: string, faults: Faults): Promise<Storage>;
  /** Destroys the catalog of a closed store and leaves all else, as deleting a database file would. */
  loseCatalog?(place: string): Promise<void>;
}

/** Where adapters differ by right. What is not listed here is required of all of them. */
export interface StorageCapabilities {
  /** A store that was closed holds everything when it is opened again; `false`: closing forgets it. */
  readonly persistent: boolean;
  /** Several may have one store open at the same time: in this process and, with `module`, in others. */
  readonly manyOpeners: boolean;
  /** A commit looks whether the blob is there and answers `blob-missing` when it is not. */
  readonly seesBlobs: boolean;
}
