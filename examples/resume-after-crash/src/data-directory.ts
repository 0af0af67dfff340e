import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

export interface StoreSize {
  /** Bytes of the checkpoint files, and of all other files but the database. */
  readonly fileBytes: number;
  /** Bytes of the database. */
  readonly databaseBytes: number;
}

const DATABASE = /^workrail\.db(-wal|-shm)?$/u;

export async function sizeOfStore(dataDir: string): Promise<StoreSize> {
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  let fileBytes = 0;
  let databaseBytes = 0;
  // The reserve file for a full disk holds no data.
  for (const file of files.filter((entry) => entry.isFile() && entry.name !== "reserve")) {
    const { size } = await stat(join(file.parentPath, file.name));
    if (DATABASE.test(file.name)) databaseBytes += size;
    else fileBytes += size;
  }
  return { fileBytes, databaseBytes };
}

/** Deletes the database and its companion files. Resolves to the names of the files that existed. */
export async function loseDatabase(dataDir: string): Promise<string[]> {
  const files = (await readdir(dataDir)).filter((name) => DATABASE.test(name));
  for (const name of files) await rm(join(dataDir, name));
  return files;
}
