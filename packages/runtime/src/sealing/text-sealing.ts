import { isWorkrailError, type Sealer } from "@workrail/core";

/** For what is kept outside of the storage: as it is, in a store in clear. */
export interface TextSealing {
  seal(text: string): string;
  /** `undefined` for what `seal` did not make. */
  open(sealed: string): string | undefined;
}

/** @param sealer absent: in clear. */
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
