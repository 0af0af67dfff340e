import { FileKeyFiles, hasKeyring, nodeFileSystem } from "@workrail/blob-files";
import { openKeyring, readKeyring } from "@workrail/keychain-crypto";
import { sourceFor } from "../sealing/key-source.ts";
import type { SealingSettings } from "../sealing/sealing-settings.ts";
import { failure } from "./check-store.ts";
import type { DoctorFinding } from "./finding.ts";

/**
 * Whether the key can be had that the store is sealed with, or is to be. Whether a keychain keeps one is seen by giving it one, which is taken
 * out again; not so where the store is only read.
 */
export async function checkKey(dataDir: string, wish: SealingSettings, readOnly: boolean): Promise<DoctorFinding> {
  const check = "keychain";
  try {
    const keyring = hasKeyring(dataDir) ? await readKeyring(keyFilesOf(dataDir)) : undefined;
    if (keyring !== undefined && keyring.state !== "clear") {
      await openKeyring(keyring, sourceFor(keyring, wish));
      return { check, status: "ok", message: "The store is sealed, and its key can be had." };
    }
    if (wish.encryption !== "enabled") return { check, status: "ok", message: "The store is in clear, and no key is needed." };
    if (readOnly) return { check, status: "skipped", message: "A key is not made for a store that is only read." };
    const source = sourceFor(undefined, wish);
    const { found } = await source.make("doctor");
    await source.forget?.(found);
    return { check, status: "ok", message: `The store is to be sealed, and a key for it can be had (${source.kind}).` };
  } catch (error) {
    return failure(check, error, "`workrail encrypt --help` tells where a key may come from.");
  }
}

/** They are only read. */
function keyFilesOf(dataDir: string): FileKeyFiles {
  return new FileKeyFiles(dataDir, nodeFileSystem, async () => {});
}
