import fs from "node:fs/promises";
import path from "node:path";
import { fileNameOf, makeDirectories } from "@workrail/blob-files";
import {
  CHECKPOINT_KINDS,
  type Clock,
  type ImportConflictPolicy,
  isWorkrailError,
  type SessionId,
  WorkrailError,
  queryCheckpoints,
} from "@workrail/core";
import {
  countCheckpoints,
  type ExportOptions,
  type ExportPorts,
  type ExportProgress,
  exportSession,
  sessionToExport,
  importSession,
  type ImportPorts,
  type ImportReport,
  noteExport,
  type UnreadableInExport,
} from "@workrail/transfer";
import { readText, readTextFile } from "./read-text-file.ts";
import { cannotWrite, removeOldTemporaries, writeNewFile } from "./write-new-file.ts";

export interface ExportResult {
  readonly sessionId: string;
  /** Absolute path of the file. */
  readonly file: string;
  readonly sizeBytes: number;
  /** Checkpoints that could not be read. The file names them, and holds all others. */
  readonly unreadable: readonly UnreadableInExport[];
}

export interface ExportAllOptions {
  /** Cancels the export: it rejects with the signal's reason and removes the unfinished file. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each checkpoint. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

export interface ExportSessionOptions extends ExportAllOptions {
  /**
   * A new file, or a folder in which the file is named `{workflow or session}-{date}.json`. Default: the folder `exports` of the data
   * directory.
   */
  readonly file?: string | undefined;
}

export interface ExportAllResult {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** One for each session. */
  readonly exports: readonly ExportResult[];
}

/** A text in pieces, as strings or UTF-8 bytes. */
export type ImportedText = AsyncIterable<Uint8Array | string>;

export interface ImportTextOptions {
  /** Behaviour when the store already has the session. Default `skip`. */
  readonly onConflict?: ImportConflictPolicy | undefined;
  /** Reports the effect without importing. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

export interface ImportTextResult extends ImportReport {
  readonly dryRun: boolean;
}

export interface ImportFileOptions extends ImportTextOptions {
  /** Called after each chunk of the file. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** Progress of an import, which reads the file once to validate it and once to write its content. */
export interface ImportProgress {
  readonly phase: "prove" | "write";
  /** Bytes of the file. */
  readonly done: number;
  readonly total: number;
}

export interface ImportFileResult extends ImportTextResult {
  /** Absolute path of the file. */
  readonly file: string;
}

const LONGEST_STEM = 150;

/** Records read at once when looking for the name of a workflow. */
const PAGE = 100;

/** Exports sessions to files, and imports them. */
export class Transfer {
  readonly #ports: ExportPorts & ImportPorts & { readonly clock: Clock };
  /** Default folder of exports. */
  readonly #folder: string | undefined;

  constructor(ports: ExportPorts & ImportPorts, dataDir: string | undefined) {
    this.#ports = ports;
    this.#folder = dataDir === undefined ? undefined : path.join(dataDir, "exports");
  }

