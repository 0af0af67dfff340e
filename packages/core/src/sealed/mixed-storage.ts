import { isWorkrailError } from "../errors.ts";
import type { SessionFacts } from "../model/session.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { CatalogRecovery } from "../ports/catalog.ts";
import type { Sealer } from "../ports/sealer.ts";
import type { Storage } from "../ports/storage.ts";
import { SealedBlobStore } from "./sealed-blob-store.ts";

/** What a rebuild reads of a store that was only partly sealed, or opened, when its catalog was lost. The catalog that it makes is in clear. */
export function mixedStorage(storage: Storage, sealer: Sealer): { readonly blobs: BlobStore; readonly recovery: CatalogRecovery } {
  const { blobs, recovery } = storage;
  const either: Pick<Sealer, "sealBlob" | "openBlob" | "overheadBytes"> = {
    overheadBytes: 0,
    sealBlob: (ref, bytes) => sealer.sealBlob(ref, bytes),
    openBlob: async (ref, bytes) => (sealer.isSealed(bytes) ? sealer.openBlob(ref, bytes) : bytes),
  };
  async function* sessionFacts(): AsyncGenerator<SessionFacts> {
    for await (const facts of recovery.sessionFacts()) {
      yield {
        ...facts,
        tags: facts.tags.map((tag) => openIfSealed(sealer, tag)),
        pins: facts.pins.map((pin) => openIfSealed(sealer, pin)),
      };
    }
  }
  return {
    blobs: new SealedBlobStore(blobs, either),
    recovery: {
      needsRebuild: () => recovery.needsRebuild(),
      examine: () => recovery.examine(),
      sessionFacts,
      replaceAll: (records, sessions, audit) => recovery.replaceAll(records, sessions, audit),
    },
  };
}

function openIfSealed(sealer: Sealer, text: string): string {
  try {
    return sealer.openText(text);
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return text;
    throw error;
  }
}
