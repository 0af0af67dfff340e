import { randomUUID } from "node:crypto";
import type fs from "node:fs/promises";
import path from "node:path";
import { WorkrailError } from "@workrail/core";

/** File operations that the adapter uses. A test passes operations that fail. */
export type Files = Pick<typeof fs, "link" | "mkdir" | "open" | "readdir" | "readFile" | "rename" | "rm" | "stat" | "writeFile">;

interface DurableWrite {
  readonly bytes: Uint8Array;
  readonly mode: "new" | "replace";
}

/** Writes a file so that a power cut leaves the new bytes or the former content. In mode `new`, fails with EEXIST when the file exists. */
export async function writeDurably(files: Files, file: string, { bytes, mode }: DurableWrite): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await files.writeFile(temporary, bytes, { flag: "wx", mode: 0o600, flush: true });
    await (mode === "new" ? files.link(temporary, file) : files.rename(temporary, file));
    await syncFolder(files, path.dirname(file));
  } finally {
    await files.rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Makes the names in a folder durable. Windows can neither sync a folder, nor needs it. Closing waits for the sync. */
export async function syncFolder(files: Files, folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await files.open(folder, "r");
  await Promise.all([handle.sync(), handle.close()]);
}

/** Resolves to `undefined` when the work fails with the code `unless`; other failures become the error that the ports demand. */
export async function attempt<T>(work: () => Promise<T>, unless?: string, details: Record<string, unknown> = {}): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (unless !== undefined && (cause as { readonly code?: unknown }).code === unless) return undefined;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The folder could not be read or written.", { cause, details });
  }
}
