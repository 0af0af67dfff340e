import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

export interface StoreSize {
  /** The checkpoints' files. */
  readonly fileBytes: number;
  /** The database that knows where they are. */
  readonly databaseBytes: number;
}

const DATABASE = /^workrail\.db(-wal|-shm)?$/u;

export async function sizeOfStore(dataDir: string): Promise<StoreSize> {
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  let fileBytes = 0;
  let databaseBytes = 0;
  // What is kept in reserve for a full disk holds nothing.
  for (const file of files.filter((entry) => entry.isFile() && entry.name !== "reserve")) {
    const { size } = await stat(join(file.parentPath, file.name));
    if (DATABASE.test(file.name)) databaseBytes += size;
    else fileBytes += size;
  }
  return { fileBytes, databaseBytes };
}

/** Deletes the database and what belongs to it. Resolves to the names of the files that were there. */
export async function loseDatabase(dataDir: string): Promise<string[]> {
  const files = (await readdir(dataDir)).filter((name) => DATABASE.test(name));
  for (const name of files) await rm(join(dataDir, name));
  return files;
}
