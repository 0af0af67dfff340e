import nodeFs from "node:fs";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Log, WorkrailError } from "@workrail/core";
import { ensureOwnDirectory } from "./data-directory.ts";
import { removeIfPresent } from "./durable-files.ts";
import { elapsedMs } from "./elapsed-ms.ts";
import { hasCode } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { OPEN } from "./paths.ts";
import { makePrivateDirectory } from "./private-place.ts";

/** What keeps the catalog: those that do it in one way may know how to share the store, those of two ways never do. */
export type CatalogKind = "sqlite" | "files";

export interface StoreClaimOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly log: Log;
  readonly kind: CatalogKind;
  /** Those that must not have the store open at the same time. */
  readonly excludes: readonly CatalogKind[];
  /** How long to wait until they are gone. */
  readonly waitMs: number;
}

/** The longest path that every system lets a socket have, with the byte that ends it. */
const LONGEST_ADDRESS = 104;
const FIRST_PAUSE_MS = 20;
/** On macOS whoever is stopped and does not take its connections is refused further ones after a hundred or two, as if it were dead. */
const LONGEST_PAUSE_MS = 250;
/** As many of the same kind are let be: to ask each whether it lives takes whoever opens the store a tenth of a millisecond. */
const MOST_UNASKED = 16;

/**
 * Says that this process has a store open, in a way that ends with the process, however that ends: a socket in `open/`,
 * on Windows a named pipe, which nobody talks through. Whoever can be connected to lives. Names are never used twice, so
 * that nobody takes a new one for what a dead process left.
 *
 * A claim is made before the others are looked at: of two that exclude each other and come together, one sees the other.
 */
export class StoreClaim {
  readonly #marker: string;
  readonly #server: Server;
  readonly #fs: FileSystem;

  /**
   * Resolves when nobody has the store open that this kind excludes.
   *
   * @returns `undefined` where no socket can be made, for a kind that can do without: it shares with its own kind by
   *   another lock.
   * @throws STORE_IN_USE after `waitMs`; Node's errors.
   */
  static async take(options: StoreClaimOptions): Promise<StoreClaim | undefined> {
    const { fs, kind, excludes, waitMs } = options;
    const directory = path.join(options.dataDir, OPEN);
    ensureOwnDirectory(fs, directory);
    const deadline = elapsedMs() + waitMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
      if (!(await isTaken(fs, directory, excludes))) {
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
   * Opens what a claim is for, and holds the claim until that is closed, or fails to open.
   *
   * @throws as `take`; whatever `open` throws.
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
    // A socket has its name before it answers, and must not be found until then.
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
      // Nobody answers there any more: whoever comes next takes it for what it is, and removes it.
    }
  }

  /** Those of its own kind are never asked otherwise, and each process that is killed leaves one. */
  async #removeDead(directory: string, { kind, log }: StoreClaimOptions): Promise<void> {
    try {
      const alike = this.#fs.list(directory).filter((name) => name.startsWith(`${kind}-`));
      if (alike.length > MOST_UNASKED) for (const name of alike) await isLive(this.#fs, path.join(directory, name));
    } catch (error) {
      // They are in nobody's way: whoever opens the store next tries again.
      log.debug("cannot remove what killed processes left", { directory, error: String(error) });
    }
  }

  /** Whether nobody else is there; if somebody is, or it cannot be told, the claim is given up. */
  async #isAlone(directory: string, excludes: readonly CatalogKind[]): Promise<boolean> {
    let isAlone = false;
    try {
      isAlone = !(await isTaken(this.#fs, directory, excludes, this.#marker));
      return isAlone;
    } finally {
      if (!isAlone) this.release();
    }
  }
}

/** Such as nobody else has: not a secret, for which Node would load all of its cryptography. */
function sixteenDigits(): string {
  const eight = (): string =>
    Math.trunc(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return eight() + eight();
}

/** Whether somebody of these kinds has the store open. */
async function isTaken(fs: FileSystem, directory: string, kinds: readonly CatalogKind[], own?: string): Promise<boolean> {
  for (const name of fs.list(directory)) {
    const marker = path.join(directory, name);
    if (marker === own || !kinds.some((kind) => name.startsWith(`${kind}-`))) continue;
    if (await isLive(fs, marker)) return true;
  }
  return false;
}

/** Whether the process lives whose marker it is. What a dead one left is removed. */
async function isLive(fs: FileSystem, marker: string): Promise<boolean> {
  const address = addressOf(marker);
  if (await answers(address)) return true;
  removeIfPresent(fs, marker);
  if (process.platform !== "win32") removeIfPresent(fs, address);
  return false;
}

/** The name says whose the socket is where it cannot be the marker itself: whoever looks for it must know the directory. */
function newMarker(directory: string, kind: CatalogKind): string {
  const marker = path.join(directory, `${kind}-${sixteenDigits()}`);
  return process.getuid === undefined || isShort(marker) ? marker : `${marker}-${process.getuid()}`;
}

/** The marker itself where it can be a socket; else a socket in a directory of the user who made the marker, beside an empty marker. */
function addressOf(marker: string): string {
  const name = path.basename(marker);
  if (process.platform === "win32") return `\\\\.\\pipe\\workrail-${name}`;
  return isShort(marker) ? marker : path.join("/tmp", `workrail-${name.slice(name.lastIndexOf("-") + 1)}`, name);
}

function isShort(marker: string): boolean {
  return Buffer.byteLength(marker) < LONGEST_ADDRESS;
}

/** @throws EACCES when another user has made the directory, or can change it. */
function makeSocketDirectory(directory: string): void {
  if (makePrivateDirectory(directory) !== undefined) return;
  throw Object.assign(new Error(`EACCES: ${directory} is not this user's alone`), { code: "EACCES" });
}

function listen(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(address, () => {
      // A claim keeps no process alive.
      server.unref();
      resolve(server);
    });
  });
}

/** Only what surely has no listener is dead: an error that says something else may come from one that is busy. */
function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => resolve(!hasCode(error, "ECONNREFUSED", "ENOENT", "ENOTSOCK")));
  });
}

/** Not every file system, and not every sandbox, has sockets. */
function withoutSocket(error: unknown, { kind, log, dataDir }: StoreClaimOptions): undefined {
  if (kind === "files") throw error;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  log.debug("cannot tell processes without SQLite that the store is open", { dataDir, code });
}

function inUse(): WorkrailError {
  return new WorkrailError("STORE_IN_USE", "Another process has the store open, and it cannot be shared without SQLite.", {
    hint: "Stop the other Workrail servers and commands that use this data directory, or have all of them use SQLite.",
  });
}
