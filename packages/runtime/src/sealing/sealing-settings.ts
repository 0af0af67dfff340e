/** What a person wants of a store's encryption. */
export interface SealingSettings {
  /** Absent: as the store is. */
  readonly encryption: "enabled" | "disabled" | undefined;
  /** 32 bytes as text. Goes before the file, that before the passphrase, and that before the keychain. */
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
  readonly passphrase: string | undefined;
  /** The key that was written down when the store was sealed; goes before all others. */
  readonly recoveryKey: string | undefined;
  /** Whether a sealed store may write files in clear where a person asks for them, such as exports. */
  readonly allowPlaintextFiles: boolean;
}
