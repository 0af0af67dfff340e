import { hash } from "node:crypto";
import path from "node:path";
import type { BlobKey, BlobRef } from "@workrail/core";

/** Names in the data directory. */
export const DATABASE = "workrail.db";
/** Search index, rebuilt from the store when it is missing. */
export const SEARCH_DATABASE = "search.db";
/** Vectors of checkpoints, when an embedder is configured. Can be rebuilt. */
export const VECTORS = "vectors.db";
/** Catalog of a store that is used without SQLite. */
export const JOURNAL = "catalog.jsonl";
export const STORE_LOCK = "workrail.lock";
export const RESERVE = "reserve";
/** Directory of sockets that tell whether a process with an open store is alive. */
export const OPEN = "open";
/** Settings of the store, read by other code before the store is opened. */
export const CONFIG_FILE = "config.json";
/** Key of the tags in placeholders of redacted secrets. With it a reader could test whether a placeholder replaces a guessed secret. */
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
/** Description of a backup, with size and digest of each file. */
export const BACKUP_MANIFEST = "backup.json";
/** A backup that is replacing the store, together with the replaced files: see `finishRestore`. */
export const RESTORING = "restoring";
/** Prefix of a replaced store, followed by a number. */
export const REPLACED = "replaced-";
export const SESSION_FACTS = "metadata.json";
/** In `contexts/` of a sealed store: the key that wraps the sessions' keys, itself wrapped. */
export const KEYRING = "keyring.json";
/** In a session's directory of a sealed store. */
export const SESSION_KEY = "session.key";
export const BLOB_SUFFIX = ".json.gz";

export function isReplacedStore(name: string): boolean {
  return /^replaced-[1-9][0-9]*$/.test(name);
}

const PLAIN = /^[a-z0-9_-]+$/;
/** Characters of ids in the first versions. */
const NARROW = /^[A-Za-z0-9_-]+$/;
const SLUG_LENGTH = 40;
/** Device names of Windows, which are reserved with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * Returns a file name for an id, distinct on every file system.
 *
 * An id that every file system distinguishes is its own file name. Capitals and device names become small letters with the start of the
 * id's digest: `Demo` becomes `demo.8a2cc067`, and `con`, which is reserved with any extension, `con_.1143da2b`. Any other text, such as
 * `user:42`, is reduced to letters and digits, with half of its digest: `user-42.` and 32 digits. The first form has no dot, and the
 * digests of the others differ in length, so that no two forms collide.
 */
export function fileNameOf(id: string): string {
  const isNarrow = NARROW.test(id);
  const small = isNarrow ? id.toLowerCase() : slugOf(id);
  const name = DEVICE.test(small) ? `${small}_` : small;
  if (name === id && PLAIN.test(id)) return id;
  const digest = hash("sha256", id, "hex");
  return `${name}.${digest.slice(0, isNarrow ? 8 : 32)}`;
}

/**
 * Reduces a text to Latin letters without accents, with `-` for runs of anything else. Depends only on properties that are equal in every
 * version of Unicode.
 */
function slugOf(id: string): string {
  const latin = id.replaceAll(/[\u00c0-\u024f\u1e00-\u1eff]/gu, (letter) => letter.normalize("NFD").charAt(0));
  const small = latin.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
  const slug = small
    .replaceAll(/[^a-z0-9_]+/gu, "-")
    .slice(0, SLUG_LENGTH)
    .replaceAll(/^-+|-+$/gu, "");
  return slug === "" ? "_" : slug;
}

/** Returns the ref of a blob: its path in the data directory, always with `/`, so that a store can move between systems. */
export function blobRefOf(key: BlobKey): BlobRef {
  return `${CONTEXTS}/${fileNameOf(key.sessionId)}/${fileNameOf(key.checkpointId)}${BLOB_SUFFIX}` as BlobRef;
}

const CATALOGS = [DATABASE, JOURNAL].map((name) => name.replaceAll(".", "\\.")).join("|");
/** Names of replaced or unfinished catalogs, with the files beside them. */
export const CATALOG_COPY: RegExp = new RegExp(`^(?:${CATALOGS})\\.(?:replaced-[0-9]+|new)(?:-wal|-shm|-journal)?$`);
/** Names of unfinished catalogs, with the files that SQLite keeps beside them. */
export const CATALOG_BEGUN: RegExp = new RegExp(`^(?:${CATALOGS})\\.new(?:-wal|-shm|-journal)?$`);
/** In `backups/`: names of databases from before a migration. */
export const SCHEMA_COPY: RegExp = /^pre-schema-[0-9]+\.db(?:\.new)?(?:-journal)?$/;

/** In a session's directory: names of damaged facts files that were replaced. */
export const FACTS_COPY: RegExp = new RegExp(`^${SESSION_FACTS.replaceAll(".", "\\.")}\\.damaged(?:\\.[0-9]+)?$`);

/** Returns the name of the session directory of a blob. */
export function directoryNameOf(ref: BlobRef): string {
  return ref.split("/")[1] ?? "";
}

/** Names that start with a dot are never ours: macOS puts a `._` file beside each file on some file systems. */
const REF = /^contexts\/[a-z0-9_-][a-z0-9_.-]*\/[a-z0-9_-][a-z0-9_.-]*\.json\.gz$/;

/** Returns the path of a blob; `undefined` for an invalid ref. Refs are checked because the database is untrusted. */
export function blobPath(dataDir: string, ref: BlobRef): string | undefined {
  return REF.test(ref) && !ref.includes("..") ? path.join(dataDir, ...ref.split("/")) : undefined;
}

export function sessionDirectory(dataDir: string, sessionId: string): string {
  return path.join(dataDir, CONTEXTS, fileNameOf(sessionId));
}

/** Returns the directory for damaged blobs of a session. */
export function quarantineDirectory(dataDir: string, directoryName: string): string {
  return path.join(dataDir, QUARANTINE, CONTEXTS, directoryName);
}

const IN_BACKUP =
  /^contexts\/(?:keyring\.json(?:\.copy)?|[a-z0-9_-][a-z0-9_.-]*\/(?:[a-z0-9_-][a-z0-9_.-]*\.json\.gz|metadata\.json|session\.key(?:\.copy)?))$/;

/** Returns the path of a file of a backup; `undefined` for an invalid name. The manifest is untrusted. */
export function backupPath(directory: string, name: string): string | undefined {
  return IN_BACKUP.test(name) && !name.includes("..") ? path.join(directory, ...name.split("/")) : undefined;
}
