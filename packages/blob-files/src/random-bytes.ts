import { randomBytes as cryptographic } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { hasCode } from "./error-codes.ts";

/** Returns unguessable bytes from the system's own source. Loading Node's cryptography would take a fifth of Node's start time. */
export function randomBytes(count: number): Buffer {
  return (process.platform === "win32" ? undefined : fromSystem(count)) ?? cryptographic(count);
}

/** Returns `undefined` when the source is missing, as in some sandboxes. */
function fromSystem(count: number): Buffer | undefined {
  let source: number;
  try {
    source = openSync("/dev/urandom", "r");
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "EACCES") || hasCode(error, "EPERM")) return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(count);
    return readSync(source, bytes) === count ? bytes : undefined;
  } finally {
    closeSync(source);
  }
}

/** Returns a version 4 UUID made of unguessable bytes. */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}
