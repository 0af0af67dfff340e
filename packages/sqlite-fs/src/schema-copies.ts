import path from "node:path";
import { BACKUPS, type FileSystem, removeIfPresent } from "@workrail/blob-files";
import type { OpenDatabase } from "./sqlite-driver.ts";

export interface SchemaCopiesOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  /** Makes a directory of the store, durably, unless it is there. */
  ensureDirectory(directory: string): Promise<void>;
}

/** Of copies made before migrations, those of the newest schemas stay. */
const KEPT = 2;
const COPY = /^pre-schema-(\d+)\.db$/;

/**
 * Copies a database to `backups/pre-schema-<N>.db`, durably. One of that name is replaced: then the migration it was made
 * for did not happen. Nobody may write the database, or copy it too, meanwhile.
 */
export async function keepCopy(file: string, schema: number, options: SchemaCopiesOptions): Promise<void> {
  const { dataDir, fs } = options;
  const directory = path.join(dataDir, BACKUPS);
  await options.ensureDirectory(directory);
  const copy = path.join(directory, `pre-schema-${schema}.db`);
  removeIfPresent(fs, `${copy}.new`);
  await copyDatabase(file, `${copy}.new`, options);
  fs.rename(`${copy}.new`, copy);
  for (const old of copiesIn(directory, fs).slice(KEPT)) removeIfPresent(fs, path.join(directory, old));
  await fs.syncDirectory(directory);
}

/** SQLite writes into an empty file that is there, so that it is the owner's alone from the start; it does not sync it. */
async function copyDatabase(from: string, to: string, { fs, openDatabase }: SchemaCopiesOptions): Promise<void> {
  const fd = fs.create(to);
  try {
    const database = openDatabase(from, 0);
    try {
      database.prepare("VACUUM INTO ?").run(to);
    } finally {
      database.close();
    }
    await fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

/** Newest first. */
function copiesIn(directory: string, fs: FileSystem): readonly string[] {
  const schemaOf = (name: string): number => Number(COPY.exec(name)?.[1]);
  const copies = fs.list(directory).filter((name) => COPY.test(name));
  return copies.sort((a, b) => schemaOf(b) - schemaOf(a));
}
