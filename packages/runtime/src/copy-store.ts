import path from "node:path";
import { nodeFileSystem, prepareDataDirectory, REDACTION_KEY, writeDurably } from "@workrail/blob-files";
import { runFinally, type Storage } from "@workrail/core";
import { isReadableKeyring, openKeyring, readKeyring, StoreSealer } from "@workrail/keychain-crypto";
import { type CopyReport, copyStore as copyStorage, type IsIntactKey } from "@workrail/transfer";
import { checkParams } from "./check-params.ts";
import { type Adapters, openDefaultStorage } from "./container.ts";
import type { CopyStoreOptions, CopyStoreResult } from "./copy-options.ts";
import { silentLog } from "./environment.ts";
import { hasStore } from "./missing-store.ts";
import { openStore } from "./open-store.ts";
import { placeOf } from "./place-of.ts";
import { sourceFor } from "./sealing/key-source.ts";
import type { Settings } from "./settings.ts";
import { noStore, readPlaces } from "./two-places.ts";

/** Copies a store, as `copyStore` of the library describes. */
export async function copyStore(options: CopyStoreOptions): Promise<CopyStoreResult> {
  checkParams(options, "copyStore", "options");
  const { source, target, adapters } = readPlaces(options);
  if (source.store === undefined && !hasStore(source.dataDir)) throw noStore(source.dataDir);
  // Rebuilds a lost catalog, finishes erasures and takes in what hooks saved.
  await openedOnce(source, adapters);
  const report = await onBoth({ source, target }, adapters, async (from, to) => {
    return copyStorage(from, to, { ...options, isIntactKey: await intactKeysOf(from, source) });
  });
  if (report.isComplete) {
    await copyRedactionKey(source.dataDir, target);
    await openedOnce(target, adapters);
  }
  return { from: placeOf(source), to: placeOf(target), ...report };
}

/** Opens a store as a program does and closes it again. */
async function openedOnce(settings: Settings, adapters: Adapters): Promise<void> {
  const store = await openStore({ settings, adapters, project: undefined, upkeep: false });
  await store.close();
}

async function onBoth(
  { source, target }: { readonly source: Settings; readonly target: Settings },
  { log = silentLog }: Adapters,
  work: (from: Storage, to: Storage) => Promise<CopyReport>,
): Promise<CopyReport> {
  const from = await openDefaultStorage(source, log);
  const withTarget = async (): Promise<CopyReport> => {
    const to = await openDefaultStorage(target, log);
    return runFinally(
      () => work(from, to),
      () => to.close(),
    );
  };
  return runFinally(withTarget, () => from.close());
}

/** Finds the intact copies of the keys of a sealed store. */
async function intactKeysOf({ keyFiles }: Storage, { sealing }: Settings): Promise<IsIntactKey | undefined> {
  const keyring = keyFiles && (await readKeyring(keyFiles));
  if (keyFiles === undefined || keyring?.state !== "sealed") return undefined;
  const sealer = new StoreSealer((await openKeyring(keyring, sourceFor(keyring, sealing))).dataKey, keyFiles);
  return (place, bytes) => (place === "store" ? isReadableKeyring(bytes) : sealer.isIntactKey(place, bytes));
}

/**
 * Copies the key of placeholders, so that the same secret gets the same placeholder in the copy. A database has none: its users have one in
 * their data directory, which is kept.
 */
async function copyRedactionKey(from: string, { dataDir, store }: Settings): Promise<void> {
  const bytes = await nodeFileSystem.read(path.join(from, REDACTION_KEY));
  if (bytes === undefined) return;
  // That directory need not exist yet.
  if (store !== undefined) prepareDataDirectory(dataDir, silentLog);
  await writeDurably(nodeFileSystem, path.join(dataDir, REDACTION_KEY), { bytes, mode: store === undefined ? "replace" : "if-absent" });
}
