import path from "node:path";
import { fileError, type FileSystem, hasCode, isWithoutDirectorySync, nodeFileSystem, writeAll } from "@workrail/blob-files";
import { isWorkrailError, type NewTranscript, type TranscriptFiles, WorkrailError, type WrittenTranscript } from "@workrail/core";
import { findProjectRoot } from "./project-root.ts";

export interface FileTranscriptsOptions {
  /** Root of the project, when known. Default: found from `directory`. */
  readonly project?: string | undefined;
  /** Working directory. Used as the root when no project is found. */
  readonly directory: string;
  /** File system. Default: Node's. */
  readonly fs?: FileSystem | undefined;
}

/** Directory and its identity at the time of a check. */
interface Seen {
  readonly directory: string;
  readonly identity: string;
}

/**
 * Writes transcripts into a project, readable only by their owner.
 *
 * A name is claimed by creating its file, which fails for any existing name, even a dangling link. Processes therefore need no
 * lock on any file system, and a crash leaves no temporary name behind.
 */
export class FileTranscripts implements TranscriptFiles {
  readonly #options: FileTranscriptsOptions;
  readonly #fs: FileSystem;

  constructor(options: FileTranscriptsOptions) {
    this.#options = options;
    this.#fs = options.fs ?? nodeFileSystem;
  }

  in(project: string): FileTranscripts {
    return new FileTranscripts({ ...this.#options, project });
  }

  async write({ folders, names, text }: NewTranscript): Promise<WrittenTranscript> {
    const { directory, project = findProjectRoot(directory) } = this.#options;
    const root = path.resolve(project ?? directory);
    const seen = await this.#makeFolders(root, folders);
    const folder = seen.at(-1)?.directory ?? root;
    const { file, fd } = this.#claim(folder, names);
    await this.#fill({ file, fd, seen }, Buffer.from(text));
    return { file, filename: path.basename(file), isInProject: project !== undefined };
  }

  /** Creates the missing folders below the root, and returns all of them. */
  async #makeFolders(root: string, folders: readonly string[]): Promise<readonly Seen[]> {
    const seen: Seen[] = [];
    let parent = root;
    for (const name of folders) {
      const directory = path.join(parent, plainName(name, "folder"));
      await this.#onDisk("folder", directory, async () => {
        this.#fs.makeDirectory(directory);
        // Also syncs an existing folder: another process may have just created it without syncing it yet.
        await this.#syncNames(parent);
      });
      seen.push({ directory, identity: this.#look(directory) });
      parent = directory;
    }
    return seen;
  }

  /** Returns the identity of a directory. A link may lead anywhere and does not count as one. */
  #look(directory: string): string {
    const found = this.#fs.inspect(directory);
    if (found?.kind === "directory") return found.identity;
    const what = { file: "is a file", other: "is a link, which is not followed" };
    const reason = found?.kind === "other" ? "symbolic-link" : "wrong-kind-of-file";
    throw failure(found === undefined ? "was removed" : what[found.kind], { reason, step: "folder", path: directory });
  }

  /** Creates the file under the first free name. */
  #claim(folder: string, names: Iterable<string>): { readonly file: string; readonly fd: number } {
    for (const name of names) {
      const file = path.join(folder, plainName(name, "file"));
      try {
        return { file, fd: this.#fs.create(file) };
      } catch (error) {
        // Some systems report a link in place of the file as ELOOP, others as an existing name.
        if (!hasCode(error, "EEXIST", "ELOOP")) throw cannot("file", file, error);
      }
    }
    throw new WorkrailError("CONFLICT", `No name is free for the conversation in ${folder}`, {
      details: { step: "name", path: folder },
      hint: "Store it again in a second, or give another topic.",
    });
  }

  /** Writes the whole text to the disk, or removes the file. */
  async #fill({ file, fd, seen }: { file: string; fd: number; seen: readonly Seen[] }, bytes: Uint8Array): Promise<void> {
    try {
      try {
        for (const { directory, identity } of seen) {
          if (this.#look(directory) === identity) continue;
          throw failure("was replaced while the file was written", { reason: "other", step: "folder", path: directory });
        }
        writeAll(this.#fs, fd, bytes);
        await this.#fs.sync(fd);
      } finally {
        this.#fs.close(fd);
      }
      await this.#syncNames(path.dirname(file));
    } catch (error) {
      this.#remove(file);
      throw isWorkrailError(error) ? error : cannot("file", file, error);
    }
  }

  #remove(file: string): void {
    try {
      this.#fs.unlink(file);
    } catch {
      // The first failure is the one to report.
    }
  }

  async #syncNames(directory: string): Promise<void> {
    try {
      await this.#fs.syncDirectory(directory);
    } catch (error) {
      // Some file systems cannot sync directories, and a writable folder may be unreadable. The operating system then writes the entry
      // later.
      if (!hasCode(error, "EACCES") && !isWithoutDirectorySync(error)) throw error;
    }
  }

  async #onDisk(step: Step, at: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw cannot(step, at, error);
    }
  }
}

/** Step of the write that failed. */
type Step = "folder" | "file";

/** Checks that a generated name is plain, so that the file stays in its folder. */
function plainName(name: string, step: Step): string {
  if (/^[^/\\:\0]+$/u.test(name) && name !== "." && name !== "..") return name;
  throw new WorkrailError("INVALID_INPUT", "A transcript's names must be plain names", { details: { field: step } });
}

function cannot(step: Step, at: string, error: unknown): unknown {
  const known = fileError(error, at);
  if (!isWorkrailError(known) || !(error instanceof Error)) return error;
  const what = `cannot be ${step === "folder" ? "created" : "written"} (${String(known.details["code"])})`;
  return failure(what, { ...known.details, step, path: at }, error);
}

/** Hints for users, by the reason code that file system errors have throughout the product. */
const HINTS: Readonly<Record<string, string>> = {
  "disk-full": "Free space on the disk of the project, then try again.",
  quota: "Free space, or raise this user's disk quota, then try again.",
  "not-permitted": "Give this user write access to the project, or set WORKRAIL_PROJECT to another one.",
  "read-only": "Set WORKRAIL_PROJECT to a project on a writable file system.",
  "symbolic-link": "Remove the link: nothing is written outside of the project.",
  missing: "Check that the project exists.",
  "wrong-kind-of-file": "Remove or rename the file that has the name of the folder.",
};

type FailureDetails = WorkrailError["details"] & { readonly step: Step; readonly path: string };

function failure(what: string, details: FailureDetails, cause?: unknown): WorkrailError {
  const hint = HINTS[String(details["reason"])] ?? "Check the project and its disk.";
  return new WorkrailError("STORAGE_UNAVAILABLE", `${details.path} ${what}`, { details, hint, cause });
}
