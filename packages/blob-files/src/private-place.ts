import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { homeDirectory } from "./home-directory.ts";

/** Most links followed in a path, as in Linux. */
const MOST_LINKS = 40;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Creates a directory that only this user can read and change, unless it exists. No other user can change a part of the path to it.
 *
 * @returns its real path; `undefined` when it cannot be created, or another user has permissions on it or a part of the path.
 */
export function makePrivateDirectory(directory: string): string | undefined {
  const real = safePathOf(directory, { make: true });
  if (real === undefined || process.getuid === undefined) return real;
  const { uid, mode } = fs.lstatSync(real);
  return uid === process.getuid() && (mode & 0o077) === 0 ? real : undefined;
}

/**
 * Returns a directory where this process can create names that no other user can replace: the system's directory for temporary files, or
 * else one of the user's own.
 *
 * @returns the real path; `undefined` when neither is safe.
 */
export function temporaryPlace(): string | undefined {
  return safePathOf(os.tmpdir()) ?? makePrivateDirectory(path.join(userCacheDirectory(), "temporary"));
}

/** Returns the platform's directory for caches of a user's programs. */
export function userCacheDirectory(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = homeDirectory();
  switch (platform) {
    case "win32":
      return path.join(absolute(env["LOCALAPPDATA"]) ?? path.join(home, "AppData", "Local"), "workrail");
    case "darwin":
      return path.join(home, "Library", "Caches", "workrail");
    default:
      return path.join(absolute(env["XDG_CACHE_HOME"]) ?? path.join(home, ".cache"), "workrail");
  }
}

function absolute(directory: string | undefined): string | undefined {
  return directory !== undefined && path.isAbsolute(directory) ? directory : undefined;
}

/**
 * Returns the real path of a directory if no other user can change its target: each part of the path, links included, belongs to this user
 * or to root, and other users can write to a directory only if the sticky bit protects its entries.
 *
 * @param make creates missing directories, owner-only.
 */
function safePathOf(directory: string, { make = false } = {}): string | undefined {
  try {
    // Windows has no modes: the access rules of the profile apply.
    if (process.getuid === undefined) {
      if (make) fs.mkdirSync(directory, { recursive: true });
      return fs.realpathSync(directory);
    }
    return walk(path.resolve(directory), make);
  } catch {
    // A directory that cannot be created or inspected is not used.
    return undefined;
  }
}

function walk(directory: string, make: boolean): string | undefined {
  const left = directory.split(path.sep).filter(Boolean);
  let at = path.parse(directory).root;
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const next = path.join(at, name);
    if (make && fs.lstatSync(next, { throwIfNoEntry: false }) === undefined) makeDirectory(next);
    const found = fs.lstatSync(next);
    if (!isTrusted(found)) return undefined;
    if (found.isSymbolicLink()) {
      links += 1;
      if (links > MOST_LINKS) return undefined;
      const target = fs.readlinkSync(next);
      if (path.isAbsolute(target)) at = path.parse(target).root;
      left.unshift(...target.split(path.sep).filter(Boolean));
    } else at = next;
  }
  return at;
}

function makeDirectory(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it; the caller inspects the result.
    if (!fs.existsSync(directory)) throw error;
  }
}

function isTrusted(found: fs.Stats): boolean {
  if (found.isSymbolicLink()) return isTrustedOwner(found.uid);
  if (!found.isDirectory()) return false;
  const isClosed = (found.mode & WRITABLE_BY_OTHERS) === 0 || (found.mode & STICKY) !== 0;
  return isClosed && (isTrustedOwner(found.uid) || isUnmapped(found.uid));
}

function isTrustedOwner(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.();
}

/**
 * Tells whether an owner is the overflow user id: in a sandbox with its own user ids, the system's directories belong to this id, which no
 * user of the sandbox can have.
 */
function isUnmapped(uid: number): boolean {
  if (process.platform !== "linux") return false;
  const [, , count] = fs.readFileSync("/proc/self/uid_map", "latin1").trim().split(/\s+/u).map(Number);
  const isSandbox = count !== undefined && count < 2 ** 32 - 1;
  return isSandbox && uid === Number(fs.readFileSync("/proc/sys/fs/overflowuid", "latin1"));
}
