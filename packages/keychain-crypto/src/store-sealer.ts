import { randomBytes } from "node:crypto";
import { type BlobRef, type Digest, type KeyFiles, type Sealer, WorkrailError } from "@workrail/core";
import { decrypt, deriveKey, encrypt, KEY_BYTES, NONCE_BYTES, TAG_BYTES, unwrapKey, wrapKey } from "./aes-gcm.ts";
import { TextCipher } from "./text-cipher.ts";

/** First bytes of every sealed blob: format and version. */
const MARK = Buffer.from("WRKSEAL\x01", "latin1");
const SALT_BYTES = 32;
const HEADER_BYTES = MARK.length + SALT_BYTES;
/** Length of one wrapped session key in its file: nonce, key and tag. The file may hold one for each of two data keys. */
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** Root key of a store, from which all other keys derive or by which they are wrapped. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * Seals each blob with its own key, derived from the key of its session, a random salt and the blob's name. A session key is
 * created with the session's first blob, and stored next to it, wrapped by the data key. Erasing a session destroys its key; a
 * later save creates a new one. Sealing therefore always uses the key that is stored at that time.
 */
export class StoreSealer implements Sealer {
  readonly overheadBytes: number = HEADER_BYTES + TAG_BYTES;
  readonly #dataKey: Uint8Array;
  readonly #files: KeyFiles;
  readonly #texts: TextCipher;
  /** Session keys by directory, as last read. */
  readonly #sessionKeys = new Map<string, Promise<Uint8Array>>();
  /** Directories in which all copies of the session key were verified. */
  readonly #mended = new Set<string>();

  constructor({ bytes }: DataKey, files: KeyFiles) {
    this.#dataKey = bytes;
    this.#files = files;
    this.#texts = new TextCipher(bytes);
  }

  isSealed(bytes: Uint8Array): boolean {
    return isSealed(bytes);
  }

