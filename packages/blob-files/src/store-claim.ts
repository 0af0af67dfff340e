import nodeFs from "node:fs";
import type { Server } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Log, WorkrailError } from "@workrail/core";
import { ensureOwnDirectory } from "./data-directory.ts";
import { removeIfPresent } from "./durable-files.ts";
import { hasCode } from "./error-codes.ts";
import { elapsedMs, type FileSystem } from "./file-system.ts";
import { OPEN } from "./paths.ts";
import { makePrivateDirectory } from "./private-place.ts";

/** Kind of catalog. Processes of one kind may share a store; processes of different kinds never do. */
export type CatalogKind = "sqlite" | "files";

export interface StoreClaimOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly log: Log;
  readonly kind: CatalogKind;
  /** Kinds that must not have the store open at the same time. */
  readonly excludes: readonly CatalogKind[];
  /** Longest time to wait until they have ended. */
  readonly waitMs: number;
}

/** Longest socket path that every system allows, with the terminating byte. */
const LONGEST_ADDRESS = 104;
const FIRST_PAUSE_MS = 20;
/** Bounded because on macOS a stopped process that accepts no connections refuses more after one or two hundred, as if it were dead. */
const LONGEST_PAUSE_MS = 250;
/** Markers of the own kind up to this number are not checked: each check takes a tenth of a millisecond at opening. */
const MOST_UNASKED = 16;

/**
 * Announces that this process has a store open, until the process ends in any way: a socket in `open/`, or a named pipe on Windows. A
 * process that accepts a connection is alive; no data is exchanged. Names are never reused, so that a new claim is not mistaken for the
 * remains of a dead process.
 *
 * A claim is made before others are checked: of two conflicting processes that start together, at least one sees the other.
 */
export class StoreClaim {
  readonly #marker: string;
  readonly #server: Server;
  readonly #fs: FileSystem;

  /**
   * Resolves when no process of an excluded kind has the store open.
   *
   * @returns `undefined` when no socket can be created, for a kind that does not need one because it shares the store by another lock.
   * @throws STORE_IN_USE after `waitMs`; Node's errors.
   */
  static async take(options: StoreClaimOptions): Promise<StoreClaim | undefined> {
    const { fs, kind, excludes, waitMs } = options;
    const directory = path.join(options.dataDir, OPEN);
    ensureOwnDirectory(fs, directory);
    const deadline = elapsedMs() + waitMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
      if (!(await isTaken(fs, directory, { kinds: excludes }))) {
        const claim = await StoreClaim.#announce(fs, directory, kind).catch((error: unknown) => withoutSocket(error, options));
        if (claim === undefined) return undefined;
        if (await claim.#isAlone(directory, excludes)) {
          await claim.#removeDead(directory, options);
          return claim;
        }
      }
      if (elapsedMs() > deadline) throw inUse();
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  /**
   * Runs `open`, and holds the claim until the result is closed, or fails to open.
   *
   * @throws as `take`; errors of `open`.
   */
  static async holding<T extends { close(): Promise<void> }>(options: StoreClaimOptions, open: () => Promise<T>): Promise<T> {
    const claim = await StoreClaim.take(options);
    try {
      const opened = await open();
      return { ...opened, close: () => opened.close().finally(() => claim?.release()) };
    } catch (error) {
      claim?.release();
      throw error;
    }
  }

  static async #announce(files: FileSystem, directory: string, kind: CatalogKind): Promise<StoreClaim> {
    const marker = newMarker(directory, kind);
    const address = addressOf(marker);
    if (address !== marker && process.platform !== "win32") makeSocketDirectory(path.dirname(address));
    // A socket has its name before it accepts connections, and must not be found until then.
    const isMarker = address === marker;
    const first = isMarker ? path.join(directory, `.${path.basename(marker).slice(-8)}`) : address;
    const server = await listen(first);
    const claim = new StoreClaim(files, marker, server);
    try {
      if (isMarker) {
        nodeFs.chmodSync(first, 0o600);
        files.rename(first, marker);
      } else files.close(files.create(marker));
    } catch (error) {
      claim.release();
      throw error;
    }
    return claim;
  }

  private constructor(files: FileSystem, marker: string, server: Server) {
    this.#fs = files;
    this.#marker = marker;
    this.#server = server;
  }

