import path from "node:path";
import { nodeFileSystem, REDACTION_KEY, writeDurably } from "@workrail/blob-files";
import { invalidInput, readOnly, runThen, type Storage } from "@workrail/core";
import { type CopyReport, copyStore as copyStorage } from "@workrail/transfer";
import { checkParams, checkPlace } from "./check-params.ts";
import { type Adapters, checkAdapters, openDefaultStorage } from "./container.ts";
import type { CopyStoreOptions, CopyStoreResult } from "./copy-options.ts";
import { silentLog } from "./environment.ts";
import { hasStore } from "./missing-store.ts";
import { openStore } from "./open-store.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Copies a store, as `copyStore` of the library describes. */
export async function copyStore(options: CopyStoreOptions): Promise<CopyStoreResult> {
  checkParams(options, "copyStore", "options");
  const { adapters = {}, from, to, ...given } = options;
  checkPlace(to, "to");
  if (from !== undefined) checkPlace(from, "from");
  checkAdapters(adapters);
  if ("storage" in adapters && adapters.storage !== undefined) throw storageElsewhere();
  const env = options.env ?? process.env;
  const source = readSettings(env, { ...given, ...(from === undefined ? {} : { dataDir: from }) }, adapters.log);
  const target = readSettings(env, { ...given, dataDir: to }, adapters.log);
  if (target.readOnly) throw readOnly();
  if (isIn(target.dataDir, source.dataDir) || isIn(source.dataDir, target.dataDir)) throw samePlace();
  if (!hasStore(source.dataDir)) throw noStore(source.dataDir);
  // Rebuilds a lost catalog, finishes erasures and takes in what hooks saved.
  await openedOnce(source, adapters);
  const report = await onBoth(source, target, adapters, (one, other) => copyStorage(one, other, given));
  if (report.isComplete) {
    await copyRedactionKey(source.dataDir, target.dataDir);
    await openedOnce(target, adapters);
  }
  return { from: source.dataDir, to: target.dataDir, ...report };
}

function isIn(place: string, directory: string): boolean {
  const way = path.relative(directory, place);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Opens a store as a program does and closes it again. */
async function openedOnce(settings: Settings, adapters: Adapters): Promise<void> {
  const store = await openStore({ settings, adapters, project: undefined, upkeep: false });
  await store.close();
}

async function onBoth(
  source: Settings,
  target: Settings,
  { log = silentLog }: Adapters,
  work: (from: Storage, to: Storage) => Promise<CopyReport>,
): Promise<CopyReport> {
  const from = await openDefaultStorage(source, log);
  const withTarget = async (): Promise<CopyReport> => {
    const to = await openDefaultStorage(target, log);
    return runThen(
      () => work(from, to),
      () => to.close(),
    );
  };
  return runThen(withTarget, () => from.close());
}

/** Copies the key of placeholders, so that the same secret gets the same placeholder in the copy. */
async function copyRedactionKey(from: string, to: string): Promise<void> {
  const bytes = await nodeFileSystem.read(path.join(from, REDACTION_KEY));
  if (bytes !== undefined) await writeDurably(nodeFileSystem, path.join(to, REDACTION_KEY), bytes, "replace");
}

function storageElsewhere(): Error {
  return invalidInput("adapters.storage", "Both places have their own storage.", "Leave adapters.storage out, and give from and to.");
}

function samePlace(): Error {
  return invalidInput("to", "A store cannot be copied onto itself, or into its own directory.", "Name another place.");
}

function noStore(place: string): Error {
  return invalidInput("from", `There is no store in ${place}.`, "Name the place of a store.");
}
