import path from "node:path";
import { type BackupContents, type BackupTarget, type SessionFacts, WorkrailError } from "@workrail/core";
import { type BackupFile, manifestText, sha256 } from "./backup-manifest.ts";
import { writeDurably } from "./durable-files.ts";
import { FileBlobStore } from "./file-blob-store.ts";
import { FileKeyFiles } from "./file-key-files.ts";
import { fileError } from "./file-errors.ts";
import { hasCode } from "./error-codes.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { NewDirectory } from "./new-directory.ts";
import { BACKUP_MANIFEST, backupPath, CONTEXTS } from "./paths.ts";
import { realPathOf } from "./real-path.ts";
import { SessionFactsFiles } from "./session-facts-files.ts";

export interface BackupDirectoryOptions {
  /** Absolute path. Must be missing or empty. */
  readonly directory: string;
  /** Data directory of the store; a backup inside of it would be lost with it. */
  readonly dataDir: string | undefined;
  /** Default: the real file system. */
  readonly fs?: FileSystem;
}

/** A backup as a directory: a data directory without a catalog, and `backup.json`. The directory gets its name once it is complete. */
export class BackupDirectory implements BackupTarget {
  readonly blobs: FileBlobStore;
  readonly keyFiles: FileKeyFiles;
  readonly #facts: SessionFactsFiles;
  readonly #directory: NewDirectory;
  readonly #fs: FileSystem;

  /** @throws INVALID_INPUT for an impossible path; STORAGE_UNAVAILABLE. */
  static async create({ directory, dataDir, fs = nodeFileSystem }: BackupDirectoryOptions): Promise<BackupDirectory> {
    try {
      if (dataDir !== undefined && isInside(directory, dataDir)) throw inStore(directory);
      const target = new BackupDirectory(NewDirectory.create(directory, "backup", fs), fs);
      await target.blobs.ensureDirectory(path.join(target.#directory.path, CONTEXTS));
      return target;
    } catch (error) {
      throw fileError(error, directory);
    }
  }

  private constructor(directory: NewDirectory, fs: FileSystem) {
    this.#directory = directory;
    this.#fs = fs;
    this.blobs = new FileBlobStore(directory.path, fs);
    this.keyFiles = new FileKeyFiles(directory.path, fs, (each) => this.blobs.ensureDirectory(each));
    this.#facts = new SessionFactsFiles(directory.path, fs, (each) => this.blobs.ensureDirectory(each));
  }

  async writeFacts(facts: SessionFacts): Promise<void> {
    try {
      await this.#facts.write(facts);
    } catch (error) {
      throw fileError(error, this.#directory.path);
    }
  }

  async finish({ createdAt, ...contents }: BackupContents): Promise<void> {
    try {
      const manifest = { createdAt: createdAt.toISOString(), ...contents, files: await this.#files() };
      const file = path.join(this.#directory.path, BACKUP_MANIFEST);
      await writeDurably(this.#fs, file, { bytes: Buffer.from(manifestText(manifest)), mode: "new" });
      await this.#directory.publish();
    } catch (error) {
      throw fileError(error, this.#directory.path);
    }
  }

  async discard(): Promise<void> {
    this.#directory.discard();
  }

  /** Returns the files as they are on disk now. */
  async #files(): Promise<readonly BackupFile[]> {
    const files: BackupFile[] = [];
    for (const name of this.#namesBelow(CONTEXTS)) {
      const bytes = await this.#fs.read(path.join(this.#directory.path, ...name.split("/")));
      if (bytes !== undefined) files.push({ path: name, sizeBytes: bytes.length, sha256: sha256(bytes) });
    }
    return files;
  }

  #namesBelow(directory: string): readonly string[] {
    const full = path.join(this.#directory.path, ...directory.split("/"));
    const names = this.#fs
      .list(full)
      .toSorted()
      .map((name) => `${directory}/${name}`);
    return names.flatMap((name) => {
      const kind = this.#fs.inspect(path.join(this.#directory.path, ...name.split("/")))?.kind;
      if (kind === "directory") return this.#namesBelow(name);
      // The system may add files of its own, such as `.DS_Store`, which are not restored.
      return backupPath(this.#directory.path, name) === undefined ? [] : [name];
    });
  }
}

function isInside(directory: string, outer: string): boolean {
  const way = path.relative(realPath(outer), realPath(directory));
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Resolves all links in the existing part of a path. */
function realPath(name: string): string {
  try {
    return realPathOf(name);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || path.dirname(name) === name) throw error;
    return path.join(realPath(path.dirname(name)), path.basename(name));
  }
}

function inStore(directory: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A backup inside of the data directory would be lost with it.", {
    details: { path: directory },
    hint: "Name a directory elsewhere, best on another disk.",
  });
}
