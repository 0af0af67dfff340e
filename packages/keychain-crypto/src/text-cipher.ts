import type { KeyObject } from "node:crypto";
import { type Digest, WorkrailError } from "@workrail/core";
import { decrypt, deriveReadyKey, encrypt, mac, NONCE_BYTES } from "./aes-gcm.ts";

const MARK = "s1.";
/** First byte of the plaintext, for its encoding: UTF-8, or JSON for a text that UTF-8 cannot represent. */
const [AS_UTF8, AS_JSON] = [0, 1];
const NOTHING = new Uint8Array();

/** Tells whether a text has the form of a sealed one. Only opening it verifies its key and integrity. */
export function isSealedText(text: string): boolean {
  return text.startsWith(MARK) && /^[\w-]+$/u.test(text.slice(MARK.length));
}

/**
 * Encrypts short texts deterministically, with a synthetic initialisation vector (RFC 5297). The nonce is a keyed digest of the
 * text, so two texts share one only when they are equal. Readers of sealed texts learn only their equality and length.
 */
export class TextCipher {
  readonly #key: KeyObject;
  readonly #nonceKey: KeyObject;
  readonly #digestKey: KeyObject;
  readonly #auditKey: KeyObject;

  constructor(dataKey: Uint8Array) {
    this.#key = deriveReadyKey(dataKey, "workrail text 1");
    this.#nonceKey = deriveReadyKey(dataKey, "workrail text nonce 1");
    this.#digestKey = deriveReadyKey(dataKey, "workrail digest 1");
    this.#auditKey = deriveReadyKey(dataKey, "workrail audit 1");
  }

  seal(text: string): string {
    const isUtf8 = text.isWellFormed();
    const plain = Buffer.from(`\0${isUtf8 ? text : JSON.stringify(text)}`);
    plain[0] = isUtf8 ? AS_UTF8 : AS_JSON;
    const nonce = mac(this.#nonceKey, plain).subarray(0, NONCE_BYTES);
    return MARK + Buffer.concat([nonce, encrypt(plain, { key: this.#key, nonce, about: NOTHING })]).toString("base64url");
  }

  sealDigest(digest: Digest): Digest {
    return mac(this.#digestKey, Buffer.from(digest, "hex")).toString("hex") as Digest;
  }

  authenticate(text: string): Digest {
    return mac(this.#auditKey, Buffer.from(text)).toString("hex") as Digest;
  }

  /**
   * Decrypts a text.
   *
   * @throws CHECKPOINT_CORRUPT when the text was not sealed with this key.
   */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed.startsWith(MARK) ? sealed.slice(MARK.length) : "", "base64url");
    const plain = decrypt(bytes.subarray(NONCE_BYTES), { key: this.#key, nonce: bytes.subarray(0, NONCE_BYTES), about: NOTHING });
    if (plain === undefined) {
      throw new WorkrailError("CHECKPOINT_CORRUPT", "The catalog contains a text that this store's key did not seal.", {
        hint: "Run `workrail rebuild`.",
      });
    }
    const text = plain.toString("utf8", 1);
    return plain[0] === AS_JSON ? (JSON.parse(text) as string) : text;
  }
}
