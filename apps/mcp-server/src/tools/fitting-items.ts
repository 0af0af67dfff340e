import type { Workrail } from "@workrail/runtime";

/** Returns as many items as fit beside the rest of an answer, and at least one: an empty page could not be continued. */
export async function fittingItems<T extends object>(workrail: Workrail, frame: object, items: readonly T[]): Promise<readonly T[]> {
  const fitted = await workrail.fitAnswer(frame, items);
  return fitted.length > 0 ? fitted : items.slice(0, 1);
}
