import "reflect-metadata";
import {
  BackgroundQueue,
  type Classifier,
  type Clock,
  type Codec,
  type Condenser,
  type Digester,
  type Embedder,
  type IdGenerator,
  invalidInput,
  isJsonObject,
  isWorkrailError,
  type Log,
  type SecretScanner,
  type Storage,
  type TokenCounter,
  type TranscriptFiles,
} from "@workrail/core";
import { openSqliteFs, openSqliteFsForReading } from "@workrail/sqlite-fs";
import { FileTranscripts } from "@workrail/transcripts";
import { readOnlyStorage } from "@workrail/wrappers";
import { container as root, type DependencyContainer, instanceCachingFactory, type InjectionToken } from "tsyringe";
import { AccessRecorder } from "./access-recorder.ts";
import { wrapperForBlobs } from "./blobs-in-s3.ts";
import { condensingBy } from "./condensing.ts";
import { classifierOnDemand, randomIds, type Repeat, silentLog } from "./environment.ts";
import { embeddingBy } from "./search/embedding.ts";
import { forgettingVectors } from "./search/forgetting-vectors.ts";
import { conversionPorts } from "./sealing/conversion-ports.ts";
import { isNode } from "./place-of.ts";
import { protectStorage } from "./sealing/protect-storage.ts";
import { screeningBy } from "./secrets/secret-screening.ts";
import { SessionResolver } from "./session-resolver.ts";
import type { Settings } from "./settings.ts";
import { tokenCounter } from "./token-counter.ts";
import { type Parts, INJECTION_TOKENS } from "./tokens.ts";

/** Parts that a program may bring itself; the built-in parts are used for the rest. */
export interface Adapters {
  /** Opens the storage. Default: SQLite and files in the data directory, or files alone. */
  readonly storage?: (settings: Settings, log: Log) => Storage | Promise<Storage>;
  /** Decides the layers of entries that no pin and no rule decides. Default: by words of keys and forms of values. */
  readonly classifier?: Classifier;
  readonly codec?: Codec;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly digests?: Digester;
  readonly tokens?: TokenCounter;
  /** Condenses texts, whatever the settings say. Default: as set. */
  readonly condenser?: Condenser;
  /** Writes conversations for people. Default: into the project, or else the working directory. */
  readonly transcripts?: TranscriptFiles;
  /** Embeds texts for search by meaning, whatever the settings say. Default: as set. */
  readonly embedder?: Embedder;
  /** Finds secrets in saved contexts. Default: our rules. */
  readonly secretScanner?: SecretScanner;
  /** Default: silent. */
  readonly log?: Log;
  /** Default: an interval that does not keep the process running. */
  readonly repeat?: Repeat;
}

const ADAPTERS: Readonly<Record<keyof Adapters, true>> = {
  storage: true,
  classifier: true,
  codec: true,
  clock: true,
  ids: true,
  digests: true,
  tokens: true,
  condenser: true,
  transcripts: true,
  embedder: true,
  secretScanner: true,
  log: true,
  repeat: true,
};

/** @throws INVALID_INPUT for an unknown part: our own would silently be used in its place. */
export function checkAdapters(adapters: Adapters): void {
  const given: unknown = adapters;
  if (!isJsonObject(given)) throw invalidInput("adapters", "adapters must be an object.", "Leave it out to use the built-in parts.");
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(ADAPTERS, name));
  if (unknown === undefined) return;
  const known = `The parts are: ${Object.keys(ADAPTERS).join(", ")}.`;
  throw invalidInput(`adapters.${unknown}`, `adapters has the unknown field ${JSON.stringify(unknown)}.`, known);
}

/**
 * Wires the parts of one open store, each resolved once. Storage is opened first, because opening is asynchronous and resolving is not.
 *
 * Storage is also the only part to close, so that the container need not know how to close parts.
 *
 * @param inUse sessions that the process uses, for stores that stand in for each other.
 */