  /** May be called twice. */
  release(): void {
    this.#server.close();
    try {
      removeIfPresent(this.#fs, this.#marker);
    } catch {
      // No process answers there any more: the next process detects and removes it.
    }
  }

  /** Removes markers of dead processes of the own kind, which are otherwise never checked. Each killed process leaves one. */
  async #removeDead(directory: string, { kind, log }: StoreClaimOptions): Promise<void> {
    try {
      const alike = this.#fs.list(directory).filter((name) => name.startsWith(`${kind}-`));
      if (alike.length > MOST_UNASKED) for (const name of alike) await isLive(this.#fs, path.join(directory, name));
    } catch (error) {
      // They are harmless: the next opening tries again.
      log.debug("cannot remove what killed processes left", { directory, error: String(error) });
    }
  }

  /** Tells whether no excluded process is there. Otherwise, or when that cannot be determined, releases the claim. */
  async #isAlone(directory: string, excludes: readonly CatalogKind[]): Promise<boolean> {
    let isAlone = false;
    try {
      isAlone = !(await isTaken(this.#fs, directory, { kinds: excludes, own: this.#marker }));
      return isAlone;
    } finally {
      if (!isAlone) this.release();
    }
  }
}

/** Returns a unique number. Not a secret, so Node's cryptography need not be loaded. */
function sixteenDigits(): string {
  const eight = (): string =>
    Math.trunc(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return eight() + eight();
}

interface Rivals {
  readonly kinds: readonly CatalogKind[];
  /** Marker that does not count. */
  readonly own?: string;
}

/** Tells whether a process of these kinds has the store open. */
async function isTaken(fs: FileSystem, directory: string, { kinds, own }: Rivals): Promise<boolean> {
  for (const name of fs.list(directory)) {
    const marker = path.join(directory, name);
    if (marker === own || !kinds.some((kind) => name.startsWith(`${kind}-`))) continue;
    if (await isLive(fs, marker)) return true;
  }
  return false;
}

/** Tells whether the process of a marker is alive. Removes the marker of a dead one. */
async function isLive(fs: FileSystem, marker: string): Promise<boolean> {
  const address = addressOf(marker);
  if (await answers(address)) return true;
  removeIfPresent(fs, marker);
  if (process.platform !== "win32") removeIfPresent(fs, address);
  return false;
}

/**
 * Returns a new marker. Its name contains the user id when the socket must be elsewhere, so that others can find the socket's directory.
 */
function newMarker(directory: string, kind: CatalogKind): string {
  const marker = path.join(directory, `${kind}-${sixteenDigits()}`);
  return process.getuid === undefined || isShort(marker) ? marker : `${marker}-${process.getuid()}`;
}

/**
 * Returns the address of a marker's socket: the marker itself if its path is short enough, else a socket in a directory of the marker's
 * user, with an empty marker.
 */
function addressOf(marker: string): string {
  const name = path.basename(marker);
  if (process.platform === "win32") return `\\\\.\\pipe\\workrail-${name}`;
  return isShort(marker) ? marker : path.join("/tmp", `workrail-${name.slice(name.lastIndexOf("-") + 1)}`, name);
}

function isShort(marker: string): boolean {
  return Buffer.byteLength(marker) < LONGEST_ADDRESS;
}

/** @throws EACCES when another user has created the directory, or can change it. */
function makeSocketDirectory(directory: string): void {
  if (makePrivateDirectory(directory) !== undefined) return;
  throw Object.assign(new Error(`EACCES: ${directory} is not this user's alone`), { code: "EACCES" });
}

/** Sockets load slowly, and a program that only imports the library needs none. */
async function listen(address: string): Promise<Server> {
  const { createServer } = await import("node:net");
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(address, () => {
      // A claim does not keep the process running.
      server.unref();
      resolve(server);
    });
  });
}

/** Tells whether a process listens. Only errors that prove the absence of a listener count as dead; others may come from a busy one. */
async function answers(address: string): Promise<boolean> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => resolve(!hasCode(error, "ECONNREFUSED", "ENOENT", "ENOTSOCK")));
  });
}

/** Handles a failed socket: not every file system, and not every sandbox, has sockets. */
function withoutSocket(error: unknown, { kind, log, dataDir }: StoreClaimOptions): undefined {
  if (kind === "files") throw error;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  log.debug("cannot tell processes without SQLite that the store is open", { dataDir, code });
}

function inUse(): WorkrailError {
  return new WorkrailError("STORE_IN_USE", "Another process has the store open, and a store without SQLite cannot be shared.", {
    hint: "Stop the other Workrail servers and commands that use this data directory, or have all of them use SQLite.",
  });
}
