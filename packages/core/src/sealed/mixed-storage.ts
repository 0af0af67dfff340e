import { WorkrailError } from "../errors.ts";
import type { SessionFacts } from "../model/session.ts";
import type { CatalogRecovery } from "../ports/catalog.ts";
import type { Storage } from "../ports/storage.ts";
import { type Forms, plainBlob, plainFacts } from "./forms.ts";
import { type BlobSealer, SealedBlobStore } from "./sealed-blob-store.ts";
import { SealedCatalog } from "./sealed-catalog.ts";

/** Reads a partly converted store for a rebuild after its catalog was lost. The rebuilt catalog has the target form. */
export function mixedStorage(storage: Storage, forms: Forms): Pick<Storage, "blobs" | "recovery"> {
  const { to } = forms;
  const either: BlobSealer = {
    overheadBytes: 0,
    sealBlob: async (ref, bytes) => (to === undefined ? bytes : to.sealBlob(ref, bytes)),
    isKeyKept: async (ref, sealed) => to === undefined || to.isKeyKept(ref, sealed),
    async openBlob(ref, bytes) {
      const plain = await plainBlob(forms, ref, bytes);
      if (plain === undefined) throw new WorkrailError("CHECKPOINT_CORRUPT", "It cannot be opened.");
      return plain;
    },
  };
  async function* sessionFacts(): AsyncGenerator<SessionFacts> {
    for await (const facts of storage.recovery.sessionFacts()) yield plainFacts(forms, facts);
  }
  const made: CatalogRecovery = to === undefined ? storage.recovery : new SealedCatalog(storage, to);
  return {
    blobs: new SealedBlobStore(storage.blobs, either),
    recovery: {
      needsRebuild: () => made.needsRebuild(),
      examine: (options) => made.examine(options),
      sessionFacts,
      replaceAll: (records, sessions, audit) => made.replaceAll(records, sessions, audit),
    },
  };
}
