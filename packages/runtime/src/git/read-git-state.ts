import path from "node:path";
import { calledBackFiles, directoriesUp, isWithin, readGivenFile, signatureFrom, signatureOf } from "@workrail/blob-files";
import type { GitState } from "@workrail/core";
import { parseGitConfig, remoteOf, remoteUrlOf } from "./git-config.ts";

/** Timeout of a read: files on a disk that does not respond must not delay a caller for long, and only one caller. */
const PATIENCE_MS = 2_000;
/** Git's small files; anything larger is some other file. */
const MAX_BYTES = 64 * 1024;
/** Parsed line by line, so a very long configuration would block other work. */
const MAX_CONFIG_BYTES = 1024 * 1024;
/** A packed list of refs may be long. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;

/** Directories of a repository. */
interface Repository {
  readonly root: string;
  /** Git directory of this working tree. */
  readonly gitDir: string;
  /** Git directory shared by all working trees. */
  readonly commonDir: string;
}

/** Reads branch, commit and remote of a directory from the repository's files, without starting a process. */
export class GitReader {
  readonly #directory: string | undefined;
  readonly #patienceMs: number;
  /** Number of reads that timed out and still run. */
  #late = 0;
  #known: { readonly files: WatchedFiles; readonly state: GitState | undefined } | undefined;

  constructor(directory: string | undefined, patienceMs: number = PATIENCE_MS) {
    this.#directory = directory;
    this.#patienceMs = patienceMs;
  }

  /** Reads the state. `undefined` outside of a repository, when its files cannot be read, or after the timeout. Never rejects. */
  async read(): Promise<GitState | undefined> {
    if (this.#directory === undefined || this.#late > 0) return undefined;
    // Unchanged files give the same state.
    if (this.#known?.files.areSame() === true) return this.#known.state;
    const reading = this.#read(this.#directory).catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(this.#outlive(reading)), this.#patienceMs).unref();
    });
    return Promise.race([reading, patience]).finally(() => clearTimeout(timer));
  }

  #outlive(reading: Promise<unknown>): undefined {
    this.#late += 1;
    void reading.then(() => (this.#late -= 1));
  }

  async #read(directory: string): Promise<GitState | undefined> {
    const files = new WatchedFiles();
    const state = await readGitState(directory, files);
    this.#known = { files, state };
    return state;
  }
}

async function readGitState(directory: string, files: WatchedFiles): Promise<GitState | undefined> {
  const repository = await locate(directory, files);
  if (repository === undefined) return undefined;
  const { root, gitDir, commonDir } = repository;
  const head = await files.read(gitDir, path.join(gitDir, "HEAD"));
  if (head === undefined) return undefined;
  const ref = refIn(head);
  const branch = ref?.startsWith("refs/heads/") === true && isSound(ref) ? ref.slice("refs/heads/".length) : undefined;
  const [commit, configText = ""] = await Promise.all([
    ref === undefined ? commitIn(head) : resolve(repository, ref, files),
    files.read(commonDir, path.join(commonDir, "config"), MAX_CONFIG_BYTES),
  ]);
  const config = parseGitConfig(configText);
  const url = remoteUrlOf(config, branch);
  const remote = url === undefined ? undefined : remoteOf(url);
  // Callers run git on a repository with a state, and git would block on the special file that was skipped here.
  if (files.hasTrap) return undefined;
  return {
    root,
    commonDir,
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
    ...(remote === undefined ? {} : { remote }),
  };
}

async function locate(directory: string, files: WatchedFiles): Promise<Repository | undefined> {
  for (const root of directoriesUp(directory)) {
    const dotGit = path.join(root, ".git");
    const own = await files.directory(dotGit, root);
    if (own !== undefined) return { root, gitDir: own, commonDir: own };
    const link = /^gitdir: ([^\n]+?)\s*$/u.exec((await files.read(root, dotGit)) ?? "")?.[1];
    if (link === undefined) continue;
    const gitDir = await named(root, link, files);
    if (gitDir === undefined) return undefined;
    // A submodule has its own directory, shared with no other tree.
    const shared = (await files.read(gitDir, path.join(gitDir, "commondir")))?.trim();
    const commonDir = shared === undefined ? gitDir : await named(gitDir, shared, files);
    return commonDir === undefined ? undefined : { root, gitDir, commonDir };
  }
  return undefined;
}