  async exportSession(sessionId: SessionId, { file, ...watch }: ExportSessionOptions = {}): Promise<ExportResult> {
    await sessionToExport(this.#ports, sessionId);
    return this.#export(sessionId, await this.#names(sessionId, file), watch);
  }

  /** Yields an export as text. An interrupted export has also left the store, so the audit log records that it was incomplete. */
  async *exportText(sessionId: SessionId, options: ExportOptions): AsyncGenerator<string, void, undefined> {
    let isBegun = false;
    let isWhole = false;
    try {
      for await (const piece of exportSession(this.#ports, sessionId, options)) {
        isBegun = true;
        yield piece;
      }
      isWhole = true;
    } finally {
      if (isBegun) await noteExport(this.#ports, sessionId, { isWhole });
    }
  }

  async exportAll(given?: string, { onProgress, signal }: ExportAllOptions = {}): Promise<ExportAllResult> {
    const folder = given === undefined ? await this.#ownFolder() : makeFolder(path.resolve(given));
    const exports: ExportResult[] = [];
    const sessions = await countCheckpoints(this.#ports);
    const total = sum(sessions.values());
    let before = 0;
    for (const [sessionId, checkpoints] of sessions) {
      const tell = onProgress && (({ done }: ExportProgress) => onProgress({ done: Math.min(before + done, total), total }));
      const names = this.#namesIn(folder, await this.#stemFor(sessionId));
      const result = await this.#export(sessionId, names, { onProgress: tell, signal }).catch(ignoreVanished);
      if (result !== undefined) exports.push(result);
      before += checkpoints;
    }
    return { folder, exports };
  }

  /** Removes old leftovers of interrupted exports from the data directory. */
  async removeLeftovers(): Promise<void> {
    if (this.#folder !== undefined) await removeOldTemporaries(this.#folder, this.#ports.clock);
  }

  async #export(sessionId: SessionId, names: Iterable<string>, { onProgress, signal }: ExportAllOptions): Promise<ExportResult> {
    const unreadable: UnreadableInExport[] = [];
    const text = exportSession(this.#ports, sessionId, { onUnreadable: (each) => unreadable.push(each), onProgress });
    const written = await writeNewFile(names, until(signal, text));
    try {
      await noteExport(this.#ports, sessionId, { isWhole: true });
    } catch (error) {
      await fs.rm(written.file, { force: true });
      throw error;
    }
    return { sessionId, ...written, unreadable };
  }

  /** Imports a text that can be read only once. It is kept in memory, because everything is validated before anything is written. */
  async importText(text: ImportedText, { onConflict, dryRun = false }: ImportTextOptions): Promise<ImportTextResult> {
    const pieces: string[] = [];
    for await (const piece of readText(text, "The export")) pieces.push(piece);
    return { dryRun, ...(await importSession(this.#ports, { source: () => eachOf(pieces), onConflict, dryRun })) };
  }

  async importFile(given: string, { onConflict, dryRun = false, onProgress }: ImportFileOptions): Promise<ImportFileResult> {
    const file = path.resolve(given);
    // Other than a regular file, such as a pipe, can be read only once.
    const isReadTwice = (await fs.stat(file).catch(() => undefined))?.isFile() !== false;
    let readings = 0;
    const source = (): AsyncIterable<string> => {
      const phase = readings++ === 0 ? "prove" : "write";
      return readTextFile(file, onProgress && ((counts) => onProgress({ phase, ...counts })));
    };
    try {
      if (!isReadTwice) return { file, ...(await this.importText(source(), { onConflict, dryRun })) };
      return { file, dryRun, ...(await importSession(this.#ports, { source, onConflict, dryRun })) };
    } catch (error) {
      throw inFile(file, error);
    }
  }

  /** Names an export after the newest workflow of the session, or else after the session. */
  async #stemFor(sessionId: SessionId): Promise<string> {
    const { catalog, locking } = this.#ports;
    const filter = { sessionId, kinds: CHECKPOINT_KINDS };
    return locking.shared(async () => {
      for (let offset = 0; ; offset += PAGE) {
        const { records } = await queryCheckpoints(catalog, { filter, limit: PAGE, offset });
        const stem = records.map(({ workflowId }) => stemOf(workflowId ?? "")).find((each) => each !== "");
        if (stem !== undefined || records.length < PAGE) return stem ?? stemOfSession(sessionId);
      }
    });
  }

  /** Returns the candidate names of a file. In a given folder they are the same as in the data directory. */
  async #names(sessionId: SessionId, given: string | undefined): Promise<Iterable<string>> {
    if (given !== undefined && !(await isFolder(given))) return [path.resolve(given)];
    const folder = given === undefined ? await this.#ownFolder() : makeFolder(path.resolve(given));
    return this.#namesIn(folder, await this.#stemFor(sessionId));
  }

  /** Returns the default folder. Links are not followed inside of the data directory. */
  async #ownFolder(): Promise<string> {
    if (this.#folder === undefined) throw placeMissing();
    makeFolder(this.#folder);
    if ((await fs.lstat(this.#folder)).isDirectory()) {
      await this.removeLeftovers();
      return this.#folder;
    }
    throw new WorkrailError("INVALID_INPUT", `${this.#folder} is a symbolic link, which is not followed.`, {
      details: { path: this.#folder },
      hint: "Name the file or the folder itself.",
    });
  }

  /** Yields `x-2026-01-31.json`, then `x-2026-01-31-2.json` and so on without end, because one of them is free. */
  #namesIn(folder: string, stem: string): Iterable<string> {
    return namesIn(folder, stem, this.#ports.clock.now());
  }
}

/** Yields candidate names of an export without end. */
export function namesIn(folder: string, stem: string, now: Date): Iterable<string> {
  const start = path.join(folder, `${stem}-${now.toISOString().slice(0, 10)}`);
  return {
    *[Symbol.iterator]() {
      yield `${start}.json`;
      for (let count = 2; ; count++) yield `${start}-${count}.json`;
    },
  };
}

export function placeMissing(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "This store has no data directory, so the target of an export must be named.", {
    details: { field: "file" },
    hint: "Name a file, or a folder for all sessions.",
  });
}

/** Tells whether a path names a folder. A trailing separator means a folder, even if it does not exist. */
export async function isFolder(given: string): Promise<boolean> {
  if (/[\\/]$/u.test(given)) return true;
  return (await fs.stat(given).catch(() => undefined))?.isDirectory() === true;
}

export async function* until(signal: AbortSignal | undefined, text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  signal?.throwIfAborted();
  for await (const piece of text) {
    yield piece;
    signal?.throwIfAborted();
  }
}

async function* eachOf(pieces: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* pieces;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0);
}

/** Ignores a session that was removed after the sessions were listed. */
function ignoreVanished(error: unknown): undefined {
  if (!isWorkrailError(error) || error.code !== "SESSION_NOT_FOUND") throw error;
}

/** Reduces a name to characters that every file system allows. Empty when nothing is left. */
export function stemOf(workflowId: string): string {
  return workflowId
    .replaceAll(/[^A-Za-z0-9._-]+/gu, "_")
    .replaceAll(/^[._-]+|[._-]+$/gu, "")
    .slice(0, LONGEST_STEM);
}

/** Returns the session id as a file name; most ids are used unchanged. */
export function stemOfSession(sessionId: SessionId): string {
  return /^[A-Za-z0-9_-]+$/u.test(sessionId) ? sessionId : fileNameOf(sessionId);
}

/** Adds the file to an error that does not name one. */
export function inFile(file: string, error: unknown): unknown {
  if (!isWorkrailError(error) || error.retryable || error.details["path"] !== undefined) return error;
  const { code, message, details, hint } = error;
  return new WorkrailError(code, `${file}: ${message}`, {
    details: { ...details, path: file },
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

export function makeFolder(folder: string): string {
  try {
    makeDirectories(folder);
    return folder;
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}
