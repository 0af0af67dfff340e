import type { Workrail } from "@workrail/runtime";

/** Of the items as many as fit beside the rest of an answer, but one in any case: an answer of nothing could not be gone on from. */
export async function asManyAsFit<T extends object>(workrail: Workrail, frame: object, items: readonly T[]): Promise<readonly T[]> {
  const fitted = await workrail.fitAnswer(frame, items);
  return fitted.length > 0 ? fitted : items.slice(0, 1);
}
