export { keyFromKeychain } from "./keychain.ts";
export { createKeyring, openKeyring, readKeyring, rewrapKeyring, writeKeyringState } from "./keyring.ts";
export type { KeyringFacts, KeyringState, OpenedKeys } from "./keyring.ts";
export { keyFromEnvironment, keyFromFile, keyFromPassphrase } from "./key-source.ts";
export type { KeySource } from "./key-source.ts";
export { keyFromRecovery } from "./recovery-key.ts";
export { StoreSealer } from "./store-sealer.ts";
export type { DataKey } from "./store-sealer.ts";
