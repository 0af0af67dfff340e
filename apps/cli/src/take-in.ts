import { openWorkrail } from "@workrail/runtime";
import type { IncomingSave } from "@workrail/runtime/hooks";

/** Saves at once the incoming saves that a hook made for a sealed store. @throws as opening and saving do. */
export async function saveNow(saves: readonly IncomingSave[]): Promise<void> {
  const store = await openWorkrail({ fallback: "fail", upkeep: false });
  try {
    await store.takeIncoming(saves);
  } finally {
    await store.close();
  }
}
