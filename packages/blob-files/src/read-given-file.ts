import fs from "node:fs";
import path from "node:path";
import { hasCode } from "./error-codes.ts";

/** Windows lacks some of them, and needs none: it opens no device by a path of a project. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants as Partial<typeof fs.constants>;
/** Never waits for a writer, never follows a link in the last place, never takes a terminal. */
const CAREFULLY = fs.constants.O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;
/** The longest that a file is waited for: a disk that does not answer must hold up nobody for long. */
const PATIENCE_MS = 2_000;
/** Reads that hang keep a thread each, of the four that Node has for all files. */
const MOST_HANGING = 2;

/**
 * Why a file is not read. `missing`: there is nothing; `not-a-file`: a directory, a pipe, a socket, a device; `outside`: a link leads
 * out of the folder; `too-large`; `unreadable`: the system refuses; `too-slow`: it did not answer in time.
 */
export type FileRefusal = "missing" | "not-a-file" | "outside" | "too-large" | "unreadable" | "too-slow";

export type GivenFile =
  | { readonly bytes: Buffer }
  /** `code`: the system's, such as `EACCES`. */
  | { readonly refused: FileRefusal; readonly code?: string | undefined };

export interface GivenFileLimits {
  readonly maxBytes: number;
  /** Default: two seconds. */
  readonly patienceMs?: number | undefined;
}

let hanging = 0;

/**
 * Reads a file that somebody else may have made, such as one of a project that was cloned: a regular file in a folder, or where links
 * lead that stay in the folder. It reads no more bytes than the limit, whatever size the file claims, waits no longer than the
 * patience, and never rejects.
 *
 * @param folder no link may lead out of it.
 */
export async function readGivenFile(
  folder: string,
  file: string,
  { maxBytes, patienceMs = PATIENCE_MS }: GivenFileLimits,
): Promise<GivenFile> {
  if (hanging >= MOST_HANGING) return { refused: "too-slow" };
  const reading = read(folder, file, maxBytes).catch(refusalOf);
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<GivenFile>((resolve) => {
    timer = setTimeout(() => {
      hanging += 1;
      void reading.then(() => (hanging -= 1));
      resolve({ refused: "too-slow" });
    }, patienceMs);
  });
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same in place, for a file that must be read before anything else can go on. It follows no link in the last place. */
export function readGivenFileNow(file: string, maxBytes: number): GivenFile {
  try {
    // Opening a device can do something to it.
    if (!fs.lstatSync(file).isFile()) return { refused: "not-a-file" };
    const fd = fs.openSync(file, CAREFULLY);
    try {
      if (!fs.fstatSync(fd).isFile()) return { refused: "not-a-file" };
      const bytes = Buffer.alloc(maxBytes + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got)
        got = fs.readSync(fd, bytes, length, bytes.length - length, null);
      return within(bytes, length, maxBytes);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    return refusalOf(error);
  }
}

async function read(folder: string, file: string, maxBytes: number): Promise<GivenFile> {
  const real = await fs.promises.realpath(file);
  const isInside = isWithin(folder, real) || isWithin(await fs.promises.realpath(folder), real);
  if (!isInside) return { refused: "outside" };
  const handle = await fs.promises.open(real, CAREFULLY);
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return { refused: "not-a-file" };
    if (opened.size > maxBytes) return { refused: "too-large" };
    return await fill(handle, Buffer.alloc(Math.min(maxBytes, opened.size) + 1), maxBytes);
  } finally {
    // Nothing was written that closing could fail to keep.
    void handle.close().catch(() => {});
  }
}

/** The size is only a hint: some files have bytes and say that they have none. */
async function fill(handle: fs.promises.FileHandle, first: Buffer, maxBytes: number): Promise<GivenFile> {
  let bytes = first;
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, null);
    length += bytesRead;
    // Of a regular file less comes than was asked for only at its end.
    if (length < bytes.length || length > maxBytes) return within(bytes, length, maxBytes);
    bytes = Buffer.concat([bytes], Math.min(maxBytes + 1, bytes.length * 2));
  }
}

function within(bytes: Buffer, length: number, maxBytes: number): GivenFile {
  return length > maxBytes ? { refused: "too-large" } : { bytes: bytes.subarray(0, length) };
}

/** Whether a path is that of a folder or of something in it; both without links. */
export function isWithin(folder: string, place: string): boolean {
  const way = path.relative(folder, place);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

function refusalOf(error: unknown): GivenFile {
  if (hasCode(error, "ENOENT", "ENOTDIR")) return { refused: "missing" };
  if (hasCode(error, "EISDIR", "ENXIO")) return { refused: "not-a-file" };
  if (hasCode(error, "ELOOP")) return { refused: "outside" };
  return { refused: "unreadable", code: error instanceof Error && "code" in error ? String(error.code) : undefined };
}

/** Tells that a file is as it was, without following a link. `undefined`: there is nothing, or it cannot be told. */
export function signatureOf(file: string): string | undefined {
  try {
    return signatureFrom(fs.lstatSync(file, { throwIfNoEntry: false }));
  } catch {
    // A place that cannot be looked at has nothing to read.
    return undefined;
  }
}

/** The same of a file that was looked at. What is in a directory makes no difference. */
export function signatureFrom(found: fs.Stats | undefined): string | undefined {
  if (found === undefined) return undefined;
  if (found.isDirectory()) return `directory ${found.ino}`;
  return `${found.isFile() ? "file" : "other"} ${found.ino} ${found.mtimeMs} ${found.size}`;
}
