import { isWorkrailError, type Sealer } from "@workrail/core";

/** Seals texts kept outside of the storage. In a store in clear, texts stay unchanged. */
export interface TextSealing {
  seal(text: string): string;
  /** Returns `undefined` for a text that `seal` did not make. */
  open(sealed: string): string | undefined;
}

/** @param sealer absent for a store in clear. */
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
