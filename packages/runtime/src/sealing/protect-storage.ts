import {
  type BackupTarget,
  chained,
  type ChainedStorage,
  type Digester,
  type KeyFiles,
  type Log,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import { sealBackupTarget, sealStorage } from "@workrail/wrappers";
import { copyKeyring, type DataKey, mendKeyring, openKeyring, readKeyring, StoreSealer } from "@workrail/keychain-crypto";
import { type ConversionPorts, type ConvertibleStore, refuseSealedCatalog, refuseWithoutKeyring, sealedKeys, unseal } from "./convert.ts";
import { sourceFor } from "./key-source.ts";
import type { SealingSettings } from "./sealing-settings.ts";
import { type TextSealing, textSealing } from "./text-sealing.ts";

/** Operations that differ between a sealed and an unencrypted store. */
export interface Sealing {
  /** Digests for data outside of the sealed storage. In a sealed store they are keyed, so that only holders of the key can compute them. */
  readonly digests: Digester;
  readonly texts: TextSealing;
  /** Seals a backup like its store. */
  protect(target: BackupTarget & { readonly keyFiles: KeyFiles }): Promise<BackupTarget>;
  /** @throws PLAINTEXT_REFUSED when an unencrypted file would reveal sealed data. */
  checkPlaintextFiles(): void;
}

export interface Protected {
  readonly storage: ChainedStorage;
  readonly sealing: Sealing;
}

export interface ProtectionPorts extends ConversionPorts {
  readonly log: Log;
}

/**
 * Wraps a storage for use: decrypts and seals for a sealed store, and seals the store first if the settings say so. Finishes an interrupted
 * conversion.
 *
 * @throws KEY_UNAVAILABLE without the right key; READ_ONLY when a conversion is due and the store is read-only; INVALID_INPUT when a sealed
 * store is wanted unencrypted; STORE_IN_USE when a conversion is due and another process has the store open.
 */
export async function protectStorage(storage: Storage, wish: SealingSettings, ports: ProtectionPorts): Promise<Protected> {
  const { keyFiles } = storage;
  const keyring = keyFiles === undefined ? undefined : await readKeyring(keyFiles);
  if ((keyring === undefined || keyring.state === "clear") && wish.encryption !== "enabled") {
    if (keyring !== undefined) await refuseSealedCatalog(storage);
    else if (keyFiles !== undefined) await refuseWithoutKeyring(storage, keyFiles);
    return inClear(storage, ports.digests);
  }
  if (keyFiles === undefined) {
    const hint =
      "Set WORKRAIL_ENCRYPTION to disabled, or copy the store to one that keeps keys, such as one in a data directory or a new tenant of a database.";
    throw new WorkrailError("INVALID_INPUT", "This storage cannot be sealed, so nothing is stored.", { hint });
  }
  if (storage.isReadOnly === true && keyring?.state !== "sealed") throw conversionDue();
  if (keyring?.state === "unsealing") {
    await unseal({ storage, keyFiles, ports }, wish);
    return protectStorage(storage, wish, ports);
  }
  if (wish.encryption === "disabled") throw stillSealed();
  const isSealed = keyring?.state === "sealed";
  const { dataKey } = isSealed
    ? await openKeyring(keyring, sourceFor(keyring, wish))
    : (await sealedKeys({ storage, keyFiles, ports }, wish)).keys;
  if (isSealed && storage.isReadOnly !== true) await mendKeyring(keyFiles);
  return sealed({ storage, keyFiles, ports }, dataKey, wish);
}

function inClear(raw: Storage, digests: Digester): Protected {
  const storage = chained(raw, digests.sha256.bind(digests));
  return { storage, sealing: { digests, texts: textSealing(undefined), protect: async (target) => target, checkPlaintextFiles: () => {} } };
}

async function sealed(
  { storage, keyFiles, ports: { digests, log } }: ConvertibleStore & { readonly ports: ProtectionPorts },
  dataKey: DataKey,
  { allowPlaintextFiles }: SealingSettings,
): Promise<Protected> {
  const sealer = new StoreSealer(dataKey, keyFiles);
  const sealing: Sealing = {
    digests: { sha256: (data) => sealer.sealDigest(digests.sha256(data)) },
    texts: textSealing(sealer),
    async protect(target) {
      await copyKeyring(keyFiles, target.keyFiles);
      // Sessions have their own keys in the backup, wrapped by the same data key.
      return sealBackupTarget(target, new StoreSealer(dataKey, target.keyFiles));
    },
    checkPlaintextFiles() {
      if (!allowPlaintextFiles) throw plaintextRefused();
    },
  };
  const places = await placesInClear(storage, sealer);
  if (places.length === 0) return { storage: sealStorage(storage, sealer), sealing };
  log.warn("files beside the sealed store are unencrypted", { places });
  return { storage: sealStorage({ ...storage, warnings: [...storage.warnings, inClearBeside(places)] }, sealer), sealing };
}

async function placesInClear({ remains }: Storage, sealer: StoreSealer): Promise<readonly string[]> {
  const places: string[] = [];
  for await (const { place, isSealed } of remains?.list((bytes) => sealer.isSealed(bytes)) ?? []) if (!isSealed) places.push(place);
  return places;
}

const MOST_NAMED = 5;

function inClearBeside(places: readonly string[]): string {
  const more = places.length > MOST_NAMED ? ` and ${places.length - MOST_NAMED} more` : "";
  return `The store is sealed, and these files beside it are unencrypted: ${places.slice(0, MOST_NAMED).join(", ")}${more}. Remove them when they are no longer needed.`;
}

function stillSealed(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The store is sealed, and encryption is set to disabled.", {
    details: { field: "WORKRAIL_ENCRYPTION" },
    hint: "Run `workrail encrypt --off` to decrypt it, or unset WORKRAIL_ENCRYPTION to use it as it is.",
  });
}

/** A read-only store cannot be converted: not even a key may be created for it. */
function conversionDue(): WorkrailError {
  return new WorkrailError("READ_ONLY", "The store must be sealed or decrypted before use, but it is read-only.", {
    details: { reason: "conversion-due" },
    hint: "Run any command once without --read-only and WORKRAIL_READ_ONLY, which finishes the change, or set encryption to the store's state.",
  });
}

function plaintextRefused(): WorkrailError {
  return new WorkrailError("PLAINTEXT_REFUSED", "The store is sealed, and this operation would write its content to an unencrypted file.", {
    hint: "Set WORKRAIL_ALLOW_PLAINTEXT_FILES=true for this one call, or make a backup, which is sealed.",
  });
}
