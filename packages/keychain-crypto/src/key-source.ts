import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { randomBytes, scrypt } from "node:crypto";
import { isWorkrailError, type JsonObject, whyUnreadable, WorkrailError } from "@workrail/core";
import { KEY_BYTES } from "./aes-gcm.ts";

/** Source of the key that wraps the store's data key. */
export interface KeySource {
  /** Identifies the source in the keyring. */
  readonly kind: "keychain" | "file" | "environment" | "passphrase" | "recovery";
  /**
   * Provides a key for a store without one: a new key, or one chosen by the user. `found` is the non-secret information for a later
   * `find`.
   *
   * @throws KEY_UNAVAILABLE when the source cannot provide a key.
   */
  make(storeId: string): Promise<{ readonly key: Uint8Array; readonly found: JsonObject }>;
  /**
   * Returns the key for the information from `make`. Never creates another one.
   *
   * @throws KEY_UNAVAILABLE
   */
  find(found: JsonObject): Promise<Uint8Array>;
  /** Deletes the key from a place that Workrail manages. A key kept by the user stays. */
  forget?(found: JsonObject): Promise<void>;
}

/** Parses a key of 32 bytes as text: 64 hexadecimal digits, or base64 in either alphabet. Returns `undefined` for anything else. */
export function parseKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return undefined;
  return Buffer.from(trimmed.replaceAll("-", "+").replaceAll("_", "/"), "base64");
}

/** Returns the source for a key as text in an environment variable. */
export function keyFromEnvironment(text: string): KeySource {
  const key = async (): Promise<Uint8Array> => parseKey(text) ?? unusable("WORKRAIL_ENCRYPTION_KEY is not a valid key.", HOW_TO_MAKE);
  return { kind: "environment", make: async () => ({ key: await key(), found: {} }), find: key };
}

const HOW_TO_MAKE = "Give 32 random bytes in base64 or hexadecimal, such as `openssl rand -base64 32` makes.";

/** Returns the source for a key in a file that only its owner can read. */
export function keyFromFile(file: string): KeySource {
  const key = async (): Promise<Uint8Array> => {
    let text: string;
    try {
      text = readPrivately(file);
    } catch (cause) {
      if (isWorkrailError(cause)) throw cause;
      return unusable(
        `The key file ${file} cannot be read: ${whyUnreadable(cause)}.`,
        "Put it back, or name another by WORKRAIL_ENCRYPTION_KEY_FILE.",
        cause,
      );
    }
    return parseKey(text) ?? unusable(`The key file ${file} contains no key.`, HOW_TO_MAKE);
  };
  return { kind: "file", make: async () => ({ key: await key(), found: {} }), find: key };
}

/**
 * Reads the key file. Its path may come from a settings file, so the file is untrusted: only a regular file is read, and opening
 * it never blocks.
 */
function readPrivately(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | WITHOUT_WAITING);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) return unusable(`The key file ${file} is not a regular file.`, HOW_TO_MAKE);
    if (process.platform !== "win32" && (found.mode & 0o077) !== 0)
      unusable(`Others can read the key file ${file}.`, `Run \`chmod 600\` on it.`);
    const bytes = Buffer.alloc(MOST_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, MOST_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

/** `O_NONBLOCK`. Windows lacks it, and has no pipes in its file system. */
const { O_NONBLOCK: WITHOUT_WAITING = 0 } = constants as Partial<typeof constants>;
/** Maximum bytes that are read, far more than any notation of a key needs. */
const MOST_BYTES = 4_096;

/** Cost of scrypt, as OWASP's password storage cheat sheet recommends: 2^17, 8, 1. Takes 128 MiB and about half a second. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;

/** Returns the source for a key derived from a passphrase by scrypt (RFC 7914). */
export function keyFromPassphrase(passphrase: string, cost: { N: number; r: number; p: number } = SCRYPT): KeySource {
  return {
    kind: "passphrase",
    async make() {
      if (passphrase.length < 8) unusable("The passphrase is too short.", "Use at least 8 characters, better five words or more.");
      const salt = randomBytes(16);
      return { key: await stretch(passphrase, salt, cost), found: { salt: salt.toString("base64"), ...cost } };
    },
    async find({ salt, N, r, p }) {
      const isUsable = typeof salt === "string" && typeof N === "number" && typeof r === "number" && typeof p === "number";
      // Limits the cost, so that a manipulated keyring cannot exhaust the memory.
      if (!isUsable || N > 2 ** 20 || r > 32 || p > 16) return unusable("The keyring says nothing usable of the passphrase.", FROM_BACKUP);
      return stretch(passphrase, Buffer.from(salt, "base64"), { N, r, p });
    },
  };
}

export const FROM_BACKUP = "Restore contexts/keyring.json from a backup.";

function stretch(passphrase: string, salt: Uint8Array, { N, r, p }: { N: number; r: number; p: number }): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // Different Unicode forms of a letter are the same passphrase.
    scrypt(passphrase.normalize("NFC"), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/**
 * Throws an error about an unusable key.
 *
 * @throws KEY_UNAVAILABLE
 */
export function unusable(message: string, hint: string, cause?: unknown): never {
  throw new WorkrailError("KEY_UNAVAILABLE", message, { hint, ...(cause === undefined ? {} : { cause }) });
}
