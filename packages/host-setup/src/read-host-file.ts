import fs from "node:fs";
import path from "node:path";
import { hasCode } from "@workrail/blob-files";
import { refusal } from "./json/json-text.ts";

/** Bytes. A larger file is not a settings file. */
const MAX_BYTES = 64 * 1024 * 1024;
const MOST_LINKS = 40;

export interface HostFile {
  /** The real path, with symbolic links resolved. */
  readonly target: string;
  /** `undefined`: there is no file. */
  readonly text: string | undefined;
}

/**
 * Reads a file of a host. Follows symbolic links, because people link their settings from another folder.
 *
 * @throws INVALID_INPUT when the path is not a text file.
 */
export function readHostFile(file: string): HostFile {
  try {
    const target = targetOf(file);
    const bytes = bytesOf(file, target);
    return { target, text: bytes === undefined ? undefined : decoded(file, bytes) };
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM"))
      throw refusal(file, "it cannot be read", { hint: "Make it readable for your user.", cause: error });
    throw error;
  }
}

function bytesOf(file: string, target: string): Buffer | undefined {
  const stats = fs.statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw refusal(file, stats.isDirectory() ? "it is a directory" : "it is not a regular file");
  if (stats.size > MAX_BYTES) throw refusal(file, `it is larger than ${MAX_BYTES} bytes`);
  return fs.readFileSync(target);
}

function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw refusal(file, "it is not UTF-8", { hint: "Save it as UTF-8 first.", cause: error });
  }
}

/** Resolves links, also to a file that does not exist yet. */
function targetOf(file: string): string {
  let at = path.resolve(file);
  for (let links = 0; links < MOST_LINKS; links++) {
    if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return at;
    at = path.resolve(path.dirname(at), fs.readlinkSync(at));
  }
  throw refusal(file, "its symbolic links form a loop");
}
