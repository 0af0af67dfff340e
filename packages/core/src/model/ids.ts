import { invalidInput } from "../errors.ts";

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Names a session: 1 to 128 printable characters in the normal form NFC, compared exactly. */
export type SessionId = Brand<"SessionId">;
/** Names a checkpoint, unique in the whole store: 1 to 128 of `A-Z a-z 0-9 _ -`. UUID v4 unless the caller chose it. */
export type CheckpointId = Brand<"CheckpointId">;
/** Name of a blob in a blob store. Opaque to everything but that store. */
export type BlobRef = Brand<"BlobRef">;
/** SHA-256, 64 lower-case hexadecimal digits. */
export type Digest = Brand<"Digest">;
/** Names the key that sealed a blob. */
export type KeyId = Brand<"KeyId">;
/** Position in a listing. Opaque, made by the catalog that reads it. */
export type PageCursor = Brand<"PageCursor">;
/** Position in the history of a catalog. Opaque, made by the catalog that reads it. */
export type ChangePosition = Brand<"ChangePosition">;

const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;
const DIGEST_PATTERN = /^[0-9a-f]{64}$/;
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const LONGEST_SESSION_ID = 128;
/** Upper bound before normalising, which takes time. NFC merges at most 18 characters into one. */
const LONGEST_UNNORMALISED = 18 * LONGEST_SESSION_ID;
/**
 * Control characters, lone surrogates, line separators, and invisible or reordering marks: two ids that look the same must be the
 * same. Joiners and variation selectors are allowed because scripts and emoji need them. The ranges are spelled out so that the
 * validity of an id does not depend on the Unicode version.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

/**
 * Parses a session id and normalises it to NFC.
 *
 * @throws INVALID_INPUT when the value is not a session id.
 */
export function parseSessionId(value: unknown, field = "sessionId"): SessionId {
  const isText = typeof value === "string" && value.length <= LONGEST_UNNORMALISED;
  const text = isText ? value.normalize("NFC") : "";
  const fault = faultOf(text);
  if (fault === undefined) return text as SessionId;
  throw invalidInput(
    field,
    `${field} ${fault}.`,
    `Send ${field} exactly as an earlier answer gave it, or choose any printable text, such as user:42.`,
  );
}

/** Returns the reason why a normalised text is not a session id. */
function faultOf(text: string): string | undefined {
  const { length } = Array.from(text);
  if (length < 1 || length > LONGEST_SESSION_ID) return `must be a text of 1 to ${LONGEST_SESSION_ID} characters`;
  if (text.trim() === "") return "must not be white space alone";
  const hidden = UNPRINTABLE.exec(text)?.[0];
  if (hidden === undefined) return undefined;
  const name = hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `must be printable, but contains the character U+${name}`;
}

/** True when an id has the form of those that the product generates. */
export function isGenerated(id: string): boolean {
  return UUID_PATTERN.test(id);
}

/** True when a text has the form of a checkpoint id. */
export function isCheckpointId(text: string): text is CheckpointId {
  return ID_PATTERN.test(text);
}

/**
 * Parses a checkpoint id.
 *
 * @throws INVALID_INPUT when the value is not a checkpoint id.
 */
export function parseCheckpointId(value: unknown, field = "checkpointId"): CheckpointId {
  if (typeof value === "string" && isCheckpointId(value)) return value;
  throw invalidInput(
    field,
    `${field} must be 1 to 128 letters, digits, "-" or "_".`,
    `Send ${field} exactly as an earlier answer gave it, or choose one of these characters.`,
  );
}

/**
 * Parses a SHA-256 digest.
 *
 * @throws INVALID_INPUT when the value is not a SHA-256 in hexadecimal.
 */
export function parseDigest(value: unknown, field = "digest"): Digest {
  if (typeof value === "string" && DIGEST_PATTERN.test(value)) return value as Digest;
  throw invalidInput(field, `${field} must be a SHA-256 in lower-case hexadecimal.`);
}

/** Derives a UUID of version 8 (RFC 9562) from a digest, deterministically. */
export function uuidOf(digest: Digest): string {
  const variant = "89ab".charAt(Number.parseInt(digest.charAt(16), 16) & 3);
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `${variant}${digest.slice(17, 20)}`];
  return [...groups, digest.slice(20, 32)].join("-");
}
