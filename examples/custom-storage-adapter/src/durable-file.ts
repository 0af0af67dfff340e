import { randomUUID } from "node:crypto";
import type fs from "node:fs/promises";
import path from "node:path";
import { isWorkrailError, WorkrailError } from "@workrail/core";

/** The file operations that the adapter uses. A test passes operations that fail. */
export type Files = Pick<typeof fs, "link" | "mkdir" | "open" | "readdir" | "readFile" | "rename" | "rm" | "stat">;

/**
 * Writes a file durably: after a power cut, its name shows either all the new bytes or the former content. The order is: write to a
 * temporary name, fsync, rename or link to the final name, fsync the folder.
 *
 * With `new`, the file must not exist yet; if it does, the call fails with EEXIST.
 */
export async function writeDurably(files: Files, file: string, bytes: Uint8Array, mode: "new" | "replace"): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await files.open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (mode === "new" ? files.link(temporary, file) : files.rename(temporary, file));
    await syncFolder(files, path.dirname(file));
  } finally {
    await files.rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Overwrites a file's bytes with zeros, and fsyncs the file. */
export async function overwrite(files: Files, file: string): Promise<void> {
  const { size } = await files.stat(file);
  const handle = await files.open(file, "r+");
  try {
    await handle.writeFile(Buffer.alloc(size));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function syncFolder(files: Files, folder: string): Promise<void> {
  // Windows can neither fsync a folder, nor need it.
  if (process.platform === "win32") return;
  const handle = await files.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves to `undefined` instead of rejecting with ENOENT. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Turns system errors into a `WorkrailError` with the code that the ports demand, and keeps the original as its cause. */
export async function translated<T>(work: Promise<T>, details: Record<string, unknown> = {}): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The folder could not be read or written.", { cause, details });
  }
}
