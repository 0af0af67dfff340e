import path from "node:path";
import { BACKUPS, type FileSystem, removeIfPresent } from "@workrail/blob-files";
import type { OpenDatabase } from "./sqlite-driver.ts";

export interface SchemaCopiesOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  /** Creates a directory of the store, durably, when it is missing. */
  ensureDirectory(directory: string): Promise<void>;
}

/** Number of pre-migration copies that are kept; the ones of the newest schemas stay. */
const KEPT = 2;
const COPY = /^pre-schema-(\d+)\.db$/;

/**
 * Copies a database to `backups/pre-schema-<N>.db`, durably. Replaces a copy of that name, whose migration did not happen.
 * No other process may write or copy the database meanwhile.
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

/** Copies into an empty file that is created first, so that only its owner can read it from the start. Syncs it, which SQLite does not. */
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

/** Copies in the directory, newest schema first. */
function copiesIn(directory: string, fs: FileSystem): readonly string[] {
  const schemaOf = (name: string): number => Number(COPY.exec(name)?.[1]);
  const copies = fs.list(directory).filter((name) => COPY.test(name));
  return copies.sort((a, b) => schemaOf(b) - schemaOf(a));
}
