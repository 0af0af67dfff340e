import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** AES-256-GCM by NIST SP 800-38D: a key of 32 bytes, a nonce of 12, and a tag of 16 after the ciphertext. */
const CIPHER = "aes-256-gcm";
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

interface CipherParams {
  readonly key: Uint8Array | KeyObject;
  readonly nonce: Uint8Array;
  /** Additional data that is authenticated, not encrypted; `decrypt` needs the same. */
  readonly about: Uint8Array;
}

/** Encrypts the bytes, and appends the tag. */
export function encrypt(plain: Uint8Array, { key, nonce, about }: CipherParams): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(about);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the bytes. Returns `undefined` when the key, the nonce, `about` or any bit of the bytes differs. */
export function decrypt(sealed: Uint8Array, { key, nonce, about }: CipherParams): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce);
  decipher.setAAD(about);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    // Only a wrong tag fails here.
    return undefined;
  }
}

/** Wraps a key with another one: nonce, encrypted key, tag. */
export function wrapKey(by: Uint8Array, key: Uint8Array, about: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, encrypt(key, { key: by, nonce, about: Buffer.from(about) })]);
}

/** Unwraps a key. Returns `undefined` when the key was wrapped by another key or for another purpose. */
export function unwrapKey(by: Uint8Array, wrapped: Uint8Array, about: string): Buffer | undefined {
  return decrypt(wrapped.subarray(NONCE_BYTES), { key: by, nonce: wrapped.subarray(0, NONCE_BYTES), about: Buffer.from(about) });
}

interface Derivation {
  /** Default: none. */
  readonly salt?: Uint8Array;
  /** In bytes. Default: that of a key. */
  readonly length?: number;
}

/** HKDF with SHA-256 (RFC 5869). */
export function deriveKey(from: Uint8Array, purpose: string, { salt = new Uint8Array(), length = KEY_BYTES }: Derivation = {}): Buffer {
  return Buffer.from(hkdfSync("sha256", from, salt, purpose, length));
}

/** Derives a key for many short texts: Node takes five times as long with the bytes of a key, which it prepares for each use. */
export function deriveReadyKey(from: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(deriveKey(from, purpose));
}

/** Compares two byte strings in constant time. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export function mac(key: Uint8Array | KeyObject, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
