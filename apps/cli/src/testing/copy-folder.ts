import { cpSync } from "node:fs";

/** Copies a folder with modes for its owner only. */
export function copyFolder(from: string, to: string): void {
  const before = process.umask(0o077);
  cpSync(from, to, { recursive: true });
  process.umask(before);
}
