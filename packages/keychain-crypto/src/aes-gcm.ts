import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** AES-256-GCM as NIST SP 800-38D has it: a key of 32 bytes, a nonce of 12, a tag of 16 behind the sealed bytes. */
const CIPHER = "aes-256-gcm";
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** @param about is not sealed, and must be the same when it is opened. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, about: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(about);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** `undefined` when key, nonce, `about` or any bit of the bytes is not as it was. */
export function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, about: Uint8Array): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce);
  decipher.setAAD(about);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    // The only thing that can be wrong here is the tag.
    return undefined;
  }
}

/** Seals a key by another: nonce, sealed key, tag. */
export function wrapKey(by: Uint8Array, key: Uint8Array, about: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, encrypt(by, nonce, key, Buffer.from(about))]);
}

/** `undefined` when it was not wrapped by this key, for this. */
export function unwrapKey(by: Uint8Array, wrapped: Uint8Array, about: string): Buffer | undefined {
  return decrypt(by, wrapped.subarray(0, NONCE_BYTES), wrapped.subarray(NONCE_BYTES), Buffer.from(about));
}

/** HKDF with SHA-256 (RFC 5869). */
export function deriveKey(from: Uint8Array, salt: Uint8Array, purpose: string, length: number = KEY_BYTES): Buffer {
  return Buffer.from(hkdfSync("sha256", from, salt, purpose, length));
}

/** Whether two are the same, told in the same time whether they are or not. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export function mac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
