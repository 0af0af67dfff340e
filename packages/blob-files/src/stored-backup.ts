import { existsSync } from "node:fs";
import path from "node:path";
import { WorkrailError } from "@workrail/core";
import { type BackupFile, type BackupManifest, parseManifest, sha256 } from "./backup-manifest.ts";
import { writeDurably } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { BACKUP_MANIFEST, backupPath } from "./paths.ts";

/** Most damaged files that an error names. */
const MOST_NAMED = 20;

/** Number of files of a backup that were read, to check or copy them. */
export interface StoredBackupProgress {
  readonly phase: "check" | "copy";
  readonly done: number;
  readonly total: number;
}

type OnProgress = (progress: StoredBackupProgress) => void;

interface Reading {
  readonly fs: FileSystem;
  readonly onProgress: OnProgress | undefined;
}

/** An existing backup, for reading. */
export class StoredBackup {
  readonly directory: string;
  readonly manifest: BackupManifest;
  readonly #fs: FileSystem;
  readonly #onProgress: OnProgress | undefined;

  /**
   * @param onProgress called after each file.
   * @throws INVALID_INPUT for a directory without `backup.json`; CHECKPOINT_CORRUPT, UNSUPPORTED_VERSION; STORAGE_UNAVAILABLE.
   */
  static async open(directory: string, fs: FileSystem = nodeFileSystem, onProgress?: OnProgress): Promise<StoredBackup> {
    const file = path.join(directory, BACKUP_MANIFEST);
    try {
      const bytes = fs.inspect(file)?.kind === "file" ? await fs.read(file) : undefined;
      if (bytes === undefined) throw noBackup(directory);
      return new StoredBackup(directory, parseManifest(Buffer.from(bytes).toString("utf8")), { fs, onProgress });
    } catch (error) {
      throw fileError(error, file);
    }
  }

  private constructor(directory: string, manifest: BackupManifest, { fs, onProgress }: Reading) {
    this.directory = directory;
    this.manifest = manifest;
    this.#fs = fs;
    this.#onProgress = onProgress;
  }

  /** Reads and checks all files. @throws CHECKPOINT_CORRUPT when a file is missing or changed. */
  async check(): Promise<void> {
    const wrong: string[] = [];
    for (const [index, file] of this.manifest.files.entries()) {
      if ((await this.#read(file)) === undefined) wrong.push(file.path);
      this.#tell("check", index + 1);
    }
    if (wrong.length > 0) throw damaged(this.directory, wrong);
  }

  /** Copies `contexts/` of the backup to a new directory. Everything is on disk when it resolves. */
  async copyContexts(to: string): Promise<void> {
    const made = new Set<string>();
    const ensure = async (directory: string): Promise<void> => {
      if (made.has(directory)) return;
      this.#fs.makeDirectory(directory);
      await this.#fs.syncDirectory(path.dirname(directory));
      made.add(directory);
    };
    await ensure(to);
    for (const [index, file] of this.manifest.files.entries()) {
      const bytes = await this.#read(file);
      if (bytes === undefined) throw damaged(this.directory, [file.path]);
      const copy = path.join(to, ...file.path.split("/").slice(1));
      await ensure(path.dirname(copy));
      await writeDurably(this.#fs, copy, { bytes, mode: "new" });
      this.#tell("copy", index + 1);
    }
  }

  #tell(phase: StoredBackupProgress["phase"], done: number): void {
    this.#onProgress?.({ phase, done, total: this.manifest.files.length });
  }

  /** Returns `undefined` when the file is not the one that was backed up. */
  async #read({ path: name, sizeBytes, sha256: digest }: BackupFile): Promise<Uint8Array | undefined> {
    const file = backupPath(this.directory, name);
    if (file === undefined) return undefined;
    try {
      const bytes = this.#fs.inspect(file)?.kind === "file" ? await this.#fs.read(file) : undefined;
      return bytes?.length === sizeBytes && sha256(bytes) === digest ? bytes : undefined;
    } catch (error) {
      throw fileError(error, file);
    }
  }
}

function noBackup(directory: string): WorkrailError {
  const reason = existsSync(directory) ? `it has no ${BACKUP_MANIFEST}` : "it does not exist";
  return new WorkrailError("INVALID_INPUT", `${directory} is no backup: ${reason}.`, {
    details: { path: directory },
    hint: "Name a directory that `workrail backup` made. A data directory can be used as it is, with --data-dir.",
  });
}

function damaged(directory: string, files: readonly string[]): WorkrailError {
  const count = files.length;
  return new WorkrailError("CHECKPOINT_CORRUPT", `The backup is damaged: ${count} of its files are missing or changed.`, {
    details: { path: directory, count, files: files.slice(0, MOST_NAMED) },
    hint: "Use another backup. To recover its readable checkpoints, use a copy of it as a data directory, without backup.json.",
  });
}
