import type {
  BackgroundQueue,
  BlobStore,
  CatalogPort,
  ChainedRecovery,
  Classifier,
  Clock,
  Codec,
  Digester,
  IdGenerator,
  Locking,
  Log,
  SearchEngine,
  Storage,
  TokenCounter,
  TranscriptFiles,
  AuditChain,
} from "@workrail/core";
import type { AdvancedMode } from "@workrail/views";
import type { InjectionToken } from "tsyringe";
import type { AccessRecorder } from "./access-recorder.ts";
import type { Embedding } from "./search/embedding.ts";
import type { Sealing } from "./sealing/protect-storage.ts";
import type { SecretScreening } from "./secrets/secret-screening.ts";
import type { SessionResolver } from "./session-resolver.ts";
import type { Settings } from "./settings.ts";

/** The condenser of a store. */
export interface Condensing {
  /** Absent: only rules condense. */
  readonly advanced?: AdvancedMode | undefined;
}

/** The parts of an open store, by name. */
export interface Parts {
  readonly settings: Settings;
  readonly storage: Storage;
  readonly catalog: CatalogPort;
  readonly recovery: ChainedRecovery;
  readonly chain: AuditChain;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  readonly sealing: Sealing;
  readonly classifier: Classifier;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly digests: Digester;
  readonly search: SearchEngine;
  readonly tokens: TokenCounter;
  readonly condensing: Condensing;
  readonly transcripts: TranscriptFiles;
  readonly embedding: Embedding;
  readonly screening: SecretScreening;
  readonly log: Log;
  readonly background: BackgroundQueue;
  readonly accesses: AccessRecorder;
  readonly sessions: SessionResolver;
}

/** Injection tokens of the container. */
export const INJECTION_TOKENS: { readonly [Name in keyof Parts]: InjectionToken<Parts[Name]> } = {
  settings: Symbol("Settings"),
  storage: Symbol("Storage"),
  catalog: Symbol("Catalog"),
  recovery: Symbol("CatalogRecovery"),
  chain: Symbol("AuditChain"),
  blobs: Symbol("BlobStore"),
  locking: Symbol("Locking"),
  sealing: Symbol("Sealing"),
  classifier: Symbol("Classifier"),
  codec: Symbol("Codec"),
  clock: Symbol("Clock"),
  ids: Symbol("IdGenerator"),
  digests: Symbol("Digester"),
  search: Symbol("SearchEngine"),
  tokens: Symbol("TokenCounter"),
  condensing: Symbol("Condensing"),
  transcripts: Symbol("TranscriptFiles"),
  embedding: Symbol("Embedding"),
  screening: Symbol("SecretScreening"),
  log: Symbol("Log"),
  background: Symbol("BackgroundQueue"),
  accesses: Symbol("AccessRecorder"),
  sessions: Symbol("SessionResolver"),
};
