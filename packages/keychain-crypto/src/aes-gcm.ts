import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** AES-256-GCM by NIST SP 800-38D: a key of 32 bytes, a nonce of 12, and a tag of 16 after the ciphertext. */
const CIPHER = "aes-256-gcm";
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/**
 * Encrypts the bytes, and appends the tag.
 *
 * @param about additional data that is authenticated, not encrypted; `decrypt` needs the same.
 */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, about: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(about);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the bytes. Returns `undefined` when the key, the nonce, `about` or any bit of the bytes differs. */
export function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, about: Uint8Array): Buffer | undefined {
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
  return Buffer.concat([nonce, encrypt(by, nonce, key, Buffer.from(about))]);
}

/** Unwraps a key. Returns `undefined` when the key was wrapped by another key or for another purpose. */
export function unwrapKey(by: Uint8Array, wrapped: Uint8Array, about: string): Buffer | undefined {
  return decrypt(by, wrapped.subarray(0, NONCE_BYTES), wrapped.subarray(NONCE_BYTES), Buffer.from(about));
}

/** HKDF with SHA-256 (RFC 5869). */
export function deriveKey(from: Uint8Array, salt: Uint8Array, purpose: string, length: number = KEY_BYTES): Buffer {
  return Buffer.from(hkdfSync("sha256", from, salt, purpose, length));
}

/** Compares two byte strings in constant time. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export function mac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
