import { FileKeyFiles, hasKeyring, nodeFileSystem } from "@workrail/blob-files";
import { openKeyring, readKeyring } from "@workrail/keychain-crypto";
import { sourceFor } from "./key-source.ts";
import type { SealingSettings } from "./sealing-settings.ts";

/**
 * Opens the keyring of a data directory or a backup, without changes.
 *
 * @returns true when a keyring is in use; otherwise the data is unencrypted.
 * @throws KEY_UNAVAILABLE
 */
export async function tryKey(dataDir: string, wish: SealingSettings): Promise<boolean> {
  const keyring = hasKeyring(dataDir) ? await readKeyring(keyFilesOf(dataDir)) : undefined;
  if (keyring === undefined || keyring.state === "clear") return false;
  await openKeyring(keyring, sourceFor(keyring, wish));
  return true;
}

/**
 * Creates a key and removes it again, the only way to learn whether a keychain stores one.
 *
 * @returns the kind of source that the key would come from.
 * @throws KEY_UNAVAILABLE
 */
export async function tryToMakeKey(wish: SealingSettings, storeId: string): Promise<string> {
  const source = sourceFor(undefined, wish);
  const { found } = await source.make(storeId);
  await source.forget?.(found);
  return source.kind;
}

/** Key files for reading only. */
function keyFilesOf(dataDir: string): FileKeyFiles {
  return new FileKeyFiles(dataDir, nodeFileSystem, async () => {});
}