/** Resolves a directory that a git file names. UNC paths are refused: opening one would send this user's identity to another machine. */
async function named(folder: string, name: string, files: WatchedFiles): Promise<string | undefined> {
  if (/^[\\/]{2}/u.test(name)) return undefined;
  return files.directory(path.resolve(folder, name));
}

/** Most steps through symbolic refs. */
const MOST_STEPS = 5;

async function resolve({ gitDir, commonDir }: Repository, name: string, files: WatchedFiles): Promise<string | undefined> {
  let ref: string | undefined = name;
  for (let steps = 0; ref !== undefined && isSound(ref) && steps < MOST_STEPS; steps++) {
    const isOwn = /^refs\/(?:worktree|bisect|rewritten)\//u.test(ref);
    const home = isOwn ? gitDir : commonDir;
    const loose = await files.read(home, path.join(home, ...ref.split("/")));
    if (loose === undefined) return packed(ref, (await files.read(commonDir, path.join(commonDir, "packed-refs"), MAX_LIST_BYTES)) ?? "");
    const commit = commitIn(loose);
    if (commit !== undefined) return commit;
    ref = refIn(loose);
  }
  return undefined;
}

function packed(ref: string, list: string): string | undefined {
  const at = list.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : commitIn(list.slice(list.lastIndexOf("\n", at) + 1, at));
}

function refIn(text: string): string | undefined {
  return /^ref: ([^\n]+?)\s*$/u.exec(text)?.[1];
}

function commitIn(text: string): string | undefined {
  return /^([0-9a-f]{64}|[0-9a-f]{40})\s*$/u.exec(text)?.[1];
}

/**
 * Checks a ref by git's own rules, so that it cannot lead out of the repository. A repository that stores refs elsewhere has `.invalid` as
 * its ref.
 */
function isSound(ref: string): boolean {
  return ref.startsWith("refs/") && ref.length <= 500 && !/[\p{Cc}\p{Cf} \\:?*[^~]|\.\.|\/\.|\/\/|\/$/u.test(ref);
}

/** Reads files and remembers their signatures, to tell without reading whether any was changed, created or removed. */
class WatchedFiles {
  readonly #seen = new Map<string, string | undefined>();
  #hasTrap = false;

  /** True when a pipe, a device or the like stood in place of a file: git would block on it. */
  get hasTrap(): boolean {
    return this.#hasTrap;
  }

  /**
   * Reads the text of a regular file within the size limit. `undefined` for anything else, or an unreadable file.
   *
   * @param folder links must not lead out of this folder.
   */
  async read(folder: string, file: string, maxBytes: number = MAX_BYTES): Promise<string | undefined> {
    await this.#look(file);
    const read = await readGivenFile(folder, file, { maxBytes });
    if ("bytes" in read) return read.bytes.toString("utf8");
    if (read.refused === "not-a-file" || read.refused === "too-slow") this.#hasTrap = true;
    return undefined;
  }

  /**
   * Returns the real path of a directory; `undefined` for anything else.
   *
   * @param folder links must not lead out of this folder. Default: anywhere.
   */
  async directory(directory: string, folder?: string): Promise<string | undefined> {
    await this.#look(directory);
    try {
      const { realpath, lstat } = calledBackFiles;
      const real = await realpath(directory);
      if (folder !== undefined && !isWithin(await realpath(folder), real)) return undefined;
      return (await lstat(real)).isDirectory() ? real : undefined;
    } catch {
      // An unreadable directory counts as missing.
      return undefined;
    }
  }

  /** Tells whether all files are unchanged. Synchronous: it takes microseconds, less than a thread pool round trip per file. */
  areSame(): boolean {
    return [...this.#seen].every(([file, was]) => was !== CHANGING && signatureOf(file) === was);
  }

  /** Remembers the signature of a file. Git replaces files instead of writing into them, so a change gives a new inode. */
  async #look(file: string): Promise<void> {
    const found = await calledBackFiles.lstat(file).catch(() => undefined);
    // The target of a link is not checked here: that could block forever.
    this.#seen.set(path.normalize(file), found?.isSymbolicLink() === true ? CHANGING : signatureFrom(found));
  }
}

/** Signature that never equals another. */
const CHANGING = "changing";
