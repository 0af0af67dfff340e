import { randomBytes } from "node:crypto";
import { type BlobRef, type Digest, type KeyFiles, type Sealer, WorkrailError } from "@workrail/core";
import { decrypt, deriveKey, encrypt, KEY_BYTES, NONCE_BYTES, TAG_BYTES, unwrapKey, wrapKey } from "./aes-gcm.ts";
import { TextCipher } from "./text-cipher.ts";

/** Begins every sealed blob: what it is, and in which form. */
const MARK = Buffer.from("WRKSEAL\x01", "latin1");
const SALT_BYTES = 32;
const HEADER_BYTES = MARK.length + SALT_BYTES;
/** Nonce, key and tag: what a session's key takes in its file, where it may lie beside that of another data key. */
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** The key that all of a store's others hang on. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * Seals blobs with a key each, derived from the key of their session and a salt of their own, for the name that they are kept under; a
 * session's key is made at its first blob, and kept beside it, wrapped by the data key. Whoever erases a session destroys its key, and
 * another is made when it is saved to again: what is sealed is therefore sealed with the key that is kept at that time.
 */
export class StoreSealer implements Sealer {
  readonly overheadBytes: number = HEADER_BYTES + TAG_BYTES;
  readonly #dataKey: Uint8Array;
  readonly #files: KeyFiles;
  readonly #texts: TextCipher;
  /** By directory, as they were last read. */
  readonly #sessionKeys = new Map<string, Promise<Uint8Array>>();
  /** Directories whose key was seen to be there as often as it is to be. */
  readonly #mended = new Set<string>();

  constructor({ bytes }: DataKey, files: KeyFiles) {
    this.#dataKey = bytes;
    this.#files = files;
    this.#texts = new TextCipher(bytes);
  }

  isSealed(bytes: Uint8Array): boolean {
    return isSealed(bytes);
  }

