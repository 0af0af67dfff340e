import { randomUUID } from "node:crypto";
import type fs from "node:fs/promises";
import path from "node:path";
import { isWorkrailError, WorkrailError } from "@workrail/core";

/** The file operations that are used; a test gives others, which fail. */
export type Files = Pick<typeof fs, "link" | "mkdir" | "open" | "readdir" | "readFile" | "rename" | "rm" | "stat">;

/**
 * Writes a file whose name shows all of the bytes or what it showed before, also after a power cut: temporary name, bytes
 * on the disk, final name, name on the disk. A `new` file must not be there: that fails with EEXIST.
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

/** Puts zeros in the place of a file's bytes, on the disk. */
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
  // Windows cannot, and need not.
  if (process.platform === "win32") return;
  const handle = await files.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `undefined` instead of the error that says that there is no such file. */
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

/** Errors of the system leave the adapter in the words of the ports, with their cause. */
export async function translated<T>(work: Promise<T>, details: Record<string, unknown> = {}): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The folder could not be read or written.", { cause, details });
  }
}
