import { WorkrailError } from "@workrail/core";
import {
  type Keyring,
  keyFromEnvironment,
  keyFromFile,
  keyFromKeychain,
  keyFromPassphrase,
  keyFromRecovery,
  type KeySource,
  sourceKindOf,
} from "@workrail/keychain-crypto";
import type { SealingSettings } from "./sealing-settings.ts";

const VARIABLES: Readonly<Record<string, string>> = {
  environment: "WORKRAIL_ENCRYPTION_KEY",
  file: "WORKRAIL_ENCRYPTION_KEY_FILE",
  passphrase: "WORKRAIL_ENCRYPTION_PASSPHRASE",
};

/** Returns the source of the key: the one in the settings, else the one in the store's keyring, else the keychain. */
export function sourceFor(keyring: Keyring | undefined, wish: SealingSettings): KeySource {
  if (wish.recoveryKey !== undefined) return keyFromRecovery(wish.recoveryKey);
  if (wish.key !== undefined) return keyFromEnvironment(wish.key);
  if (wish.keyFile !== undefined) return keyFromFile(wish.keyFile);
  if (wish.passphrase !== undefined) return keyFromPassphrase(wish.passphrase);
  const kind = (keyring === undefined ? undefined : sourceKindOf(keyring)) ?? "keychain";
  if (kind === "keychain") return keyFromKeychain();
  throw new WorkrailError("KEY_UNAVAILABLE", `The store is sealed, and its key (${kind}) was not given.`, {
    details: { source: kind },
    hint: `Set ${VARIABLES[kind] ?? "WORKRAIL_ENCRYPTION_RECOVERY_KEY"}, or use the recovery key.`,
  });
}
