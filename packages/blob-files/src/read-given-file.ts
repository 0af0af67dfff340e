import fs from "node:fs";
import path from "node:path";
import { calledBackFiles } from "./called-back.ts";
import { hasCode } from "./error-codes.ts";

/** Windows lacks some of these flags, and does not need them: it opens no device by a path in a project. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants as Partial<typeof fs.constants>;
/** Never blocks on a writer, never follows a link in the last component, never acquires a controlling terminal. */
const CAREFULLY = fs.constants.O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;
/** Timeout of a read: a disk that does not respond must not delay the caller for long. */
const PATIENCE_MS = 2_000;
/** Each hanging read occupies one of Node's four threads for files. */
const MOST_HANGING = 2;

/**
 * Why a file is not read. `missing`: it does not exist; `not-a-file`: a directory, a pipe, a socket, a device; `outside`: a link leads out
 * of the folder; `too-large`; `unreadable`: the system refuses; `too-slow`: the timeout passed.
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
 * Reads an untrusted file, such as one of a cloned project: a regular file in a folder, or the target of links
 * that stay in the folder. Reads no more bytes than the limit, whatever size the file claims, respects the timeout, and never rejects.
 *
 * @param folder links must not lead out of this folder.
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

/** Reads a file synchronously, for a file needed before anything else. Does not follow a link in the last component. */
export function readGivenFileNow(file: string, maxBytes: number): GivenFile {
  try {
    // Opening a device can have side effects.
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
  const { realpath, open, fstat } = calledBackFiles;
  const real = await realpath(file);
  const isInside = isWithin(folder, real) || isWithin(await realpath(folder), real);
  if (!isInside) return { refused: "outside" };
  const fd = await open(real, CAREFULLY);
  try {
    const opened = await fstat(fd);
    if (!opened.isFile()) return { refused: "not-a-file" };
    if (opened.size > maxBytes) return { refused: "too-large" };
    return await fill(fd, Buffer.alloc(Math.min(maxBytes, opened.size) + 1), maxBytes);
  } finally {
    // Nothing was written that a failed close could lose.
    fs.close(fd, () => {});
  }
}

/** Reads until the end of the file. The size is only a hint: some files have bytes but report the size 0. */
async function fill(fd: number, first: Buffer, maxBytes: number): Promise<GivenFile> {
  let bytes = first;
  let length = 0;
  for (;;) {
    length += await calledBackFiles.read(fd, bytes, length);
    // For a regular file, a short read means the end.
    if (length < bytes.length || length > maxBytes) return within(bytes, length, maxBytes);
    bytes = Buffer.concat([bytes], Math.min(maxBytes + 1, bytes.length * 2));
  }
}

function within(bytes: Buffer, length: number, maxBytes: number): GivenFile {
  return length > maxBytes ? { refused: "too-large" } : { bytes: bytes.subarray(0, length) };
}

/** Tells whether a path is a folder or inside of it; both without links. */
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
