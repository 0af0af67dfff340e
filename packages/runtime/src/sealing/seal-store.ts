import { removeNotes } from "../hooks/forget-sessions.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type AuditEvent, FAILED, isWorkrailError, type KeyFiles, readOnly, runFinally, WorkrailError, commit } from "@workrail/core";
import { type ConversionProgress, sealStorage } from "@workrail/wrappers";
import {
  keyFromFile,
  keyFromKeychain,
  keyFromPassphrase,
  type Keyring,
  type KeySource,
  openKeyring,
  type OpenedKeys,
  readKeyring,
  rewrapKeyring,
  StoreSealer,
} from "@workrail/keychain-crypto";
import { type Adapters, openDefaultStorage } from "../container.ts";
import { silentLog } from "../environment.ts";
import type { Environment } from "../config/default-data-dir.ts";
import type { ProgramSettings } from "../config/setting-table.ts";
import { readSettings, type Settings } from "../settings.ts";
import { conversionPorts } from "./conversion-ports.ts";
import { type ConversionResult, type ConvertibleStore, keyringOfSealed, sealAnew, sealedKeys, unseal } from "./convert.ts";
import { sourceFor } from "./key-source.ts";

export interface SealOptions {
  /** Default: `WORKRAIL_DATA_DIR`, else the platform's directory for user data. */
  readonly dataDir?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line, such as `--data-dir=x`. */
  readonly args?: readonly string[] | undefined;
  /** Settings by name, as in `config.json`. They override `args`. Default: none. */
  readonly settings?: ProgramSettings | undefined;
  /** Parts that replace the built-in ones. */
  readonly adapters?: Adapters | undefined;
  /** Called after each blob. */
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

export interface SealResult extends Omit<ConversionResult, "unreadable"> {
  readonly dataDir: string;
  /** Files that could not be opened and stay sealed. */
  readonly unreadable: readonly string[];
}

/** Location of the new key. At most one field; none: the keychain. */
export interface NewKey {
  readonly keyFile?: string | undefined;
  /** A file with the passphrase in its first line. */
  readonly passphraseFile?: string | undefined;
}

/** Seals a store, as `sealStore` of the library describes. */
export async function sealStore(options: SealOptions = {}): Promise<SealResult> {
  return withRawStore(options, async ({ settings, ...store }) => {
    const { onProgress } = options;
    const { result } = await sealedKeys(store, settings.sealing, { withRecovery: true, onProgress });
    removeNotes(settings.dataDir);
    return { dataDir: settings.dataDir, ...result };
  });
}

/** Unseals a store, as `unsealStore` of the library describes. */
export async function unsealStore(options: SealOptions = {}): Promise<SealResult> {
  return withRawStore(options, async ({ settings, ...store }) => {
    return { dataDir: settings.dataDir, ...(await unseal(store, settings.sealing, options.onProgress)) };
  });
}

/** Wraps the keys anew, as `rekeyStore` of the library describes. */
export async function rekeyStore(
  to: NewKey,
  options: SealOptions = {},
): Promise<{ readonly dataDir: string; readonly recoveryKey: string | undefined }> {
  return withRawStore(options, async ({ storage, keyFiles, settings, ports }) => {
    const recoveryKey = await storage.locking.exclusively(async () => {
      const keyring = await keyringOfSealed(keyFiles);
      const from = sourceFor(keyring, settings.sealing);
      const keys = await openKeyring(keyring, from);
      const logIt = (reason?: typeof FAILED): Promise<void> => logRekeying({ storage, keyFiles }, keys, { at: ports.clock.now(), reason });
      await logIt();
      try {
        return (await rewrapKeyring(keyFiles, keys, { from, to: newSource(to) })).recoveryKey;
      } catch (error) {
        if (!(await isAsBefore(keyFiles, keyring))) throw inUseAlready(error);
        await logIt(FAILED);
        throw error;
      }
    });
    return { dataDir: settings.dataDir, recoveryKey };
  });
}

/** Seals a store anew, as `rekeyStoreDeeply` of the library describes. */
export async function rekeyStoreDeeply(to: NewKey, options: SealOptions = {}): Promise<SealResult> {
  return withRawStore(options, async ({ settings, ...store }) => {
    const from = sourceFor(await readKeyring(store.keyFiles), settings.sealing);
    const result = await sealAnew(store, { from, to: newSource(to) }, options.onProgress);
    return { dataDir: settings.dataDir, ...result };
  });
}

function newSource({ keyFile, passphraseFile }: NewKey): KeySource {
  if (keyFile !== undefined) return keyFromFile(path.resolve(keyFile));
  if (passphraseFile === undefined) return keyFromKeychain();
  return keyFromPassphrase(readFileSync(passphraseFile, "utf8").split(/\r?\n/)[0] ?? "");
}

/** True when the keyring is unchanged. Removing the old key may have failed although the new one is already in use. */
async function isAsBefore(keyFiles: KeyFiles, { mac }: Keyring): Promise<boolean> {
  return (await readKeyring(keyFiles))?.mac === mac;
}

/** Adds to an error that only the new key opens the store, and that nobody has seen its recovery key. */
function inUseAlready(error: unknown): unknown {
  if (!isWorkrailError(error)) return error;
  const { code, message, details, hint } = error;
  const first = hint === undefined ? "" : `${hint} `;
  return new WorkrailError(code, message, {
    details,
    hint: `${first}The store has the new key already: run \`workrail rekey\` again with it to get a recovery key.`,
    cause: error,
  });
}

/**
 * Logs a rekeying before it is done, because a row written afterwards could be missing. A failure adds another row.
 *
 * Skipped before a conversion is finished, when the log is chained differently, and for a lost catalog, whose log starts again.
 */
async function logRekeying(
  { storage, keyFiles }: Pick<RawStore, "storage" | "keyFiles">,
  { keyring, dataKey }: OpenedKeys,
  row: Pick<AuditEvent, "at" | "reason">,
): Promise<void> {
  if (keyring.state !== "sealed" || (await storage.recovery.state()) === "lost") return;
  const { catalog } = sealStorage(storage, new StoreSealer(dataKey, keyFiles));
  await catalog.change(commit({ audit: [{ ...row, action: "rekey", sessionId: undefined, checkpointId: undefined, agentId: undefined }] }));
}

interface RawStore extends ConvertibleStore {
  readonly settings: Settings;
}

async function withRawStore<T>(
  { env = process.env, adapters = {}, ...given }: SealOptions,
  work: (raw: RawStore) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env, given);
  if (settings.readOnly) throw readOnly();
  const storage = await (adapters.storage ?? openDefaultStorage)(settings, adapters.log ?? silentLog);
  const seal = async (): Promise<T> => {
    const { keyFiles } = storage;
    if (keyFiles === undefined) {
      const hint = "Copy it to one that keeps keys, such as one in a data directory or a new tenant of a database.";
      throw new WorkrailError("INVALID_INPUT", "This storage cannot be sealed.", { hint });
    }
    return work({ storage, keyFiles, settings, ports: conversionPorts(adapters, settings, storage) });
  };
  return runFinally(seal, () => storage.close());
}
