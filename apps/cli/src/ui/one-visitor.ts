import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const BYTES = 32;

/** Lets one browser in: the first that shows the token of the link. It gets a key, which it shows from then on. */
export class OneVisitor {
  /** Part of the link. Works once. */
  readonly token: string = secret();
  readonly #key = secret();
  #isUsed = false;

  /** Exchanges the token for the key. `undefined` for a wrong token, and when it was used before. */
  admit(token: string): string | undefined {
    if (this.#isUsed || !isSame(token, this.token)) return undefined;
    this.#isUsed = true;
    return this.#key;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  knows(key: string | undefined): boolean {
    return key !== undefined && isSame(key, this.#key);
  }
}

function secret(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** Compares digests, so that the time reveals nothing. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
