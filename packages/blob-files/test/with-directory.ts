import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A fresh directory, removed after the work. */
export async function withDirectory<T>(work: (directory: string) => Promise<T> | T): Promise<T> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-blob-files-"));
  try {
    return await work(directory);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
