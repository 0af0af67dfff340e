import { FileKeyFiles, hasKeyring, nodeFileSystem } from "@workrail/blob-files";
import { openKeyring, readKeyring } from "@workrail/keychain-crypto";
import { sourceFor } from "./key-source.ts";
import type { SealingSettings } from "./sealing-settings.ts";

/**
 * Opens the keyring of a data directory, or of a backup, and changes nothing.
 *
 * @returns whether there is one that is in use: the rest is in clear.
 * @throws KEY_UNAVAILABLE
 */
export async function tryKey(dataDir: string, wish: SealingSettings): Promise<boolean> {
  const keyring = hasKeyring(dataDir) ? await readKeyring(keyFilesOf(dataDir)) : undefined;
  if (keyring === undefined || keyring.state === "clear") return false;
  await openKeyring(keyring, sourceFor(keyring, wish));
  return true;
}

/**
 * Has a key be made, and taken out again: only so it is seen whether a keychain keeps one.
 *
 * @returns where it would come from.
 * @throws KEY_UNAVAILABLE
 */
export async function tryToMakeKey(wish: SealingSettings, storeId: string): Promise<string> {
  const source = sourceFor(undefined, wish);
  const { found } = await source.make(storeId);
  await source.forget?.(found);
  return source.kind;
}

/** They are only read. */
function keyFilesOf(dataDir: string): FileKeyFiles {
  return new FileKeyFiles(dataDir, nodeFileSystem, async () => {});
}
