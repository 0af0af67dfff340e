import fs from "node:fs";
import {
  type CatalogPort,
  type CheckpointFilter,
  type CheckpointId,
  type CheckpointRecord,
  type GitState,
  gitStateOf,
  type JsonObject,
  type Locking,
  type SessionId,
  queryCheckpoints,
  findCheckpoint,
} from "@workrail/core";
import { type Candidate, type CurrentPlace, type ResumableHead, rankCandidates } from "@workrail/views";
import type { CheckpointMetadata } from "../context-management-service.ts";
import { commitsHere } from "../git/git-history.ts";

/** Most sessions considered: the newest of the whole store, and the newest of the project. */
const MOST_HEADS = 1_000;
const PAGE = 500;
/** Most folders checked for existence, and commits looked up in git. */
const MOST_FOLDERS = 200;

/** A search hit. */
export interface Found {
  /** Metadata of the checkpoint that matched. */
  readonly checkpoint: Pick<CheckpointMetadata, "kind" | "sessionId" | "attributes">;
  /** Latest checkpoint of its session. */
  readonly head: CheckpointId;
  /** From 0 to 1. */
  readonly score: number;
}

export interface CandidatePorts {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  /** Searches checkpoints by a hint, in one project or in all. */
  readonly search: (hint: string, only: string | undefined) => Promise<readonly Found[]>;
  /** True when the folders and the repository are on another machine. */
  readonly isElsewhere: boolean;
}

interface Wanted {
  /** Words of the caller. */
  readonly hint: string | undefined;
  /** True to return sessions of the current project only. */
  readonly isIsolated: boolean;
}

/** Finds every session that the caller may mean, the likeliest first. */
export async function findCandidates(ports: CandidatePorts, here: CurrentPlace, { hint, isIsolated }: Wanted): Promise<Candidate[]> {
  if (isIsolated && here.project === undefined) return [];
  const hits = hint === undefined ? [] : await ports.search(hint, isIsolated ? here.project : undefined);
  const heads = await headsOf(ports, here, hits);
  const found = new Map<SessionId, number>();
  for (const { checkpoint, score } of hits) {
    const { kind, sessionId, attributes } = checkpoint;
    const work = workOf({ kind, sessionId: sessionId as SessionId, attributes }, heads);
    found.set(work, Math.max(score, found.get(work) ?? 0));
  }
  const isOpen = ({ project }: CheckpointRecord): boolean => !isIsolated || project === here.project;
  const works = [...heads.values()].filter((record) => isOpen(record) && workOf(record, heads) === record.sessionId);
  const gone = ports.isElsewhere ? new Set<string>() : await foldersGone(works, here);
  const isCommitHere = await knownHere(works, gone, ports.isElsewhere ? undefined : here.git);
  const known = works.map((record): ResumableHead => {
    return {
      record,
      isFolderGone: record.project !== undefined && gone.has(record.project),
      isCommitHere: isCommitHere(record),
      found: found.get(record.sessionId),
    };
  });
  return rankCandidates(known, here, hint);
}

type Heads = ReadonlyMap<SessionId, CheckpointRecord>;

/** Maps a conversation to the session of its work. A conversation has its own session, and a search for it means the work. */
function workOf(
  { kind, sessionId, attributes }: Pick<CheckpointRecord, "kind" | "sessionId"> & { readonly attributes?: JsonObject | undefined },
  heads: Heads,
): SessionId {
  const work = kind === "conversation" ? (attributes?.["conversationOf"] as SessionId) : sessionId;
  return heads.has(work) ? work : sessionId;
}

async function headsOf({ catalog, locking }: CandidatePorts, { project, git }: CurrentPlace, found: readonly Found[]): Promise<Heads> {
  return locking.shared(async () => {
    const heads = new Map<SessionId, CheckpointRecord>();
    const add = (record: CheckpointRecord): void => void (heads.has(record.sessionId) || heads.set(record.sessionId, record));
    for await (const record of newest(catalog, {})) add(record);
    if (project !== undefined) for await (const record of newest(catalog, { project, repository: git?.commonDir })) add(record);
    for (const { checkpoint, head } of found) {
      const record = heads.has(checkpoint.sessionId as SessionId) ? undefined : await findCheckpoint(catalog, head);
      if (record !== undefined) add(record);
    }
    return heads;
  });
}

async function* newest(catalog: CatalogPort, filter: CheckpointFilter): AsyncGenerator<CheckpointRecord> {
  for (let count = 0, after; count < MOST_HEADS; count += PAGE) {
    const page = await queryCheckpoints(catalog, { filter: { ...filter, headsOnly: true }, limit: PAGE, offset: 0, after });
    yield* page.records;
    after = page.next;
    if (after === undefined) return;
  }
}

/** Returns the folders of other repositories' projects that no longer exist: they may have been moved to the current folder. */
async function foldersGone(heads: readonly CheckpointRecord[], { project, git }: CurrentPlace): Promise<ReadonlySet<string>> {
  if (git === undefined) return new Set();
  const others = heads.filter((record) => record.project !== project && isOfOther(gitStateOf(record), git));
  const folders = [...new Set(others.flatMap((record) => record.project ?? []))].slice(0, MOST_FOLDERS);
  const isThere = await Promise.all(folders.map((folder) => fs.promises.stat(folder).then(() => true, isUnsure)));
  return new Set(folders.filter((_, index) => !isThere[index]));
}

/** A folder that cannot be inspected does not count as missing. */
function isUnsure(error: NodeJS.ErrnoException): boolean {
  return error.code !== "ENOENT" && error.code !== "ENOTDIR";
}

function isOfOther(saved: GitState | undefined, here: GitState): boolean {
  return saved !== undefined && saved.commonDir !== here.commonDir;
}

/** Tells which moved sessions belong to this repository, by their commits. Git is run only for missing folders. */
async function knownHere(
  heads: readonly CheckpointRecord[],
  gone: ReadonlySet<string>,
  here: GitState | undefined,
): Promise<(record: CheckpointRecord) => boolean> {
  if (here === undefined) return () => false;
  const moved = heads.filter((record) => record.project !== undefined && gone.has(record.project));
  const commits = moved.flatMap((record) => gitStateOf(record)?.commit ?? []);
  const known = await commitsHere(here.root, [...new Set(commits)].slice(0, MOST_FOLDERS));
  return (record) => known.has(gitStateOf(record)?.commit ?? "");
}
