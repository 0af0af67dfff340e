import type { SealingSettings } from "../sealing/sealing-settings.ts";
import { tryKey, tryToMakeKey } from "../sealing/try-key.ts";
import { failure } from "./check-store.ts";
import type { DoctorFinding } from "./finding.ts";

/** Whether the key can be had that the store is sealed with, or is to be. None is made where the store is only read. */
export async function checkKey(dataDir: string, wish: SealingSettings, readOnly: boolean): Promise<DoctorFinding> {
  const check = "keychain";
  try {
    if (await tryKey(dataDir, wish)) return { check, status: "ok", message: "The store is sealed, and its key can be had." };
    if (wish.encryption !== "enabled") return { check, status: "ok", message: "The store is in clear, and no key is needed." };
    if (readOnly) return { check, status: "skipped", message: "A key is not made for a store that is only read." };
    const kind = await tryToMakeKey(wish, "doctor");
    return { check, status: "ok", message: `The store is to be sealed, and a key for it can be had (${kind}).` };
  } catch (error) {
    return failure(check, error, "`workrail encrypt --help` tells where a key may come from.");
  }
}
