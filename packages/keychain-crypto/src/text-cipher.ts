import { type Digest, WorkrailError } from "@workrail/core";
import { decrypt, deriveKey, encrypt, mac, NONCE_BYTES } from "./aes-gcm.ts";

const MARK = "s1.";
/** What says how the text stands in the bytes: as UTF-8, or, for one that UTF-8 cannot say, as JSON. */
const [AS_UTF8, AS_JSON] = [0, 1];
const NO_SALT = new Uint8Array();

/** Whether a text looks sealed: by whom, and whether it is whole, only opening tells. */
export function isSealedText(text: string): boolean {
  return text.startsWith(MARK) && /^[\w-]+$/u.test(text.slice(MARK.length));
}

/**
 * Seals short texts, the same to the same, as a synthetic initialisation vector does it (RFC 5297): the nonce is a keyed digest of the
 * text, so that two texts share one only when they are equal. Whoever reads sealed texts learns which are equal and how long they are.
 */
export class TextCipher {
  readonly #key: Uint8Array;
  readonly #nonceKey: Uint8Array;
  readonly #digestKey: Uint8Array;
  readonly #auditKey: Uint8Array;

  constructor(dataKey: Uint8Array) {
    this.#key = deriveKey(dataKey, NO_SALT, "workrail text 1");
    this.#nonceKey = deriveKey(dataKey, NO_SALT, "workrail text nonce 1");
    this.#digestKey = deriveKey(dataKey, NO_SALT, "workrail digest 1");
    this.#auditKey = deriveKey(dataKey, NO_SALT, "workrail audit 1");
  }

  seal(text: string): string {
    const isUtf8 = text.isWellFormed();
    const plain = Buffer.from(`\0${isUtf8 ? text : JSON.stringify(text)}`);
    plain[0] = isUtf8 ? AS_UTF8 : AS_JSON;
    const nonce = mac(this.#nonceKey, plain).subarray(0, NONCE_BYTES);
    return MARK + Buffer.concat([nonce, encrypt(this.#key, nonce, plain, NO_SALT)]).toString("base64url");
  }

  sealDigest(digest: Digest): Digest {
    return mac(this.#digestKey, Buffer.from(digest, "hex")).toString("hex") as Digest;
  }

  authenticate(text: string): Digest {
    return mac(this.#auditKey, Buffer.from(text)).toString("hex") as Digest;
  }

  /** @throws CHECKPOINT_CORRUPT when it is not what was sealed. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed.startsWith(MARK) ? sealed.slice(MARK.length) : "", "base64url");
    const plain = decrypt(this.#key, bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES), NO_SALT);
    if (plain === undefined) {
      throw new WorkrailError("CHECKPOINT_CORRUPT", "The catalog holds a text that this store's key did not seal.", {
        hint: "Run `workrail rebuild`.",
      });
    }
    const text = plain.toString("utf8", 1);
    return plain[0] === AS_JSON ? (JSON.parse(text) as string) : text;
  }
}
