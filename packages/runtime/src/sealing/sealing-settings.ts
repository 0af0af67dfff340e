/** The user's settings for encryption. */
export interface SealingSettings {
  /** Absent: leave the store unchanged. */
  readonly encryption: "enabled" | "disabled" | undefined;
  /** 32 bytes as text. Order of precedence: this key, the file, the passphrase, the keychain. */
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
  readonly passphrase: string | undefined;
  /** The recovery key shown when the store was sealed. Takes precedence over all others. */
  readonly recoveryKey: string | undefined;
  /** True to let a sealed store write unencrypted files on request, such as exports. */
  readonly allowPlaintextFiles: boolean;
}

/** True when a key is set. Nothing else on this machine tells that a store in a database is sealed. */
export function hasKey({ key, keyFile, passphrase }: Pick<SealingSettings, "key" | "keyFile" | "passphrase">): boolean {
  return [key, keyFile, passphrase].some((each) => each !== undefined);
}