export async function wire(settings: Settings, adapters: Adapters, inUse?: SessionResolver): Promise<Parts> {
  const opened = await (adapters.storage ?? openDefaultStorage)(settings, adapters.log ?? silentLog);
  try {
    return await wireOver(opened, settings, { ...adapters, inUse });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function wireOver(
  opened: Storage,
  settings: Settings,
  { inUse, ...adapters }: Adapters & { readonly inUse: SessionResolver | undefined },
): Promise<Parts> {
  const container = root.createChildContainer();
  const log = adapters.log ?? silentLog;
  const raw = settings.readOnly && opened.isReadOnly !== true ? readOnlyStorage(opened) : opened;
  const conversion = conversionPorts(adapters, settings, raw);
  const { codec, clock, digests, dataDir } = conversion;
  const { storage, sealing } = await protectStorage(raw, settings.sealing, { ...conversion, log });
  const value = <T>(token: InjectionToken<T>, instance: T): void => void container.register(token, { useValue: instance });
  const once = <T>(token: InjectionToken<T>, make: (c: DependencyContainer) => T): void =>
    void container.register(token, { useFactory: instanceCachingFactory(make) });

  value(INJECTION_TOKENS.settings, settings);
  value(INJECTION_TOKENS.storage, storage);
  const background = new BackgroundQueue(log);
  value(INJECTION_TOKENS.catalog, forgettingVectors(storage, background).catalog);
  value(INJECTION_TOKENS.recovery, storage.recovery);
  value(INJECTION_TOKENS.chain, storage.chain);
  value(INJECTION_TOKENS.blobs, storage.blobs);
  value(INJECTION_TOKENS.locking, storage.locking);
  value(INJECTION_TOKENS.search, storage.search ?? (await import("@workrail/search-minisearch")).miniSearchIndex());
  value(INJECTION_TOKENS.log, log);
  value(INJECTION_TOKENS.sealing, sealing);
  value(INJECTION_TOKENS.classifier, adapters.classifier ?? classifierOnDemand);
  value(INJECTION_TOKENS.codec, codec);
  value(INJECTION_TOKENS.clock, clock);
  value(INJECTION_TOKENS.ids, adapters.ids ?? randomIds);
  value(INJECTION_TOKENS.digests, digests);
  value(INJECTION_TOKENS.tokens, adapters.tokens ?? tokenCounter(settings.tokenizer));
  once(INJECTION_TOKENS.condensing, (c) => {
    const { findSecrets } = c.resolve(INJECTION_TOKENS.screening);
    return condensingBy(settings.condenser, { own: adapters.condenser, digests: c.resolve(INJECTION_TOKENS.digests), findSecrets });
  });
  once(INJECTION_TOKENS.transcripts, () => {
    const files = adapters.transcripts ?? new FileTranscripts({ project: settings.project, directory: process.cwd() });
    // Checked for every implementation, because transcripts are unencrypted.
    const checked = (own: TranscriptFiles): TranscriptFiles => ({
      async write(transcript) {
        sealing.checkPlaintextFiles();
        return own.write(transcript);
      },
      in: (project) => checked(own.in?.(project) ?? own),
    });
    return checked(files);
  });
  once(INJECTION_TOKENS.embedding, (c) =>
    embeddingBy(settings.embedder, adapters.embedder, { clock: c.resolve(INJECTION_TOKENS.clock), log }),
  );
  once(INJECTION_TOKENS.screening, (c) => {
    const { texts } = sealing;
    return screeningBy(settings.secrets, {
      scanner: adapters.secretScanner,
      digests: c.resolve(INJECTION_TOKENS.digests),
      log,
      dataDir,
      texts,
    });
  });
  value(INJECTION_TOKENS.background, background);
  once(INJECTION_TOKENS.accesses, (c) => {
    return new AccessRecorder({
      catalog: c.resolve(INJECTION_TOKENS.catalog),
      locking: c.resolve(INJECTION_TOKENS.locking),
      clock: c.resolve(INJECTION_TOKENS.clock),
      background: c.resolve(INJECTION_TOKENS.background),
    });
  });
  once(
    INJECTION_TOKENS.sessions,
    (c) => inUse ?? new SessionResolver({ digests: sealing.digests, ids: c.resolve(INJECTION_TOKENS.ids), settings }),
  );
  const names = Object.keys(INJECTION_TOKENS) as (keyof Parts)[];
  return Object.fromEntries(names.map((name) => [name, container.resolve<unknown>(INJECTION_TOKENS[name])])) as unknown as Parts;
}

/**
 * Opens the database that the settings name, else SQLite in the data directory, or files alone when SQLite cannot be used, so that a store
 * works wherever Node runs. The bytes of checkpoints are in object storage if the settings say so.
 */
export async function openDefaultStorage(settings: Settings, log: Log): Promise<Storage> {
  const wrap = await wrapperForBlobs(settings.blobs);
  return wrap(await openCatalog(settings, log));
}

/** Loads the driver of a database only for one. */
async function openCatalog(settings: Settings, log: Log): Promise<Storage> {
  const { dataDir, store, tenant, lockWaitMs, sqliteDriver, readOnly } = settings;
  if (store !== undefined && isNode(store)) {
    throw invalidInput(
      "store",
      "This operation needs direct access to the storage, which a node does not give.",
      "Run it on the node's machine, with the node's own store.",
    );
  }
  if (store !== undefined) {
    return (await import("@workrail/postgres")).openPostgres({ url: store, tenant, lockWaitMs, isForReading: readOnly, log });
  }
  const openWithSqlite = readOnly ? openSqliteFsForReading : openSqliteFs;
  if (sqliteDriver === "none") return openFiles(settings, log);
  try {
    return await openWithSqlite({ dataDir, lockWaitMs, driver: sqliteDriver, log });
  } catch (error) {
    if (sqliteDriver !== "auto" || !isWorkrailError(error) || error.details["reason"] !== "no-sqlite") throw error;
    const meaning = readOnly ? "the store is read without it" : "one process at a time can use the store";
    log.warn(`SQLite cannot be used: ${meaning}`, { tried: error.details["tried"], hint: error.hint });
    return openFiles(settings, log);
  }
}

/** Loaded on demand: seldom used. */
async function openFiles({ dataDir, lockWaitMs, readOnly }: Settings, log: Log): Promise<Storage> {
  const { openFilesStorage, openFilesStorageForReading } = await import("@workrail/files-catalog");
  return (readOnly ? openFilesStorageForReading : openFilesStorage)({ dataDir, lockWaitMs, log });
}
