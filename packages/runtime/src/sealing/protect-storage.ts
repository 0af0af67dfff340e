import {
  type BackupTarget,
  type ConversionReport,
  convertStore,
  type Digester,
  type KeyFiles,
  type Log,
  type RebuildPorts,
  rebuildCatalog,
  sealBackupTarget,
  sealStorage,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import {
  createKeyring,
  type DataKey,
  keyFromEnvironment,
  keyFromFile,
  keyFromKeychain,
  keyFromPassphrase,
  keyFromRecovery,
  type KeySource,
  type KeyringFacts,
  openKeyring,
  readKeyring,
  StoreSealer,
  writeKeyringState,
} from "@workrail/keychain-crypto";
import type { SealingSettings } from "./sealing-settings.ts";

/** What is done otherwise in a sealed store than in one in clear. */
export interface Sealing {
  /** For what is told outside of what is sealed: digests that, of a sealed store, only who has the key can make. */
  readonly digests: Digester;
  /** Has a backup be sealed as its store is. */
  protect(target: BackupTarget & { readonly keyFiles: KeyFiles }): Promise<BackupTarget>;
  /** @throws PLAINTEXT_REFUSED where a file in clear would tell what the store keeps to itself. */
  checkPlaintextFiles(): void;
}

export interface Protected {
  readonly storage: Storage;
  readonly sealing: Sealing;
}

export type ConversionPorts = Omit<RebuildPorts, "recovery" | "blobs" | "locking">;

/**
 * The storage as it may be used: that of a sealed store opens and seals, and one that is to be sealed is sealed first. A conversion that was
 * interrupted is finished.
 *
 * @throws KEY_UNAVAILABLE without the right key; INVALID_INPUT when a sealed store is wanted in clear; STORE_IN_USE when a conversion is
 *   due and another process has the store open.
 */
export async function protectStorage(storage: Storage, wish: SealingSettings, ports: ConversionPorts, log: Log): Promise<Protected> {
  const { keyFiles } = storage;
  const known = keyFiles === undefined ? undefined : await readKeyring(keyFiles);
  if ((known === undefined || known.state === "clear") && wish.encryption !== "enabled") return inClear(storage, ports.digests);
  if (keyFiles === undefined) throw new WorkrailError("INVALID_INPUT", "This storage cannot be sealed, so nothing is stored.");
  if (known?.state === "unsealing") {
    await convert(storage, keyFiles, wish, ports, "clear");
    return protectStorage(storage, wish, ports, log);
  }
  if (wish.encryption === "disabled") throw stillSealed();
  if (known?.state !== "sealed") {
    const { stillInClear } = await convert(storage, keyFiles, wish, ports, "sealed");
    if (stillInClear.length > 0) log.warn("files from before the store was sealed are still there in clear", { places: stillInClear });
  }
  const { dataKey } = await openKeyring(keyFiles, sourceFor(known ?? (await readKeyring(keyFiles)), wish));
  return sealed(storage, keyFiles, dataKey, { digests: ports.digests, allowPlaintextFiles: wish.allowPlaintextFiles });
}

export interface ConversionResult extends ConversionReport {
  /** Shown once; `undefined` when the store had its keys before, or nobody was there to be shown it. */
  readonly recoveryKey: string | undefined;
  /** Files in the data directory that the store's keys do not seal. */
  readonly stillInClear: readonly string[];
}

/**
 * Seals a store, or opens it again. Interrupted at any moment, it is finished by whoever opens the store next.
 *
 * @param withRecovery whether a person is there to write the recovery key down.
 */
export async function convert(
  storage: Storage,
  keyFiles: KeyFiles,
  wish: SealingSettings,
  ports: ConversionPorts,
  to: "sealed" | "clear",
  options: { readonly withRecovery?: boolean; readonly onProgress?: ((blobs: number) => void) | undefined } = {},
): Promise<ConversionResult> {
  return storage.locking.exclusively(async () => {
    const known = await readKeyring(keyFiles);
    if (known === undefined && to === "clear") return { blobs: 0, unreadable: [], recoveryKey: undefined, stillInClear: [] };
    const source = sourceFor(known, wish);
    const { dataKey, recoveryKey } =
      known === undefined
        ? await createKeyring(keyFiles, source, "sealing", options.withRecovery ?? false)
        : { ...(await openKeyring(keyFiles, source)), recoveryKey: undefined };
    if (known !== undefined) await writeKeyringState(keyFiles, to === "sealed" ? "sealing" : "unsealing");
    const report = await convertStore(storage, {
      sealer: new StoreSealer(dataKey, keyFiles),
      mark: Number.parseInt(dataKey.id, 16),
      to,
      rebuild: (mixed) => rebuildCatalog({ ...ports, ...mixed, locking: alreadyAlone }),
      onProgress: options.onProgress,
    });
    if (to === "sealed") await writeKeyringState(keyFiles, "sealed");
    else if (report.unreadable.length === 0) await keyFiles.destroyAll();
    else await writeKeyringState(keyFiles, "clear");
    const stillInClear: string[] = [];
    if (to === "sealed") for await (const { place } of storage.blobs.listQuarantine()) stillInClear.push(place);
    return { ...report, recoveryKey, stillInClear };
  });
}

/** Within `exclusively` of the store itself. */
const alreadyAlone: RebuildPorts["locking"] = {
  inOrder: (_, work) => work(),
  shared: (work) => work(),
  exclusively: (work) => work(),
};

function inClear(storage: Storage, digests: Digester): Protected {
  return { storage, sealing: { digests, protect: async (target) => target, checkPlaintextFiles: () => {} } };
}

function sealed(
  storage: Storage,
  keyFiles: KeyFiles,
  dataKey: DataKey,
  { digests, allowPlaintextFiles }: Pick<ConversionPorts, "digests"> & Pick<SealingSettings, "allowPlaintextFiles">,
): Protected {
  const sealer = new StoreSealer(dataKey, keyFiles);
  const sealing: Sealing = {
    digests: { sha256: (data) => sealer.sealDigest(digests.sha256(data)) },
    async protect(target) {
      const keyring = await keyFiles.read("store", () => true);
      if (keyring !== undefined) await target.keyFiles.write("store", keyring, "replace");
      // Sessions have keys of their own in it, wrapped by the same data key.
      return sealBackupTarget(target, new StoreSealer(dataKey, target.keyFiles));
    },
    checkPlaintextFiles() {
      if (!allowPlaintextFiles) throw plaintextRefused();
    },
  };
  return { storage: sealStorage(storage, sealer), sealing };
}

/** Where the key is asked for: where the person says, else where the store's keyring does, else in the keychain. */
export function sourceFor(known: KeyringFacts | undefined, wish: SealingSettings): KeySource {
  if (wish.recoveryKey !== undefined) return keyFromRecovery(wish.recoveryKey);
  if (wish.key !== undefined) return keyFromEnvironment(wish.key);
  if (wish.keyFile !== undefined) return keyFromFile(wish.keyFile);
  if (wish.passphrase !== undefined) return keyFromPassphrase(wish.passphrase);
  const kind = known?.kind ?? "keychain";
  if (kind === "keychain") return keyFromKeychain();
  throw new WorkrailError("KEY_UNAVAILABLE", `The store is sealed, and its key (${kind}) was not given.`, {
    details: { source: kind },
    hint: `Set ${VARIABLES[kind] ?? "WORKRAIL_ENCRYPTION_RECOVERY_KEY"}, or use the recovery key.`,
  });
}

const VARIABLES: Readonly<Record<string, string>> = {
  environment: "WORKRAIL_ENCRYPTION_KEY",
  file: "WORKRAIL_ENCRYPTION_KEY_FILE",
  passphrase: "WORKRAIL_ENCRYPTION_PASSPHRASE",
};

function stillSealed(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The store is sealed, and encryption is set to disabled.", {
    details: { field: "WORKRAIL_ENCRYPTION" },
    hint: "Run `workrail encrypt --off` to have it in clear, or unset WORKRAIL_ENCRYPTION to use it as it is.",
  });
}

function plaintextRefused(): WorkrailError {
  return new WorkrailError("PLAINTEXT_REFUSED", "The store is sealed, and this would write what it holds to a file in clear.", {
    hint: "Set WORKRAIL_ALLOW_PLAINTEXT_FILES=true for this one call, or make a backup, which is sealed.",
  });
}
