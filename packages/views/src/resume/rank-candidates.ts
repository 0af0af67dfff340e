import { type CheckpointRecord, cutText, type GitState, gitStateOf } from "@workrail/core";
import { stem } from "../condense/stem.ts";
import { isStopWord } from "../condense/words.ts";
import { describeAge } from "./describe-age.ts";

/**
 * Relation of a session's place to the current place. `project`: the same. `worktree`: another worktree of the repository.
 * `moved`: this repository before it was moved. `part`: another part of the same working tree. `copy`: another existing copy of
 * the repository. `near`: a folder above or below. `elsewhere`: none of these.
 */
export type Relation = "project" | "worktree" | "moved" | "part" | "copy" | "near" | "elsewhere";

/** Current place and time. */
export interface CurrentPlace {
  readonly project: string | undefined;
  readonly git: GitState | undefined;
  readonly now: Date;
}

/** Head of a session that may be resumed, with facts for its rank. */
export interface ResumableHead {
  readonly record: CheckpointRecord;
  /** True when the folder of its project is missing. Default `false`. */
  readonly isFolderGone?: boolean | undefined;
  /** True when the current repository has its commit. Default `false`. */
  readonly isCommitHere?: boolean | undefined;
  /** Search score of the hint in its text, from 0 to 1. Default: not found. */
  readonly found?: number | undefined;
}

export interface Candidate {
  readonly record: CheckpointRecord;
  readonly relation: Relation;
  /** True when nothing was saved for so long that the work may be done or abandoned. */
  readonly isStale: boolean;
  /** True when the hint matches the session. */
  readonly isHinted: boolean;
  /** Reason for the rank, in words. */
  readonly reason: string;
}

/**
 * Points for ranking. Within a repository the branch counts more than the folder, because worktrees come and go. A match of the
 * hint outweighs the place; both together outweigh everything.
 */
const POINTS = {
  place: { project: 45, worktree: 40, moved: 40, part: 30, copy: 25, near: 15, elsewhere: 0 },
  sameBranch: 20,
  /** The hint equals the name, a tag or the workflow. */
  called: 90,
  /** All words of the hint are in the labels. */
  described: 75,
  /** Best hit of the search. */
  found: 70,
  /** Saved just now; half as much after a day. */
  recent: 15,
  stale: -15,
} as const;

const DAY_MS = 24 * 60 * 60 * 1_000;
const STALE_DAYS = 30;

/**
 * Sorts sessions by likelihood, each with a reason. Includes sessions from elsewhere only when they match the hint, or when there are no
 * others.
 */
export function rankCandidates(known: readonly ResumableHead[], here: CurrentPlace, hint?: string): Candidate[] {
  const ranked = known
    .map((each) => rank(each, here, hint))
    .toSorted((left, right) => right.points - left.points || right.at - left.at || (left.record.id < right.record.id ? -1 : 1));
  const near = ranked.filter(({ relation, isHinted }) => relation !== "elsewhere" || isHinted);
  return (near.length > 0 ? near : ranked).map(({ points: _points, at: _at, ...candidate }) => candidate);
}

function rank(
  known: ResumableHead,
  here: CurrentPlace,
  hint: string | undefined,
): Candidate & { readonly points: number; readonly at: number } {
  const { record } = known;
  const git = gitStateOf(record);
  const relation = relationOf(known, git, here);
  const branch = relation === "elsewhere" || relation === "near" ? undefined : compareBranches(git, here.git);
  const match = hint === undefined ? undefined : matchOf(known, hint);
  const age = Math.max(0, here.now.getTime() - record.createdAt.getTime());
  const isStale = age > STALE_DAYS * DAY_MS;
  const points =
    POINTS.place[relation] +
    (branch?.isSame === true ? POINTS.sameBranch : 0) +
    (match?.points ?? 0) +
    POINTS.recent / (1 + age / DAY_MS) +
    (isStale ? POINTS.stale : 0);
  const saved = `saved ${describeAge(record.createdAt, here.now)}${isStale ? ", so it may be finished or abandoned" : ""}`;
  const reasons = [match?.words, describePlace(relation, record, git), branch?.words, saved];
  const reason = reasons.filter((each) => each !== undefined).join("; ");
  return { record, relation, isStale, isHinted: match !== undefined, reason, points, at: record.createdAt.getTime() };
}

