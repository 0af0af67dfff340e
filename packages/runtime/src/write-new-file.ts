import fs from "node:fs";
import path from "node:path";
import { isWithoutLinks, nodeFileSystem, temporaryName } from "@workrail/blob-files";
import { type Clock, WorkrailError } from "@workrail/core";
import { errorCode } from "./error-code.ts";

export interface WrittenFile {
  readonly file: string;
  readonly sizeBytes: number;
}

const PURPOSE = "export";
/** Age of a leftover: no writer pauses for so long, even on a machine that slept over night. */
const OLD_MS = 7 * 24 * 60 * 60 * 1_000;

/** Removes files that interrupted writers left in a folder, if they were not written to for a week. A missing folder is not an error. */
export async function removeOldTemporaries(folder: string, clock: Clock): Promise<void> {
  const names = await fs.promises.readdir(folder).catch(ifMissing<string[]>([]));
  for (const file of names.filter((each) => each.startsWith(`.tmp-${PURPOSE}-`)).map((each) => path.join(folder, each))) {
    const found = await fs.promises.lstat(file).catch(ifMissing(undefined));
    if (found?.isFile() === true && clock.now().getTime() - found.mtimeMs > OLD_MS)
      await onDisk(file, () => fs.promises.rm(file, { force: true }));
  }
}

function ifMissing<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === "ENOENT") return otherwise;
    throw error;
  };
}

/**
 * Writes a text to a new file that only its owner can read. The file gets its name once all of it is on disk. Never replaces a file.
 *
 * @param names paths to try in order; the first free one is used.
 * @throws INVALID_INPUT when none is free, or the folder does not exist; STORAGE_UNAVAILABLE when the file cannot be written; errors of
 * `text`. After an error there is no file.
 */
export async function writeNewFile(names: Iterable<string>, text: AsyncIterable<string>): Promise<WrittenFile> {
  const [first] = names;
  if (first === undefined) throw new WorkrailError("INTERNAL", "No name was given for a file.");
  const temporary = temporaryName(path.dirname(first), PURPOSE);
  try {
    const sizeBytes = await write(temporary, first, text);
    const file = await name(temporary, names);
    await makeDurable(file);
    return { file, sizeBytes };
  } finally {
    await fs.promises.rm(temporary, { force: true });
  }
}

/** A text that is written at once. */
export async function* inOnePiece(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

async function write(temporary: string, file: string, text: AsyncIterable<string>): Promise<number> {
  const handle = await onDisk(file, () => fs.promises.open(temporary, "wx", 0o600));
  let sizeBytes = 0;
  try {
    for await (const piece of text) {
      const bytes = Buffer.from(piece);
      await onDisk(file, () => handle.writeFile(bytes));
      sizeBytes += bytes.length;
    }
    await onDisk(file, () => handle.sync());
    return sizeBytes;
  } finally {
    await handle.close();
  }
}

/** Names the file by a link, not a rename: a link fails when the name is taken, so concurrent writers cannot replace each other's file. */
async function name(temporary: string, names: Iterable<string>): Promise<string> {
  let file = "";
  for (file of names) if (await onDisk(file, () => claim(temporary, file))) return file;
  throw new WorkrailError("INVALID_INPUT", `The file ${file} already exists.`, {
    details: { path: file },
    hint: "Name another file, or move the existing one: an export never replaces a file.",
  });
}

async function claim(temporary: string, file: string): Promise<boolean> {
  try {
    await fs.promises.link(temporary, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!isWithoutLinks(error)) throw error;
  }
  // Fallback for file systems without links: check, then rename.
  const isTaken = await fs.promises.lstat(file).then(
    () => true,
    () => false,
  );
  if (!isTaken) nodeFileSystem.rename(temporary, file);
  return !isTaken;
}

async function makeDurable(file: string): Promise<void> {
  try {
    await nodeFileSystem.syncDirectory(path.dirname(file));
  } catch (cause) {
    await onDisk(file, () => fs.promises.rm(file, { force: true }));
    throw cannotWrite(file, cause);
  }
}

async function onDisk<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cannotWrite(file, cause);
  }
}

const WRONG_PLACES: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  EEXIST: "something else exists there",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "its name is too long",
};

/** @returns INVALID_INPUT for an impossible path, STORAGE_UNAVAILABLE for a failing disk. */
export function cannotWrite(file: string, cause: unknown): WorkrailError {
  const code = errorCode(cause);
  const wrong = WRONG_PLACES[code];
  return new WorkrailError(wrong === undefined ? "STORAGE_UNAVAILABLE" : "INVALID_INPUT", `${file} cannot be written: ${wrong ?? code}.`, {
    details: { path: file, errno: code },
    hint: "Choose an existing, writable folder with free space.",
    cause,
  });
}
