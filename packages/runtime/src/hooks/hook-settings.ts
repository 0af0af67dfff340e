import { hasKeyring } from "@workrail/blob-files";
import { readConfiguration } from "../config/read-configuration.ts";
import type { Environment } from "../config/default-data-dir.ts";
import type { SettingValues } from "../config/setting-table.ts";
import { hasKey } from "../sealing/sealing-settings.ts";

/** Settings that hooks obey. A wrong value falls back as everywhere. */
export interface HookSettings {
  readonly dataDir: string;
  readonly saves: boolean;
  readonly keepsConversations: boolean;
  readonly resumes: boolean;
  readonly isReadOnly: boolean;
  /** The store is sealed, so hooks write no plaintext. */
  readonly isSealed: boolean;
  readonly values: SettingValues;
  /** From the environment of the host; absent: found from the directory in the payload. */
  readonly project?: string | undefined;
}

export function hookSettings(env: Environment, args?: readonly string[]): HookSettings {
  const { dataDir, values } = readConfiguration({ env, args });
  const key = { key: values.encryptionKey, keyFile: values.encryptionKeyFile, passphrase: values.encryptionPassphrase };
  return {
    dataDir,
    saves: values.hookSave,
    keepsConversations: values.hookConversation,
    resumes: values.hookResume,
    isReadOnly: values.readOnly,
    isSealed: values.encryption === "enabled" || hasKeyring(dataDir) || (values.store !== undefined && hasKey(key)),
    values,
    project: values.project,
  };
}
