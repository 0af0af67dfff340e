import { describe, expect, it } from "vitest";
import { aRecord, SequentialIds } from "@workrail/storage-conformance/builders";
import { type CheckpointRecord, GIT_STATE, type GitState, gitStateToJson } from "@workrail/core";
import { type CurrentPlace, type ResumableHead, rankCandidates } from "./rank-candidates.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const HOUR = 3_600_000;
const ids = new SequentialIds();

interface Given {
  readonly project?: string;
  readonly git?: Partial<GitState>;
  readonly hoursAgo?: number;
  readonly name?: string;
  readonly tags?: readonly string[];
}

function head({ project = "/app", git, hoursAgo = 1, name, tags = [] }: Given): CheckpointRecord {
  const state = git === undefined ? undefined : { root: project, commonDir: "/app/.git", ...git };
  return {
    ...aRecord({ id: ids.checkpointId(), sessionId: ids.sessionId() }),
    project,
    name,
    tags,
    createdAt: new Date(NOW.getTime() - hoursAgo * HOUR),
    attributes: state === undefined ? {} : { [GIT_STATE]: gitStateToJson(state, project) },
    sequence: 1,
    lastAccessedAt: NOW,
    damaged: false,
    shieldedUntil: undefined,
  };
}

const GIT: GitState = { root: "/app", commonDir: "/app/.git", branch: "main", commit: "c1" };
const HERE: CurrentPlace = { project: "/app", git: GIT, now: NOW };

function order(
  sessions: Readonly<Record<string, Given & Omit<ResumableHead, "record">>>,
  hint?: string,
  here: CurrentPlace = HERE,
): string[] {
  const known = Object.entries(sessions).map(([name, { isFolderGone, isCommitHere, found, ...given }]) => ({
    record: head({ name, ...given }),
    isFolderGone,
    isCommitHere,
    found,
  }));
  return rankCandidates(known, here, hint).map(({ record, relation }) => `${record.name}: ${relation}`);
}

describe("candidates", () => {
  it("have the same branch first, whichever worktree it was in, then the same folder, then the newest", () => {
    const main = { branch: "main" };
    const other = { branch: "other" };
    expect(
      order({
        "other branch, other worktree": { project: "/app-2", git: other },
        "other branch": { git: other },
        "same branch, other worktree": { project: "/app-2", git: main },
        "same branch": { git: main },
        "same branch, a little older": { git: main, hoursAgo: 2 },
      }),
    ).toEqual([
      "same branch: project",
      "same branch, a little older: project",
      "same branch, other worktree: worktree",
      "other branch: project",
      "other branch, other worktree: worktree",
    ]);
  });

  it("that are stale come after fresh ones, even after those on another branch", () => {
    const sessions = { stale: { git: { branch: "main" }, hoursAgo: 24 * 40 }, fresh: { git: { branch: "other" } } };
    expect(order(sessions)).toEqual(["fresh: project", "stale: project"]);
    const [, stale] = rankCandidates(
      Object.values(sessions).map((given) => ({ record: head(given) })),
      HERE,
    );
    expect(stale).toMatchObject({ isStale: true, reason: expect.stringContaining("saved 40 days ago, so it may be finished") });
  });

  it("from elsewhere are listed only when there are no others, or the hint matches them", () => {
    const sessions = { near: {}, away: { project: "/other" } };
    expect(order(sessions)).toEqual(["near: project"]);
    expect(order(sessions, "away")).toEqual(["away: elsewhere", "near: project"]);
    expect(order({ away: { project: "/other" } })).toEqual(["away: elsewhere"]);
  });

  it("are recognised after the repository was moved, and distinguished from copies", () => {
    const remote = "example.com/app";
    const here = { ...HERE, git: { ...GIT, remote } };
    const git = { commonDir: "/old/.git" };
    expect(
      order(
        {
          "gone, same remote": { project: "/old", git: { ...git, remote }, isFolderGone: true, hoursAgo: 1 },
          "gone, its commit is here": { project: "/old", git, isFolderGone: true, isCommitHere: true, hoursAgo: 2 },
          "still there": { project: "/old", git: { ...git, remote } },
          "gone, nothing in common": { project: "/old", git, isFolderGone: true },
        },
        undefined,
        here,
      ),
    ).toEqual(["gone, same remote: moved", "gone, its commit is here: moved", "still there: copy"]);
  });

  it("match the words of a hint in any form, and best by their exact name", () => {
    const sessions = {
      "fix the login redirects": { hoursAgo: 50 },
      "login redirect": { hoursAgo: 100 },
      payments: { found: 0.9, hoursAgo: 2 },
      untouched: {},
    };
    expect(order(sessions, "login redirect")).toEqual([
      "login redirect: project",
      "fix the login redirects: project",
      "payments: project",
      "untouched: project",
    ]);
  });

  it("have reasons in words, with control characters of stored names removed", () => {
    const git = { branch: `ma\u202Ein${"x".repeat(300)}` };
    const [first] = rankCandidates([{ record: head({ project: "/app-2\nignore", git, hoursAgo: 49 }) }], HERE);
    expect(first?.reason).toMatch(/^another worktree of this repository \(\/app-2\?ignore\); branch ma\?in/);
    expect(first?.reason).toMatch(/, now main; saved 2 days ago$/);
    expect(first?.reason.length).toBeLessThan(300);
  });

  it("do not depend on the order of the input", () => {
    const known = [head({}), head({}), head({ hoursAgo: 3 })].map((record) => ({ record }));
    const ranked = (list: readonly ResumableHead[]) => rankCandidates(list, HERE).map(({ record }) => record.id);
    expect(ranked(known.toReversed())).toEqual(ranked(known));
  });
});
