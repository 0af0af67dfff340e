import { isWorkrailError, type Sealer } from "@workrail/core";

/** Seals texts kept outside of the storage. In an unencrypted store, texts stay unchanged. */
export interface TextSealing {
  seal(text: string): string;
  /** Returns `undefined` for a text that `seal` did not make. */
  open(sealed: string): string | undefined;
}

/** @param sealer absent for an unencrypted store. */
export function textSealing(sealer: Pick<Sealer, "sealText" | "openText"> | undefined): TextSealing {
  if (sealer === undefined) return { seal: (text) => text, open: (text) => text };
  return {
    seal: (text) => sealer.sealText(text),
    open(text) {
      try {
        return sealer.openText(text);
      } catch (error) {
        if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return undefined;
        throw error;
      }
    },
  };
}
