import {
  ALREADY_HELD,
  type BlobRef,
  type BlobStore,
  type CheckpointRecord,
  isFaultOfOneFile,
  type KeyFiles,
  type RebuildPorts,
  rebuildCatalog,
  type Sealer,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import { type ConversionProgress, type ConversionReport, convertStore, sealedPartOf } from "@workrail/wrappers";
import {
  addRecoveryKey,
  createKeyring,
  hasRecoveryKey,
  isSealedText,
  type Keyring,
  type KeyChange,
  openKeyring,
  type OpenedKeys,
  readKeyring,
  replaceDataKey,
  StoreSealer,
  writeKeyringState,
} from "@workrail/keychain-crypto";
import { convertRedactionKey } from "../secrets/redaction-key.ts";
import { sourceFor } from "./key-source.ts";
import type { SealingSettings } from "./sealing-settings.ts";

export interface ConversionPorts extends Omit<RebuildPorts, "recovery" | "blobs" | "locking"> {
  /** Absent when the store has no directory. */
  readonly dataDir: string | undefined;
}

/** A store to convert. */
export interface ConvertibleStore {
  /** The raw storage: sealed data is returned sealed. */
  readonly storage: Storage;
  readonly keyFiles: KeyFiles;
  readonly ports: ConversionPorts;
}

export interface ConversionOptions {
  /** True when a person can write the recovery key down. Default `false`. */
  readonly withRecovery?: boolean;
  /** Called after each blob. */
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

export interface ConversionResult extends ConversionReport {
  /** Shown once. `undefined` when the store already has one, or the caller cannot show it. */
  readonly recoveryKey: string | undefined;
  /** Unencrypted files in the data directory that no longer belong to the store. */
  readonly stillInClear: readonly string[];
  /** Files that no longer belong to the store and that only an older key opens. */
  readonly underOldKey: readonly string[];
}

/** Returns the keys of a store to be sealed, after finishing its conversion. */
export async function sealedKeys(
  store: ConvertibleStore,
  wish: SealingSettings,
  options: ConversionOptions = {},
): Promise<{ readonly keys: OpenedKeys; readonly result: ConversionResult }> {
  const { storage, keyFiles } = store;
  return storage.locking.exclusively(async () => {
    const keyring = await readKeyring(keyFiles);
    if (keyring === undefined) await refuseWithoutKeyring(storage, keyFiles);
    const source = sourceFor(keyring, wish);
    const found = keyring === undefined ? await createKeyring(keyFiles, source, "sealing") : await openKeyring(keyring, source);
    return seal(store, found, options);
  });
}

/** Seals a store with its data key, from whatever state of conversion. The caller holds the exclusive lock. */
async function seal(
  store: ConvertibleStore,
  found: OpenedKeys,
  { withRecovery = false, onProgress }: ConversionOptions,
): Promise<{ readonly keys: OpenedKeys; readonly result: ConversionResult }> {
  const { storage, keyFiles } = store;
  const { state } = found.keyring;
  const isOnTheWay = state === "sealing" || state === "rekeying";
  const begun = isOnTheWay || state === "sealed" ? found : await writeKeyringState(keyFiles, found, "sealing");
  const to = new StoreSealer(begun.dataKey, keyFiles);
  const from = begun.previous === undefined ? undefined : new StoreSealer(begun.previous, keyFiles);
  if (from !== undefined) await to.joinSessions(from);
  const report = state === "sealed" ? NOTHING : await convertAll(store, { from, to }, onProgress);
  if (from !== undefined) await to.keepOwnSessions();
  const keys = state === "sealed" ? begun : await writeKeyringState(keyFiles, begun, "sealed");
  const remains = await remainsOf(storage, to, from !== undefined);
  // Last: a key that is stored before a failure would never be shown.
  const recoveryKey = withRecovery && !hasRecoveryKey(keys.keyring) ? await addRecoveryKey(keyFiles, keys) : undefined;
  return { keys, result: { ...report, recoveryKey, ...remains } };
}

/**
 * Decrypts a store. After an interruption, the next opening of the store finishes it.
 *
 * Blobs that cannot be opened stay sealed, and the store keeps its keys for them.
 */
export async function unseal(
  store: ConvertibleStore,
  wish: SealingSettings,
  onProgress?: ConversionOptions["onProgress"],
): Promise<ConversionResult> {
  const { storage, keyFiles } = store;
  return storage.locking.exclusively(async () => {
    const keyring = await readKeyring(keyFiles);
    if (keyring === undefined) return { ...NOTHING, recoveryKey: undefined, stillInClear: [], underOldKey: [] };
    const found = await openKeyring(keyring, sourceFor(keyring, wish));
    // A store in `rekeying` has two data keys; finish that first, because only the new key opens everything afterwards.
    const { keys } = keyring.state === "rekeying" ? await seal(store, found, {}) : { keys: found };
    const begun = await writeKeyringState(keyFiles, keys, "unsealing");
    const report = await convertAll(store, { from: new StoreSealer(begun.dataKey, keyFiles), to: undefined }, onProgress);
    if (report.unreadable.length === 0) await keyFiles.destroyAll();
    else await writeKeyringState(keyFiles, begun, "clear");
    return { ...report, recoveryKey: undefined, stillInClear: [], underOldKey: [] };
  });
}

/**
 * Seals a store again with entirely new keys; the old keys open nothing of it afterwards. After an interruption, the next opening of the
 * store finishes it with the new key.
 *
 * @throws KEY_UNAVAILABLE when a key, also that of a session, is not available. Nothing has changed then.
 */
export async function sealAnew(
  store: ConvertibleStore,
  change: KeyChange,
  onProgress?: ConversionOptions["onProgress"],
): Promise<ConversionResult> {
  const { storage, keyFiles } = store;
  return storage.locking.exclusively(async () => {
    const { keys } = await seal(store, await openKeyring(await keyringOfSealed(keyFiles), change.from), {});
    await new StoreSealer(keys.dataKey, keyFiles).checkSessions(storage.blobs.list());
    const replaced = await replaceDataKey(keyFiles, keys, change);
    return (await seal(store, replaced, { withRecovery: true, onProgress })).result;
  });
}

/** @throws INVALID_INPUT when the store is neither sealed nor being sealed. */
export async function keyringOfSealed(keyFiles: KeyFiles): Promise<Keyring> {
  const keyring = await readKeyring(keyFiles);
  if (keyring !== undefined && keyring.state !== "clear" && keyring.state !== "unsealing") return keyring;
  throw new WorkrailError("INVALID_INPUT", "The store is not sealed, and has no key.", { hint: "Run `workrail encrypt` to seal it." });
}

/**
 * Refuses a sealed store whose keyring is missing: it must neither count as unencrypted nor get a new key.
 *
 * A session whose key file cannot be read does not block the others: the catalog decides, or, when the catalog is lost, the other sessions.
 *
 * @throws KEY_UNAVAILABLE; STORAGE_UNAVAILABLE when neither can decide.
 */
export async function refuseWithoutKeyring({ catalog, recovery, blobs }: Storage, keyFiles: KeyFiles): Promise<void> {
  const newest = await newestIn({ catalog, recovery });
  if (newest === undefined) return;
  const isSealed =
    newest === "lost" ? await hasAnyKey(blobs, keyFiles) : ((await hasKey(newest.blob, keyFiles)).answer ?? isSealedRecord(newest));
  if (isSealed) throw keyringGone();
}

async function hasAnyKey(blobs: BlobStore, keyFiles: KeyFiles): Promise<boolean> {
  let [isAnswered, failure]: [boolean, unknown] = [false, undefined];
  const places = blobs.list(({ error }) => (failure ??= error));
  for await (const { ref } of places) {
    const { answer, error } = await hasKey(ref, keyFiles);
    if (answer === true) return true;
    isAnswered ||= answer === false;
    failure ??= error;
  }
  if (!isAnswered && failure !== undefined) throw failure;
  return false;
}

/** Tells whether a blob's session has a key. Without an answer but with the error when its file or directory cannot be read. */
async function hasKey(blob: BlobRef, keyFiles: KeyFiles): Promise<{ readonly answer?: boolean; readonly error?: unknown }> {
  try {
    return { answer: (await keyFiles.read(blob, () => true)) !== undefined };
  } catch (error) {
    if (!isFaultOfOneFile(error)) throw error;
    return { error };
  }
}

function isSealedRecord(record: CheckpointRecord): boolean {
  return isSealedText(sealedPartOf(record) ?? "");
}

/**
 * Refuses a catalog with sealed rows when the keyring says `clear`. Such a keyring is read without a key, so it is untrusted.
 *
 * @throws KEY_UNAVAILABLE
 */
export async function refuseSealedCatalog({ catalog, recovery }: Storage): Promise<void> {
  const newest = await newestIn({ catalog, recovery });
  if (newest === "lost" || newest === undefined || !isSealedRecord(newest)) return;
  throw new WorkrailError("KEY_UNAVAILABLE", "The store is sealed, but its keyring claims otherwise.", {
    details: { reason: "keyring-changed" },
    hint: "Restore contexts/keyring.json from a backup.",
  });
}

const NEWEST = { of: "checkpoints", where: { state: "live", notKinds: ["aside"] }, order: "newest", limit: 1 } as const;

/** Returns the newest record, or "lost" for a lost catalog, including one that turns out to be lost during the read. */
async function newestIn({ catalog, recovery }: Pick<Storage, "catalog" | "recovery">): Promise<CheckpointRecord | undefined | "lost"> {
  const newest = async () => (await catalog.read({ newest: NEWEST })).newest[0]?.record;
  if ((await recovery.state()) === "lost") return "lost";
  try {
    return await newest();
  } catch {
    // The catalog may have been repaired meanwhile: check again.
    return (await recovery.state()) === "lost" ? "lost" : newest();
  }
}

function keyringGone(): WorkrailError {
  return new WorkrailError("KEY_UNAVAILABLE", "The store is sealed, but its keyring is missing.", {
    details: { reason: "keyring-missing" },
    hint: "Restore contexts/keyring.json from a backup.",
  });
}

const NOTHING: ConversionReport = { blobs: 0, unreadable: [] as readonly BlobRef[], removedCopies: [] };

async function convertAll(
  { storage, ports: { dataDir, ...ports } }: ConvertibleStore,
  forms: { readonly from: Sealer | undefined; readonly to: Sealer | undefined },
  onProgress: ConversionOptions["onProgress"],
): Promise<ConversionReport> {
  const report = await convertStore(storage, {
    ...forms,
    at: ports.clock.now(),
    digests: ports.digests,
    rebuild: (mixed) => rebuildCatalog({ ...ports, ...mixed, locking: ALREADY_HELD }),
    onProgress,
  });
  if (dataDir !== undefined) await convertRedactionKey(dataDir, forms);
  return report;
}

async function remainsOf(
  { remains }: Storage,
  sealer: Sealer,
  isAnew: boolean,
): Promise<Pick<ConversionResult, "stillInClear" | "underOldKey">> {
  const [stillInClear, underOldKey]: [string[], string[]] = [[], []];
  const isSealed = (bytes: Uint8Array): boolean => sealer.isSealed(bytes);
  for await (const remain of remains?.list(isSealed) ?? []) {
    if (remain.isSealed) underOldKey.push(remain.place);
    else stillInClear.push(remain.place);
  }
  return { stillInClear, underOldKey: isAnew ? underOldKey : [] };
}
