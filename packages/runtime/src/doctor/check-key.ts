import type { SealingSettings } from "../sealing/sealing-settings.ts";
import { tryKey, tryToMakeKey } from "../sealing/try-key.ts";
import { failure } from "./check-store.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks that the key is available with which the store is, or is to be, sealed. Never creates a key for a read-only store. */
export async function checkKey(dataDir: string, wish: SealingSettings, readOnly: boolean): Promise<DoctorFinding> {
  const check = "keychain";
  try {
    if (await tryKey(dataDir, wish)) return { check, status: "ok", message: "The store is sealed, and its key is available." };
    if (wish.encryption !== "enabled") return { check, status: "ok", message: "The store is unencrypted, and no key is needed." };
    if (readOnly) return { check, status: "skipped", message: "No key is created for a read-only store." };
    const kind = await tryToMakeKey(wish, "doctor");
    return { check, status: "ok", message: `The store will be sealed, and its key is available (${kind}).` };
  } catch (error) {
    return failure(check, error, "`workrail encrypt --help` lists the sources of a key.");
  }
}
