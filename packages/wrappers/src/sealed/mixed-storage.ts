import { WorkrailError, chained, type AuditDigest, type ChainedRecovery, type ChainedStorage, type Storage } from "@workrail/core";
import { type Forms, plainBlob, plainFacts } from "./forms.ts";
import { sealStorage } from "./seal-storage.ts";
import { type BlobSealer, SealedBlobStore } from "./sealed-blob-store.ts";

/**
 * Reads a partly converted store for a rebuild after its catalog was lost. The rebuilt catalog has the target form.
 *
 * @param digest chains the audit log of an unencrypted store.
 */
export function mixedStorage(storage: Storage, forms: Forms, digest: AuditDigest): Pick<ChainedStorage, "blobs" | "recovery"> {
  const { to } = forms;
  const either: BlobSealer = {
    overheadBytes: 0,
    sealBlob: async (ref, bytes) => (to === undefined ? bytes : to.sealBlob(ref, bytes)),
    isKeyKept: async (ref, sealed) => to === undefined || to.isKeyKept(ref, sealed),
    async openBlob(ref, bytes) {
      const plain = await plainBlob(forms, ref, bytes);
      if (plain === undefined) throw new WorkrailError("CHECKPOINT_CORRUPT", "The blob cannot be opened.");
      return plain;
    },
  };
  const target = to === undefined ? chained(storage, digest) : sealStorage(storage, to);
  const recovery: ChainedRecovery = {
    state: (options) => target.recovery.state(options),
    async *sessionFacts() {
      for await (const facts of storage.recovery.sessionFacts()) yield plainFacts(forms, facts);
    },
    replaceAll: (content, old) => target.recovery.replaceAll(content, old),
  };
  return { blobs: new SealedBlobStore(storage.blobs, either), recovery };
}