  async sealBlob(ref: BlobRef, bytes: Uint8Array): Promise<Uint8Array> {
    const header = Buffer.concat([MARK, randomBytes(SALT_BYTES)]);
    const { key, nonce } = blobKey(await this.#readSessionKey(ref, true), header, ref);
    return Buffer.concat([header, encrypt(key, nonce, bytes, header)]);
  }

  async openBlob(ref: BlobRef, sealed: Uint8Array): Promise<Uint8Array> {
    if (!isSealed(sealed)) throw notSealed("It is not sealed, in a store where everything is.");
    const known = this.#sessionKeys.get(sessionOf(ref));
    const plain = (known && openWith(await known, ref, sealed)) ?? openWith(await this.#readSessionKey(ref, false), ref, sealed);
    if (plain === undefined) throw notSealed("It is not what was sealed under its name.");
    return plain;
  }

  async isKeyKept(ref: BlobRef, sealed: Uint8Array): Promise<boolean> {
    const wrapped = await this.#files.read(ref, (bytes) => this.#unwrap(ref, bytes) !== undefined);
    const key = wrapped === undefined ? undefined : this.#unwrap(ref, wrapped);
    return key !== undefined && openWith(key, ref, sealed) !== undefined;
  }

  sealText(text: string): string {
    return this.#texts.seal(text);
  }

  openText(sealed: string): string {
    return this.#texts.open(sealed);
  }

  sealDigest(digest: Digest): Digest {
    return this.#texts.sealDigest(digest);
  }

  authenticate(text: string): Digest {
    return this.#texts.authenticate(text);
  }

  /**
   * Makes a key of ours for each session that has one, and puts it beside that: until the other data key's are dropped, both sealers can
   * be used. Done again it does nothing.
   */
  async joinSessions(): Promise<void> {
    for await (const ref of this.#files.sessions()) {
      const wrapped = (await this.#files.read(ref, (bytes) => this.#unwrap(ref, bytes) !== undefined)) ?? new Uint8Array();
      if (this.#unwrap(ref, wrapped) !== undefined) continue;
      const made = wrapKey(this.#dataKey, randomBytes(KEY_BYTES), purposeOf(ref));
      await this.#files.write(ref, Buffer.concat([made, wrapped]), "replace");
    }
  }

  /** Drops the keys of sessions that are not ours. */
  async keepOwnSessions(): Promise<void> {
    for await (const ref of this.#files.sessions()) {
      const bytes = (await this.#files.read(ref, (copy) => this.#unwrap(ref, copy) !== undefined)) ?? new Uint8Array();
      const own = wrapsIn(bytes).find((wrap) => this.#unwrap(ref, wrap) !== undefined);
      // All copies, of which an interruption may have left the last as it was.
      if (own !== undefined) await this.#files.write(ref, own, "replace");
    }
  }

  /** @throws KEY_UNAVAILABLE when a session's key cannot be had. */
  async checkSessions(): Promise<void> {
    for await (const ref of this.#files.sessions()) await this.#findSessionKey(ref, false);
  }

  #unwrap(ref: BlobRef, bytes: Uint8Array): Uint8Array | undefined {
    for (const wrap of wrapsIn(bytes)) {
      const key = unwrapKey(this.#dataKey, wrap, purposeOf(ref));
      if (key !== undefined) return key;
    }
    return undefined;
  }

  #readSessionKey(ref: BlobRef, isToMake: boolean): Promise<Uint8Array> {
    const session = sessionOf(ref);
    if (this.#sessionKeys.size >= MOST_REMEMBERED) this.#sessionKeys.clear();
    const key = this.#findSessionKey(ref, isToMake);
    this.#sessionKeys.set(session, key);
    // A failure may pass, such as that of a disk.
    key.catch(() => this.#sessionKeys.get(session) === key && this.#sessionKeys.delete(session));
    return key;
  }

  async #findSessionKey(ref: BlobRef, isToMake: boolean): Promise<Uint8Array> {
    const isIntact = (bytes: Uint8Array): boolean => this.#unwrap(ref, bytes) !== undefined;
    const wrapped = await this.#files.read(ref, isIntact);
    if (wrapped !== undefined) {
      if (isToMake) await this.#mend(ref, isIntact);
      return this.#unwrap(ref, wrapped) ?? damagedKey(ref);
    }
    if (!isToMake) {
      throw new WorkrailError("KEY_UNAVAILABLE", "The key of a session is gone, and what it sealed cannot be read without it.", {
        details: { reason: "session-key-missing", blobPath: ref },
        hint: "Put back session.key, which lies beside the checkpoints, from a backup.",
      });
    }
    const made = randomBytes(KEY_BYTES);
    if (await this.#files.write(ref, wrapKey(this.#dataKey, made, purposeOf(ref)), "if-absent")) return made;
    // Somebody else made one at the same time.
    return this.#findSessionKey(ref, false);
  }

  async #mend(ref: BlobRef, isIntact: (bytes: Uint8Array) => boolean): Promise<void> {
    const session = sessionOf(ref);
    if (this.#mended.has(session)) return;
    await this.#files.mend(ref, isIntact);
    if (this.#mended.size >= MOST_REMEMBERED) this.#mended.clear();
    this.#mended.add(session);
  }
}

function sessionOf(ref: BlobRef): string {
  return ref.slice(0, ref.lastIndexOf("/"));
}

/** Bound to its session: in another's place it opens nothing. */
function purposeOf(ref: BlobRef): string {
  return `workrail session key 1 ${sessionOf(ref)}`;
}

function wrapsIn(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / WRAPPED_BYTES);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * WRAPPED_BYTES, (at + 1) * WRAPPED_BYTES));
}

function damagedKey(ref: BlobRef): never {
  throw new WorkrailError("KEY_UNAVAILABLE", "The key of a session is damaged, or that of another session or store.", {
    details: { reason: "session-key-damaged", blobPath: ref },
    hint: "Put back session.key, which lies beside the checkpoints, from a backup.",
  });
}

/** Keys of as many sessions are kept at hand. */
const MOST_REMEMBERED = 1_000;

function isSealed(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES + TAG_BYTES && MARK.equals(bytes.subarray(0, MARK.length));
}

/** No two blobs share one, so that the nonce may come from the same derivation. */
function blobKey(sessionKey: Uint8Array, header: Uint8Array, ref: BlobRef): { readonly key: Uint8Array; readonly nonce: Uint8Array } {
  const derived = deriveKey(sessionKey, header.subarray(MARK.length), `workrail blob 1 ${ref}`, KEY_BYTES + NONCE_BYTES);
  return { key: derived.subarray(0, KEY_BYTES), nonce: derived.subarray(KEY_BYTES) };
}

/** `undefined` when it was not sealed with this key, or under another name. */
function openWith(sessionKey: Uint8Array, ref: BlobRef, sealed: Uint8Array): Uint8Array | undefined {
  const header = sealed.subarray(0, HEADER_BYTES);
  const { key, nonce } = blobKey(sessionKey, header, ref);
  return decrypt(key, nonce, sealed.subarray(HEADER_BYTES), header);
}

function notSealed(message: string): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", message);
}
