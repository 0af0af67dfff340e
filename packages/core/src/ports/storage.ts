import type { Durability } from "../model/checkpoint.ts";
import type { BlobStore } from "./blob-store.ts";
import type { Catalog, CatalogRecovery } from "./catalog.ts";
import type { Locking } from "./locking.ts";

/** What a storage adapter gives: ports that belong together, and the way to close them. */
export interface Storage {
  /** `disk`: what is acknowledged survives a crash and a power cut. */
  readonly durability: Durability;
  /** How it works at present, for the person who asks for the status: the driver that is in use, `memory`, or the like. */
  readonly mode: string;
  readonly catalog: Catalog;
  readonly recovery: CatalogRecovery;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  /** Releases files and locks; everything acknowledged is already durable. May be called twice. */
  close(): Promise<void>;
}
