import { createHash } from "node:crypto";
import path from "node:path";
import type { BlobKey, BlobRef } from "@workrail/core";

/** Names in the data directory. */
export const DATABASE = "workrail.db";
/** The search index: made of the store, and made again when it is gone. */
export const SEARCH_DATABASE = "search.db";
/** What checkpoints mean, as vectors, where an embedder is configured. It can be lost. */
export const VECTORS = "vectors.db";
/** The catalog of a store that is used without SQLite. */
export const JOURNAL = "catalog.jsonl";
export const STORE_LOCK = "workrail.lock";
export const RESERVE = "reserve";
/** Where each process that has the store open can be asked whether it still lives. */
export const OPEN = "open";
/** Settings of the store, which are read before any of it is opened: not by us. */
export const CONFIG_FILE = "config.json";
/** What names of redacted secrets are made with. Whoever has it can tell whether a placeholder stands for a secret that they guess. */
export const REDACTION_KEY = "redaction.key";
/** Records of other programs' files, to undo a set-up. */
export const SETUP = "setup";
export const CONTEXTS = "contexts";
export const EXPORTS = "exports";
/** Incoming saves: hooks wrote them, and the next opening of the store takes them in. */
export const INCOMING = "incoming";
/** Notes that hooks keep about sessions. */
export const HOOKS = "hooks";
export const QUARANTINE = "quarantine";
export const BACKUPS = "backups";
/** In a backup: what it is, and of each file its size and digest. */
export const BACKUP_MANIFEST = "backup.json";
/** A backup that is to take the place of the store, and what it takes the place of: see `finishRestore`. */
export const RESTORING = "restoring";
/** Before a number: a store whose place was taken. */
export const REPLACED = "replaced-";
export const SESSION_FACTS = "metadata.json";
/** In `contexts/` of a sealed store: the key that the sessions' keys are wrapped with, itself wrapped. */
export const KEYRING = "keyring.json";
/** In a session's directory of a sealed store. */
export const SESSION_KEY = "session.key";
export const BLOB_SUFFIX = ".json.gz";

export function isReplacedStore(name: string): boolean {
  return /^replaced-[1-9][0-9]*$/.test(name);
}

const PLAIN = /^[a-z0-9_-]+$/;
/** Ids that were all there were once. */
const NARROW = /^[A-Za-z0-9_-]+$/;
const SLUG_LENGTH = 40;
/** Names that Windows gives to devices, whatever follows after a dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A file name for an id. The id itself where every file system keeps it apart from all others; for capitals and
 * device names its small letters and the start of its digest: `Demo` becomes `demo.8a2cc067`, and `con`, which no dot
 * would hide, `con_.1143da2b`. Any other text, such as `user:42`, becomes what of it is a letter or a digit, and half of its digest:
 * `user-42.` and 32 digits. The first form has no dot, and the digests of the others are of different lengths, so no two forms meet.
 */
export function fileNameOf(id: string): string {
  const digest = (): string => createHash("sha256").update(id).digest("hex");
  if (!NARROW.test(id)) return `${notDevice(slugOf(id))}.${digest().slice(0, 32)}`;
  const small = notDevice(id.toLowerCase());
  return PLAIN.test(id) && small === id ? id : `${small}.${digest().slice(0, 8)}`;
}

function notDevice(name: string): string {
  return DEVICE.test(name) ? `${name}_` : name;
}

/** Letters of Latin without their accents; runs of all else become one `-`. Only what is the same in every version of Unicode is looked at. */
function slugOf(id: string): string {
  const latin = id.replaceAll(/[\u00c0-\u024f\u1e00-\u1eff]/gu, (letter) => letter.normalize("NFD").charAt(0));
  const small = latin.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
  const slug = small
    .replaceAll(/[^a-z0-9_]+/gu, "-")
    .slice(0, SLUG_LENGTH)
    .replaceAll(/^-+|-+$/gu, "");
  return slug === "" ? "_" : slug;
}

/** Relative to the data directory, with `/` everywhere, so that a store can move between systems. */
export function blobRefOf(key: BlobKey): BlobRef {
  return `${CONTEXTS}/${fileNameOf(key.sessionId)}/${fileNameOf(key.checkpointId)}${BLOB_SUFFIX}` as BlobRef;
}

const CATALOGS = [DATABASE, JOURNAL].map((name) => name.replaceAll(".", "\\.")).join("|");
/** Names of a catalog that another took the place of, with what was beside it, or that was to take its place. */
export const CATALOG_COPY: RegExp = new RegExp(`^(?:${CATALOGS})\\.(?:replaced-[0-9]+|new)(?:-wal|-shm|-journal)?$`);
/** Names of a catalog that was to take the place of another, with what SQLite keeps beside it. */
export const CATALOG_BEGUN: RegExp = new RegExp(`^(?:${CATALOGS})\\.new(?:-wal|-shm|-journal)?$`);
/** In `backups/`: names of a database as it was before a migration. */
export const SCHEMA_COPY: RegExp = /^pre-schema-[0-9]+\.db(?:\.new)?(?:-journal)?$/;

/** In a session's directory: names of its file that was not understood when it was to be replaced. */
export const FACTS_COPY: RegExp = new RegExp(`^${SESSION_FACTS.replaceAll(".", "\\.")}\\.damaged(?:\\.[0-9]+)?$`);

/** The directory of the session that a blob belongs to, by its name. */
export function directoryNameOf(ref: BlobRef): string {
  return ref.split("/")[1] ?? "";
}

/** Names with a dot first are never ours: where a file system has no room for it, macOS puts a `._` file beside each file. */
const REF = /^contexts\/[a-z0-9_-][a-z0-9_.-]*\/[a-z0-9_-][a-z0-9_.-]*\.json\.gz$/;

/** Where a blob is. Refs come out of a database that anybody may have edited, so each is checked before use. */
export function blobPath(dataDir: string, ref: BlobRef): string | undefined {
  return REF.test(ref) && !ref.includes("..") ? path.join(dataDir, ...ref.split("/")) : undefined;
}

export function sessionDirectory(dataDir: string, sessionId: string): string {
  return path.join(dataDir, CONTEXTS, fileNameOf(sessionId));
}

/** Where blobs of a session are put that proved damaged. */
export function quarantineDirectory(dataDir: string, directoryName: string): string {
  return path.join(dataDir, QUARANTINE, CONTEXTS, directoryName);
}

const IN_BACKUP =
  /^contexts\/(?:keyring\.json(?:\.copy)?|[a-z0-9_-][a-z0-9_.-]*\/(?:[a-z0-9_-][a-z0-9_.-]*\.json\.gz|metadata\.json|session\.key(?:\.copy)?))$/;

/** Where a file of a backup is. Anybody may have edited what names it. */
export function backupPath(directory: string, name: string): string | undefined {
  return IN_BACKUP.test(name) && !name.includes("..") ? path.join(directory, ...name.split("/")) : undefined;
}
