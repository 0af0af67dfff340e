import { createHash, randomBytes } from "node:crypto";
import { KEY_BYTES } from "./aes-gcm.ts";
import { type KeySource, unusable } from "./key-source.ts";

/** Crockford's base 32, without letters that look like digits. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHECK_BYTES = 3;
const GROUP = /.{1,7}/g;

/** Formats a key for people to write down: 56 letters and digits in eight groups. The last ones are a checksum against typing errors. */
export function recoveryText(key: Uint8Array): string {
  const bits = [...key, ...checkOf(key)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = (bits.match(/.{1,5}/g) ?? []).map((five) => DIGITS[Number.parseInt(five.padEnd(5, "0"), 2)] ?? "");
  return (digits.join("").match(GROUP) ?? []).join("-");
}

/** Parses a recovery key. Returns `undefined` when a letter is wrong. Ignores spaces, dashes and case. */
function parseRecoveryText(text: string): Uint8Array | undefined {
  const digits = text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const values = Array.from(digits, (digit) => DIGITS.indexOf(digit));
  if (values.includes(-1)) return undefined;
  const bits = values.map((value) => value.toString(2).padStart(5, "0")).join("");
  if (bits.length < (KEY_BYTES + CHECK_BYTES) * 8) return undefined;
  const bytes = Uint8Array.from({ length: KEY_BYTES + CHECK_BYTES }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
  const key = bytes.subarray(0, KEY_BYTES);
  return recoveryText(key).replaceAll("-", "") === digits ? key : undefined;
}

function checkOf(key: Uint8Array): Uint8Array {
  return createHash("sha256").update("workrail recovery key").update(key).digest().subarray(0, CHECK_BYTES);
}

/** Returns the source for the recovery key that a person wrote down when the store was sealed. `make` creates a new one. */
export function keyFromRecovery(text?: string): KeySource {
  return {
    kind: "recovery",
    make: async () => ({ key: randomBytes(KEY_BYTES), found: {} }),
    find: async () =>
      (text === undefined ? undefined : parseRecoveryText(text)) ??
      unusable("This is not a recovery key.", "Type all eight groups as they were shown; one letter or more is wrong or missing."),
  };
}