  async sealBlob(ref: BlobRef, bytes: Uint8Array, mayMakeKey: () => Promise<boolean> = always): Promise<Uint8Array> {
    const header = Buffer.concat([MARK, randomBytes(SALT_BYTES)]);
    const derived = blobKey(await this.#readSessionKey(ref, mayMakeKey), header, ref);
    return Buffer.concat([header, encrypt(bytes, { ...derived, about: header })]);
  }

  async openBlob(ref: BlobRef, sealed: Uint8Array): Promise<Uint8Array> {
    if (!isSealed(sealed)) throw notSealed("It is not sealed, in a store where everything is.");
    const known = this.#sessionKeys.get(sessionOf(ref));
    const plain = (known && openWith(await known, ref, sealed)) ?? openWith(await this.#readSessionKey(ref), ref, sealed);
    if (plain === undefined) throw notSealed("The content differs from the one sealed under this name.");
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

  /** Tells whether a copy of a session's key opens with the data key. */
  isIntactKey(ref: BlobRef, bytes: Uint8Array): boolean {
    return this.#unwrap(ref, bytes) !== undefined;
  }

  /**
   * Adds to each session's key file a key wrapped by this data key. Until the other data key's keys are dropped, both sealers are
   * usable. Idempotent.
   *
   * @param from sealer of the other data key. Its keys are taken from an intact copy of each file.
   */
  async joinSessions(from: StoreSealer): Promise<void> {
    for await (const ref of this.#files.sessions()) {
      const readAs = (sealer: StoreSealer) => this.#files.read(ref, (bytes) => sealer.isIntactKey(ref, bytes));
      if (this.#unwrap(ref, (await readAs(this)) ?? new Uint8Array()) !== undefined) continue;
      const made = wrapKey(this.#dataKey, randomBytes(KEY_BYTES), purposeOf(ref));
      await this.#files.write(ref, Buffer.concat([made, (await readAs(from)) ?? new Uint8Array()]), "replace");
    }
  }

  /** Drops the session keys of other data keys. */
  async keepOwnSessions(): Promise<void> {
    for await (const ref of this.#files.sessions()) {
      const bytes = (await this.#files.read(ref, (copy) => this.#unwrap(ref, copy) !== undefined)) ?? new Uint8Array();
      const own = wrapsIn(bytes).find((wrap) => this.#unwrap(ref, wrap) !== undefined);
      // Writes all copies, since an interruption may have left the last one unchanged.
      if (own !== undefined) await this.#files.write(ref, own, "replace");
    }
  }

  /**
   * Checks that the session key of every blob is readable.
   *
   * @throws KEY_UNAVAILABLE when a session key is missing or damaged.
   */
  async checkSessions(blobs: AsyncIterable<{ readonly ref: BlobRef }>): Promise<void> {
    const checked = new Set<string>();
    for await (const { ref } of blobs) {
      if (checked.has(sessionOf(ref))) continue;
      await this.#findSessionKey(ref);
      checked.add(sessionOf(ref));
    }
  }

  #unwrap(ref: BlobRef, bytes: Uint8Array): Uint8Array | undefined {
    for (const wrap of wrapsIn(bytes)) {
      const key = unwrapKey(this.#dataKey, wrap, purposeOf(ref));
      if (key !== undefined) return key;
    }
    return undefined;
  }

  /** @param mayMake for sealing. Without it a missing key is not made. */
  #readSessionKey(ref: BlobRef, mayMake?: () => Promise<boolean>): Promise<Uint8Array> {
    const session = sessionOf(ref);
    if (this.#sessionKeys.size >= MOST_REMEMBERED) this.#sessionKeys.clear();
    const key = this.#findSessionKey(ref, mayMake);
    this.#sessionKeys.set(session, key);
    // A failure may be temporary, such as a disk error.
    key.catch(() => this.#sessionKeys.get(session) === key && this.#sessionKeys.delete(session));
    return key;
  }

  async #findSessionKey(ref: BlobRef, mayMake?: () => Promise<boolean>): Promise<Uint8Array> {
    const isIntact = (bytes: Uint8Array): boolean => this.#unwrap(ref, bytes) !== undefined;
    const wrapped = await this.#files.read(ref, isIntact);
    if (wrapped !== undefined) {
      if (mayMake !== undefined) await this.#mend(ref, isIntact);
      return this.#unwrap(ref, wrapped) ?? damagedKey(ref);
    }
    if (mayMake === undefined) {
      throw new WorkrailError("KEY_UNAVAILABLE", "The key of a session is missing, and its checkpoints cannot be read without it.", {
        details: { reason: "session-key-missing", blobPath: ref },
        hint: "Restore session.key, which is next to the checkpoints, from a backup. Without one, delete the session, or save to another.",
      });
    }
    const made = randomBytes(KEY_BYTES);
    if ((await mayMake()) && (await this.#files.write(ref, wrapKey(this.#dataKey, made, purposeOf(ref)), "if-absent"))) return made;
    // Another process may have made the key at the same time.
    return this.#findSessionKey(ref);
  }

  async #mend(ref: BlobRef, isIntact: (bytes: Uint8Array) => boolean): Promise<void> {
    const session = sessionOf(ref);
    if (this.#mended.has(session)) return;
    await this.#files.mend(ref, isIntact);
    if (this.#mended.size >= MOST_REMEMBERED) this.#mended.clear();
    this.#mended.add(session);
  }
}

async function always(): Promise<boolean> {
  return true;
}

function sessionOf(ref: BlobRef): string {
  return ref.slice(0, ref.lastIndexOf("/"));
}

/** Binds a session key to its session; it opens nothing elsewhere. */
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
    hint: "Restore session.key, which is next to the checkpoints, from a backup.",
  });
}

/** Maximum number of sessions in a cache. */
const MOST_REMEMBERED = 1_000;

function isSealed(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES + TAG_BYTES && MARK.equals(bytes.subarray(0, MARK.length));
}

/** Derives the key and nonce of a blob. Each blob has a different key, so the nonce can come from the same derivation. */
function blobKey(sessionKey: Uint8Array, header: Uint8Array, ref: BlobRef): { readonly key: Uint8Array; readonly nonce: Uint8Array } {
  const derived = deriveKey(sessionKey, `workrail blob 1 ${ref}`, { salt: header.subarray(MARK.length), length: KEY_BYTES + NONCE_BYTES });
  return { key: derived.subarray(0, KEY_BYTES), nonce: derived.subarray(KEY_BYTES) };
}

/** Opens a blob. Returns `undefined` when it was sealed with another key or under another name. */
function openWith(sessionKey: Uint8Array, ref: BlobRef, sealed: Uint8Array): Uint8Array | undefined {
  const header = sealed.subarray(0, HEADER_BYTES);
  return decrypt(sealed.subarray(HEADER_BYTES), { ...blobKey(sessionKey, header, ref), about: header });
}

function notSealed(message: string): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", message);
}
