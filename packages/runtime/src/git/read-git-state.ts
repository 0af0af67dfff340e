import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { directoriesUp } from "@workrail/blob-files";
import type { GitState } from "@workrail/core";
import { parseGitConfig, remoteOf, remoteUrlOf } from "./git-config.ts";
import { MAX_CONFIG_BYTES, MAX_LIST_BYTES, WatchedFiles } from "./watched-files.ts";

/** The longest that a caller waits: the files of a disk that does not answer must hold up nobody for long, and nobody twice. */
const PATIENCE_MS = 2_000;

/** Where a repository keeps what. */
interface Repository {
  readonly root: string;
  /** Of this working tree alone. */
  readonly gitDir: string;
  /** Of all of them. */
  readonly commonDir: string;
}

/** Tells where in a repository a directory stands, from the repository's files: no process is started. */
export class GitReader {
  readonly #directory: string | undefined;
  readonly #patienceMs: number;
  /** Reads that nobody waits for any more. */
  #late = 0;
  #known: { readonly files: WatchedFiles; readonly state: GitState | undefined } | undefined;

  constructor(directory: string | undefined, patienceMs: number = PATIENCE_MS) {
    this.#directory = directory;
    this.#patienceMs = patienceMs;
  }

  /** `undefined` outside of a repository, or when its files cannot be read, or not in time. It never rejects. */
  async read(): Promise<GitState | undefined> {
    if (this.#directory === undefined || this.#late > 0) return undefined;
    // Files that are as they were say what they said.
    if (this.#known?.files.areSame() === true) return this.#known.state;
    const done = new AbortController();
    const reading = this.#read(this.#directory)
      .catch(() => undefined)
      .finally(() => done.abort());
    const patience = wait(this.#patienceMs, undefined, { signal: done.signal, ref: false }).then(
      () => this.#outlive(reading),
      () => reading,
    );
    return Promise.race([reading, patience]);
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
  const commit = ref === undefined ? commitIn(head) : await resolve(repository, ref, files);
  const config = parseGitConfig((await files.read(commonDir, path.join(commonDir, "config"), MAX_CONFIG_BYTES)) ?? "");
  const url = remoteUrlOf(config, branch);
  const remote = url === undefined ? undefined : remoteOf(url);
  // Git is asked about a repository that has a state, and would wait where this did not.
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
    // A submodule has a directory of its own, and shares it with nobody.
    const shared = (await files.read(gitDir, path.join(gitDir, "commondir")))?.trim();
    const commonDir = shared === undefined ? gitDir : await named(gitDir, shared, files);
    return commonDir === undefined ? undefined : { root, gitDir, commonDir };
  }
  return undefined;
}

/** A directory that a file of git names. To look at another machine's would tell that machine who this user is. */
async function named(folder: string, name: string, files: WatchedFiles): Promise<string | undefined> {
  if (/^[\\/]{2}/u.test(name)) return undefined;
  return files.directory(path.resolve(folder, name));
}

/** Names that lead to names are followed so often. */
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

/** By git's own rules: nothing that could lead out of the repository. A repository that keeps refs elsewhere has `.invalid`. */
function isSound(ref: string): boolean {
  return ref.startsWith("refs/") && ref.length <= 500 && !/[\p{Cc}\p{Cf} \\:?*[^~]|\.\.|\/\.|\/\/|\/$/u.test(ref);
}
