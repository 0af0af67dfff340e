export { keyFromKeychain } from "./keychain.ts";
export {
  addRecoveryKey,
  copyKeyring,
  createKeyring,
  hasRecoveryKey,
  isReadableKeyring,
  mendKeyring,
  openKeyring,
  readKeyring,
  replaceDataKey,
  rewrapKeyring,
  sourceKindOf,
  writeKeyringState,
} from "./keyring.ts";
export type { KeyChange, Keyring, KeyringState, OpenedKeys } from "./keyring.ts";
export { keyFromEnvironment, keyFromFile, keyFromPassphrase } from "./key-source.ts";
export type { KeySource } from "./key-source.ts";
export { keyFromRecovery } from "./recovery-key.ts";
export { StoreSealer } from "./store-sealer.ts";
export type { DataKey } from "./store-sealer.ts";
export { isSealedText } from "./text-cipher.ts";
