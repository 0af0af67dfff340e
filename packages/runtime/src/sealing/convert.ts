import {
  ALREADY_HELD,
  type BlobRef,
  type BlobStore,
  type CheckpointRecord,
  type ConversionProgress,
  type ConversionReport,
  convertStore,
  isFaultOfOneFile,
  type KeyFiles,
  type RebuildPorts,
  rebuildCatalog,
  sealedPartOf,
  type Sealer,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import {
  addRecoveryKey,
  createKeyring,
  hasRecoveryKey,
  isSealedText,
  type Keyring,
  type KeySource,
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
  /** Absent: the store has no directory. */
  readonly dataDir: string | undefined;
}

export interface ConversionOptions {
  /** Whether a person is there to write the recovery key down. Default `false`. */
  readonly withRecovery?: boolean;
  /** Told after each blob. */
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

export interface ConversionResult extends ConversionReport {
  /** Shown once; `undefined` when the store has one already, or nobody is there to be shown it. */
  readonly recoveryKey: string | undefined;
  /** Files in the data directory that are not of the store any more, and in clear. */
  readonly stillInClear: readonly string[];
  /** Such files that only an older key opens. */
  readonly underOldKey: readonly string[];
}

/** The keys of a store that is sealed, which is finished first if it was only on the way there. */
export async function sealedKeys(
  storage: Storage,
  keyFiles: KeyFiles,
  wish: SealingSettings,
  ports: ConversionPorts,
  options: ConversionOptions = {},
): Promise<{ readonly keys: OpenedKeys; readonly result: ConversionResult }> {
  return storage.locking.exclusively(async () => {
    const keyring = await readKeyring(keyFiles);
    if (keyring === undefined) await refuseWithoutKeyring(storage, keyFiles);
    const source = sourceFor(keyring, wish);
    const found = keyring === undefined ? await createKeyring(keyFiles, source, "sealing") : await openKeyring(keyring, source);
    return seal(storage, keyFiles, found, ports, options);
  });
}

/** Has a store that is alone be sealed by its data key, however far on the way it is. */
async function seal(
  storage: Storage,
  keyFiles: KeyFiles,
  found: OpenedKeys,
  ports: ConversionPorts,
  { withRecovery = false, onProgress }: ConversionOptions,
): Promise<{ readonly keys: OpenedKeys; readonly result: ConversionResult }> {
  const { state } = found.keyring;
  const isOnTheWay = state === "sealing" || state === "rekeying";
  const begun = isOnTheWay || state === "sealed" ? found : await writeKeyringState(keyFiles, found, "sealing");
  const to = new StoreSealer(begun.dataKey, keyFiles);
  const from = begun.previous === undefined ? undefined : new StoreSealer(begun.previous, keyFiles);
  if (from !== undefined) await to.joinSessions();
  const report = state === "sealed" ? NOTHING : await convertAll(storage, { from, to }, ports, onProgress);
  if (from !== undefined) await to.keepOwnSessions();
  const keys = state === "sealed" ? begun : await writeKeyringState(keyFiles, begun, "sealed");
  const recoveryKey = withRecovery && !hasRecoveryKey(keys.keyring) ? await addRecoveryKey(keyFiles, keys) : undefined;
  return { keys, result: { ...report, recoveryKey, ...(await remainsOf(storage, to, from !== undefined)) } };
}

/**
 * Has a store be in clear again. Interrupted at any moment, it is finished by whoever opens the store next. What cannot be opened stays
 * sealed, and the store keeps its keys for it.
 */
export async function unseal(
  storage: Storage,
  keyFiles: KeyFiles,
  wish: SealingSettings,
  ports: ConversionPorts,
  onProgress?: ConversionOptions["onProgress"],
): Promise<ConversionResult> {
  return storage.locking.exclusively(async () => {
    const keyring = await readKeyring(keyFiles);
    if (keyring === undefined) return { ...NOTHING, recoveryKey: undefined, stillInClear: [], underOldKey: [] };
    const found = await openKeyring(keyring, sourceFor(keyring, wish));
    // What is on the way to another data key has two, and only one of them opens all in the end.
    const { keys } = keyring.state === "rekeying" ? await seal(storage, keyFiles, found, ports, {}) : { keys: found };
    const begun = await writeKeyringState(keyFiles, keys, "unsealing");
    const report = await convertAll(storage, { from: new StoreSealer(begun.dataKey, keyFiles), to: undefined }, ports, onProgress);
    if (report.unreadable.length === 0) await keyFiles.destroyAll();
    else await writeKeyringState(keyFiles, begun, "clear");
    return { ...report, recoveryKey: undefined, stillInClear: [], underOldKey: [] };
  });
}

/**
 * Seals all that a sealed store keeps anew, by keys of which none was there before; afterwards the old ones open nothing of it. Interrupted at any moment,
 * it is finished by whoever opens the store next, with the new key.
 *
 * @throws KEY_UNAVAILABLE when a key cannot be had, that of a session too, and then nothing has changed.
 */
export async function sealAnew(
  storage: Storage,
  keyFiles: KeyFiles,
  { from, to }: { readonly from: KeySource; readonly to: KeySource },
  ports: ConversionPorts,
  onProgress?: ConversionOptions["onProgress"],
): Promise<ConversionResult> {
  return storage.locking.exclusively(async () => {
    const { keys } = await seal(storage, keyFiles, await openKeyring(await keyringOfSealed(keyFiles), from), ports, {});
    await new StoreSealer(keys.dataKey, keyFiles).checkSessions();
    const replaced = await replaceDataKey(keyFiles, keys, from, to);
    return (await seal(storage, keyFiles, replaced, ports, { withRecovery: true, onProgress })).result;
  });
}

/** @throws INVALID_INPUT when the store is not sealed, nor on the way there. */
export async function keyringOfSealed(keyFiles: KeyFiles): Promise<Keyring> {
  const keyring = await readKeyring(keyFiles);
  if (keyring !== undefined && keyring.state !== "clear" && keyring.state !== "unsealing") return keyring;
  throw new WorkrailError("INVALID_INPUT", "The store is not sealed, and has no key.", { hint: "Run `workrail encrypt` to seal it." });
}

/**
 * A sealed store whose keyring was taken away must neither be taken for one in clear, nor be given a new key. A session whose key cannot be
 * looked for is no reason to refuse all others: then the catalog tells, or where it is lost the other sessions.
 *
 * @throws KEY_UNAVAILABLE; STORAGE_UNAVAILABLE when nothing can tell.
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

/** Whether a blob's session has a key. No answer, but the error: nobody can tell, for its file or its directory cannot be read. */
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
 * No key is asked for where a store is in clear, and so nobody can tell who had the keyring say it. Nothing sealed is in its catalog then.
 *
 * @throws KEY_UNAVAILABLE
 */
export async function refuseSealedCatalog({ catalog, recovery }: Storage): Promise<void> {
  const newest = await newestIn({ catalog, recovery });
  if (newest === "lost" || newest === undefined || !isSealedRecord(newest)) return;
  throw new WorkrailError("KEY_UNAVAILABLE", "The store is sealed, and its keyring says that it is in clear.", {
    details: { reason: "keyring-changed" },
    hint: "Put back contexts/keyring.json from a backup.",
  });
}

/** The newest record of a catalog that is not lost, or does not prove to be. */
async function newestIn({ catalog, recovery }: Pick<Storage, "catalog" | "recovery">): Promise<CheckpointRecord | undefined | "lost"> {
  const newest = async () => (await catalog.list({ filter: {}, limit: 1, offset: 0 })).records[0];
  if (await recovery.needsRebuild()) return "lost";
  try {
    return await newest();
  } catch {
    // It may have been mended, which the second look tells.
    return (await recovery.needsRebuild()) ? "lost" : newest();
  }
}

function keyringGone(): WorkrailError {
  return new WorkrailError("KEY_UNAVAILABLE", "The store is sealed, and its keyring is gone.", {
    details: { reason: "keyring-missing" },
    hint: "Put back contexts/keyring.json from a backup.",
  });
}

const NOTHING: ConversionReport = { blobs: 0, unreadable: [] as readonly BlobRef[], removedCopies: [] };

async function convertAll(
  storage: Storage,
  forms: { readonly from: Sealer | undefined; readonly to: Sealer | undefined },
  { dataDir, ...ports }: ConversionPorts,
  onProgress: ConversionOptions["onProgress"],
): Promise<ConversionReport> {
  const report = await convertStore(storage, {
    ...forms,
    at: ports.clock.now(),
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