function relationOf({ record, isFolderGone, isCommitHere }: ResumableHead, git: GitState | undefined, here: CurrentPlace): Relation {
  if (here.project === undefined) return "elsewhere";
  if (record.project === here.project) return "project";
  if (git !== undefined && here.git !== undefined) {
    if (git.commonDir === here.git.commonDir) return git.root === here.git.root ? "part" : "worktree";
    const isSameRepository = isCommitHere === true || (git.remote !== undefined && git.remote === here.git.remote);
    if (isSameRepository) return isFolderGone === true ? "moved" : "copy";
  }
  return record.project !== undefined && areNested(record.project, here.project) ? "near" : "elsewhere";
}

/** True when one of two folders contains the other. */
function areNested(left: string, right: string): boolean {
  const [outer, inner] = left.length < right.length ? [left, right] : [right, left];
  return inner.startsWith(outer) && /^[/\\]/u.test(inner.slice(outer.length));
}

function describePlace(relation: Relation, { project }: CheckpointRecord, git: GitState | undefined): string {
  const place = shown(git?.root ?? project ?? "");
  switch (relation) {
    case "project":
      return "same project";
    case "worktree":
      return `another worktree of this repository (${place})`;
    case "moved":
      return `this repository when it was at ${place}`;
    case "part":
      return `another project in this repository (${shown(project ?? "")})`;
    case "copy":
      return `another copy of this repository (${place})`;
    case "near":
      return `a folder above or below this one (${shown(project ?? "")})`;
    case "elsewhere":
      return project === undefined ? "saved outside of any project" : `another project (${shown(project)})`;
  }
}

function compareBranches(saved: GitState | undefined, now: GitState | undefined): { isSame: boolean; words: string } | undefined {
  if (saved === undefined || now === undefined) return undefined;
  if (saved.branch !== undefined && saved.branch === now.branch) return { isSame: true, words: `same branch (${shown(saved.branch)})` };
  if (saved.branch === undefined && now.branch === undefined) {
    if (saved.commit === undefined) return undefined;
    return saved.commit === now.commit
      ? { isSame: true, words: "same commit, no branch" }
      : { isSame: false, words: "no branch, another commit" };
  }
  const was = saved.branch === undefined ? "no branch" : `branch ${shown(saved.branch)}`;
  return { isSame: false, words: `${was}, now ${now.branch === undefined ? "none" : shown(now.branch)}` };
}

/** Returns the best match of a session with the hint; `undefined` when there is none. */
function matchOf({ record, found }: ResumableHead, hint: string): { readonly points: number; readonly words: string } | undefined {
  const { name, tags, workflowId, agentId, sessionId } = record;
  const asked = fold(hint);
  const called = [name, sessionId, workflowId, ...tags].find((each) => each !== undefined && fold(each) === asked);
  if (called !== undefined) return { points: POINTS.called, words: "matches the hint exactly" };
  const wanted = new Set(wordsOf(hint));
  const labelled = new Set(wordsOf([name, ...tags, workflowId, agentId, gitStateOf(record)?.branch].filter(Boolean).join(" ")));
  const share = wanted.size === 0 ? 0 : [...wanted].filter((word) => labelled.has(word)).length / wanted.size;
  if (share === 0 && found === undefined) return undefined;
  const [described, inText] = [POINTS.described * share, POINTS.found * (found ?? 0)];
  const where = described >= inText ? "its name, tags or branch have" : "its text has";
  return { points: Math.max(described, inText), words: `${where} words of the hint` };
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}

function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !isStopWord(word)).map((word) => stem(word.toLowerCase()));
}

const LONGEST_SHOWN = 120;

/** Makes a stored name safe to show: replaces control characters and shortens the middle, because the end says most. */
function shown(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?");
  return clean.length <= LONGEST_SHOWN ? clean : `${cutText(clean, 20)}...${clean.slice(-(LONGEST_SHOWN - 23)).toWellFormed()}`;
}
