import fs from "node:fs";
import path from "node:path";
import type { Storage } from "@workrail/core";
import { SteppingClock } from "@workrail/storage-conformance/builders";
import { openMemoryStorage } from "@workrail/memory";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openWorkrail, type ResumeCandidates, type ResumeParams, type ResumeResult, type Workrail } from "../src/index.ts";
import { commitAll, freshDirectory, git, makeRepository, noGit } from "./repositories.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const REMOTE = "git@example.com:team/app.git";

let root: string;
const at = (...names: readonly string[]): string => path.join(root, ...names);

/** A saved session: its folder at that time, and how long ago. */
interface Saved {
  readonly in: string;
  readonly branch?: string;
  readonly hoursAgo?: number;
  readonly context?: object;
  readonly name?: string;
  readonly tags?: string[];
  readonly workflowId?: string;
  readonly kind?: "project" | "conversation";
  /** For a conversation: the session it is about. */
  readonly about?: string;
}

interface Situation {
  /** By session, in the order of their saves. */
  readonly saved: Readonly<Record<string, Saved>>;
  /** Directory in which work is resumed. */
  readonly in: string;
  readonly branch?: string;
  /** Changes between the saves and the resumption. */
  readonly meanwhile?: (store: Workrail, checkpoints: Readonly<Record<string, string>>) => Promise<void> | void;
  readonly ask?: ResumeParams | ((checkpoints: Readonly<Record<string, string>>) => ResumeParams);
  /** The session that is loaded, or the candidates in order, each with a part of its reason. */
  readonly loads?: string;
  readonly suggests?: readonly (readonly [session: string, reason: string])[];
  /** Part of the note. */
  readonly note?: string;
  /** Uses files. Default: memory, which is equivalent and faster. */
  readonly isOnDisk?: boolean;
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  // Ids: the only way to load something.
  "a session's id": { saved: { a: { in: "app" }, b: { in: "app" } }, in: "app", ask: { sessionId: "a" }, loads: "a" },
  "a session's id, from another project": { saved: { a: { in: "app" } }, in: "lib", ask: { sessionId: "a" }, loads: "a" },
  "a session's id, from the home folder": { saved: { a: { in: "app" } }, in: "home", ask: { sessionId: "a" }, loads: "a" },
  "a checkpoint's id": { saved: { a: { in: "app" } }, in: "app", ask: ({ a }) => ({ checkpointId: a }), loads: "a" },
  "a session's id and a hint that fits another": {
    saved: { a: { in: "app" }, b: { in: "app", name: "login" } },
    in: "app",
    ask: { sessionId: "a", hint: "login" },
    loads: "a",
  },
  "a stale session's id": { saved: { a: { in: "app", hoursAgo: 24 * 300 } }, in: "app", ask: { sessionId: "a" }, loads: "a" },
  "an id that no session has": {
    saved: { a: { in: "app" } },
    in: "app",
    ask: { sessionId: "aa" },
    suggests: [["a", "same project"]],
    note: "There is no session aa.",
  },
  "an id that no checkpoint has": {
    saved: { a: { in: "app" } },
    in: "app",
    ask: { checkpointId: "00000000-0000-4000-8000-000000000000" },
    suggests: [["a", "same project"]],
    note: "There is no checkpoint 00000000",
  },
  "the beginning of an id": {
    saved: { "login-1": { in: "app" } },
    in: "app",
    ask: { sessionId: "login" },
    suggests: [["login-1", "same project"]],
  },

  // Nothing to rank by.
  "an empty store": { saved: {}, in: "app", suggests: [], note: "Nothing is saved here" },
  "a single session, which is not loaded either": {
    saved: { a: { in: "app" } },
    in: "app",
    suggests: [["a", "same project; same branch (main)"]],
  },
  "two sessions that were both just saved": {
    saved: { a: { in: "app", hoursAgo: 0.5 }, b: { in: "app", hoursAgo: 0.2 } },
    in: "app",
    suggests: [
      ["b", "saved 12 minutes ago"],
      ["a", "saved 30 minutes ago"],
    ],
    note: "The first two are equally likely",
  },
  "one session of today and one of last week": {
    saved: { old: { in: "app", hoursAgo: 24 * 7 }, new: { in: "app", hoursAgo: 3 } },
    in: "app",
    suggests: [
      ["new", "saved 3 hours ago"],
      ["old", "saved 7 days ago"],
    ],
    note: "If unsure, ask your user",
  },

  // Projects.
  "several projects: only this one's": {
    saved: { a: { in: "app" }, l: { in: "lib" }, p: { in: "plain" } },
    in: "lib",
    suggests: [["l", "same project"]],
  },
  "a project of which nothing was saved": {
    saved: { a: { in: "app", hoursAgo: 5 }, p: { in: "plain", hoursAgo: 1 } },
    in: "lib",
    suggests: [
      ["p", "another project"],
      ["a", "another project"],
    ],
  },
  "a folder in a repository": { saved: { a: { in: "app" } }, in: "app/src/deep", suggests: [["a", "same project; same branch (main)"]] },
  "saved in a folder of a repository, resumed at its root": {
    saved: { a: { in: "app/src/deep" } },
    in: "app",
    suggests: [["a", "same project"]],
  },
  "no git": { saved: { p: { in: "plain" } }, in: "plain", suggests: [["p", "same project; saved 1 hour ago"]] },
  "no git, in a folder below": { saved: { p: { in: "plain" } }, in: "plain/below", suggests: [["p", "a folder above or below this one"]] },
  "no git, in a folder whose name begins the same": {
    saved: { p: { in: "plain" }, o: { in: "plain-2" } },
    in: "plain-2",
    suggests: [["o", "same project"]],
  },
  "saved before there was a repository": {
    saved: { p: { in: "becomes" } },
    in: "becomes",
    meanwhile: () => void makeRepository(at("becomes")),
    suggests: [["p", "same project; saved"]],
  },
  "the home folder, which is no project": {
    saved: { a: { in: "app", hoursAgo: 2 }, l: { in: "lib", hoursAgo: 1 } },
    in: "home",
    suggests: [
      ["l", "another project"],
      ["a", "another project"],
    ],
    note: "You are in no project",
  },
  "saved in the home folder": { saved: { h: { in: "home" } }, in: "home", suggests: [["h", "saved outside of any project"]] },
  "saved by tools of another kind": {
    saved: { talk: { in: "app", kind: "conversation" }, notes: { in: "app", kind: "project", hoursAgo: 2 } },
    in: "app",
    suggests: [
      ["talk", "same project"],
      ["notes", "same project"],
    ],
  },

  // Branches.
  "two branches: the one that is checked out": {
    saved: { login: { in: "app", branch: "login", hoursAgo: 40 }, main: { in: "app", branch: "main", hoursAgo: 1 } },
    in: "app",
    branch: "login",
    suggests: [
      ["login", "same branch (login)"],
      ["main", "branch main, now login"],
    ],
  },
  "the same, the other way round": {
    saved: { main: { in: "app", branch: "main", hoursAgo: 40 }, login: { in: "app", branch: "login", hoursAgo: 1 } },
    in: "app",
    branch: "main",
    suggests: [
      ["main", "same branch (main)"],
      ["login", "branch login, now main"],
    ],
  },
  "a branch of which nothing was saved": {
    saved: { main: { in: "app", branch: "main" } },
    in: "app",
    branch: "empty",
    suggests: [["main", "branch main, now empty"]],
  },
  "a branch that was deleted since": {
    saved: { gone: { in: "app", branch: "short-lived" } },
    in: "app",
    branch: "main",
    meanwhile: () => {
      git(at("app"), "switch", "-q", "main");
      git(at("app"), "branch", "-q", "-D", "short-lived");
    },
    suggests: [["gone", "branch short-lived, now main"]],
  },
  "a stale session on this branch, and a fresh one on another": {
    saved: { stale: { in: "app", branch: "main", hoursAgo: 24 * 45 }, fresh: { in: "app", branch: "login" } },
    in: "app",
    branch: "main",
    suggests: [
      ["fresh", "branch login"],
      ["stale", "saved 45 days ago, so it may be finished"],
    ],
  },
  "only stale sessions": {
    saved: { a: { in: "app", hoursAgo: 24 * 90 } },
    in: "app",
    suggests: [["a", "it may be finished or abandoned"]],
  },
  "a detached head at the saved commit": {
    saved: { d: { in: "detached" } },
    in: "detached",
    suggests: [["d", "same commit, no branch"]],
  },
  "a detached head at another commit": {
    saved: { d: { in: "detached" } },
    in: "detached",
    meanwhile: () => void commitAll(at("detached"), "on no branch"),
    suggests: [["d", "no branch, another commit"]],
  },
  "a head that cannot be read": {
    saved: { a: { in: "broken" } },
    in: "broken",
    meanwhile: () => fs.writeFileSync(at("broken", ".git", "HEAD"), "\u0000nonsense"),
    suggests: [["a", "same project"]],
  },

  // Worktrees.
  "another worktree of the repository": {
    saved: { w: { in: "app-login" } },
    in: "app",
    branch: "main",
    suggests: [["w", "another worktree of this repository"]],
  },
  "a branch that moved from one worktree to another": {
    saved: { here: { in: "app", branch: "main", hoursAgo: 1 }, there: { in: "app-login", branch: "in-worktree", hoursAgo: 5 } },
    in: "app",
    meanwhile: () => void git(at("app-login"), "switch", "-q", "--detach"),
    branch: "in-worktree",
    suggests: [
      ["there", "another worktree of this repository"],
      ["here", "branch main, now in-worktree"],
    ],
  },
  "a worktree that was removed": {
    saved: { w: { in: "app-short" } },
    in: "app",
    meanwhile: () => void git(at("app"), "worktree", "remove", "--force", at("app-short")),
    branch: "main",
    suggests: [["w", "another worktree of this repository"]],
  },
  "a submodule, which is a repository of its own": {
    saved: { outer: { in: "outer" }, inner: { in: "outer/inner" } },
    in: "outer/inner",
    suggests: [
      ["inner", "same project"],
      ["outer", "a folder above or below"],
    ],
  },

  // Moved, copied.
  "a repository that was renamed, known by its commits": {
    saved: { m: { in: "to-move" } },
    in: "moved",
    meanwhile: () => fs.renameSync(at("to-move"), at("moved")),
    suggests: [["m", "this repository when it was at"]],
  },
  "a repository that was renamed, known by its remote": {
    saved: { m: { in: "to-move-far" } },
    in: "moved-far",
    meanwhile: () => {
      fs.renameSync(at("to-move-far"), at("moved-far"));
      // No saved state is left in it.
      fs.rmSync(at("moved-far", ".git"), { recursive: true });
      makeRepository(at("moved-far"), { other: "1" });
      git(at("moved-far"), "remote", "add", "origin", "https://me:secret@example.com/team/far");
    },
    suggests: [["m", "this repository when it was at"]],
  },
  "a copy of a repository that is still there": {
    saved: { a: { in: "app" } },
    in: "copy",
    suggests: [["a", "another copy of this repository"]],
  },
  "another repository where one was": {
    saved: { r: { in: "replaced" } },
    in: "replaced",
    meanwhile: () => {
      fs.rmSync(at("replaced"), { recursive: true });
      makeRepository(at("replaced"), { "new.md": "" });
    },
    suggests: [["r", "same project"]],
  },
  "a folder without git that was renamed, which nothing tells": {
    saved: { p: { in: "plain-to-move" } },
    in: "plain-moved",
    meanwhile: () => fs.renameSync(at("plain-to-move"), at("plain-moved")),
    suggests: [["p", "another project"]],
  },

  // Hints.
  "a hint that is a session's name": {
    saved: { a: { in: "app", name: "Login redirect", hoursAgo: 100 }, b: { in: "app" } },
    in: "app",
    ask: { hint: "login redirect" },
    suggests: [
      ["a", "matches the hint exactly; same project"],
      ["b", "same project"],
    ],
  },
  "a hint that is a session's id in other letters": {
    saved: { "fix-login": { in: "app", hoursAgo: 9 }, b: { in: "app" } },
    in: "app",
    ask: { hint: "FIX-LOGIN" },
    suggests: [
      ["fix-login", "matches the hint exactly"],
      ["b", "same project"],
    ],
  },
  "a hint with words of a tag and of the workflow": {
    saved: { a: { in: "app", tags: ["payments"], workflowId: "bug-hunt", hoursAgo: 50 }, b: { in: "app" } },
    in: "app",
    ask: { hint: "hunting that bug in the payment" },
    suggests: [
      ["a", "words of the hint"],
      ["b", "same project"],
    ],
  },
  "a hint about another project": {
    saved: { a: { in: "app" }, l: { in: "lib", name: "parser rewrite" } },
    in: "app",
    ask: { hint: "parser" },
    suggests: [
      ["l", "words of the hint; another project"],
      ["a", "same project"],
    ],
  },
  "a hint that nothing meets": {
    saved: { a: { in: "app" } },
    in: "app",
    ask: { hint: "zebra" },
    suggests: [["a", "same project; same branch (main)"]],
  },
  "a hint that only the text of one session has": {
    saved: {
      a: { in: "app", hoursAgo: 20, context: { goal: "work on a", notes: ["The cache of thumbnails is never emptied."] } },
      b: { in: "app" },
    },
    in: "app",
    ask: { hint: "empty the thumbnail cache" },
    suggests: [
      ["a", "its text has words of the hint; same project"],
      ["b", "same project"],
    ],
  },
  "a hint that only the text of another project's session has": {
    saved: { a: { in: "app" }, l: { in: "lib", context: { goal: "work on l", notes: "thumbnails" } }, p: { in: "plain" } },
    in: "app",
    ask: { hint: "thumbnails" },
    suggests: [
      ["l", "its text has words of the hint; another project"],
      ["a", "same project"],
    ],
  },
  "a hint that a conversation about the work has": {
    saved: {
      a: { in: "app", hoursAgo: 20 },
      b: { in: "app" },
      talk: { in: "app", kind: "conversation", about: "a", context: { text: "Let us speak of giraffes." } },
    },
    in: "app",
    ask: { hint: "giraffes" },
    suggests: [
      ["a", "its text has words of the hint"],
      ["b", "same project"],
    ],
  },
  "a hint that is the exact name of two sessions": {
    saved: { a: { in: "app", name: "spike", hoursAgo: 0.5 }, b: { in: "app", name: "spike" } },
    in: "app",
    ask: { hint: "spike" },
    suggests: [
      ["a", "matches the hint exactly"],
      ["b", "matches the hint exactly"],
    ],
    note: "The first two are equally likely",
  },

  // Many sessions, and damage.
  "more sessions than are told": {
    saved: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`s${index}`, { in: "app", hoursAgo: 8 - index }])),
    in: "app",
    ask: { limit: 2 },
    suggests: [
      ["s7", "saved 1 hour ago"],
      ["s6", "saved 2 hours ago"],
    ],
  },
  "a session whose latest file is damaged": {
    saved: { a: { in: "app" } },
    in: "app",
    isOnDisk: true,
    meanwhile: (store, { a }) => damage(store, a),
    suggests: [["a", "it cannot be read"]],
  },
};

async function damage(store: Workrail, checkpointId: string | undefined): Promise<void> {
  const { metadata } = await store.loadCheckpoint({ checkpointId });
  fs.writeFileSync(path.join(store.dataDir ?? "", metadata.blobPath), "nothing that was saved");
}

describe.skipIf(noGit !== undefined)("resuming (needs git)", () => {
  const clock = new SteppingClock(NOW, 0);
  let count = 0;

  beforeAll(() => {
    root = freshDirectory();
    vi.stubEnv("HOME", at("home"));
    vi.stubEnv("USERPROFILE", at("home"));
    for (const plain of ["home", "plain/below", "plain-2", "becomes", "plain-to-move"]) fs.mkdirSync(at(plain), { recursive: true });
    makeRepository(at("app"), { "src/deep/a.ts": "1\n" });
    git(at("app"), "remote", "add", "origin", REMOTE);
    for (const branch of ["login", "empty", "short-lived"]) git(at("app"), "branch", branch);
    git(at("app"), "worktree", "add", "-q", "-b", "in-worktree", at("app-login"));
    git(at("app"), "worktree", "add", "-q", "-b", "in-short", at("app-short"));
    git(at("app"), "worktree", "add", "-q", "--detach", at("detached"));
    git(root, "clone", "-q", at("app"), at("copy"));
    git(at("copy"), "remote", "set-url", "origin", "https://token@example.com/team/app");
    for (const other of ["lib", "broken", "to-move", "to-move-far", "replaced", "outer"]) makeRepository(at(other), { "file.md": other });
    git(at("to-move-far"), "remote", "add", "origin", "ssh://git@example.com/team/far.git");
    git(at("outer"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at("lib"), "inner");
  });

  afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

  afterEach(() => clock.set(NOW));

  /** The branch of a repository that is no worktree of another. */
  function branchOf(folder: string): string | undefined {
    const head = at(folder, ".git", "HEAD");
    return fs.existsSync(head) ? fs.readFileSync(head, "utf8").trim().replace("ref: refs/heads/", "") : undefined;
  }

  /** Opens the same store in one folder after another, like the sessions of a person's day. */
  function storeOf({ isOnDisk = false }: Situation): (folder: string, branch?: string) => Promise<Workrail> {
    const dataDir = at("data", String(count++));
    const memory = openMemoryStorage();
    const storage = async (): Promise<Storage> => ({ ...memory, close: async () => {} });
    return async (folder, branch) => {
      if (branch !== undefined && branchOf(folder) !== branch) git(at(folder), "switch", "-q", branch);
      return openWorkrail({ dataDir, cwd: at(folder), adapters: isOnDisk ? { clock } : { clock, storage } });
    };
  }

  async function arrange({ saved, meanwhile }: Situation, open: ReturnType<typeof storeOf>): Promise<Record<string, string>> {
    const checkpoints: Record<string, string> = {};
    for (const [sessionId, { in: folder, branch, hoursAgo = 1, context, name, tags, workflowId, kind, about }] of Object.entries(saved)) {
      await using store = await open(folder, branch ?? (folder === "app" ? "main" : undefined));
      clock.set(new Date(NOW.getTime() - hoursAgo * HOUR_MS));
      const given = { sessionId, context: context ?? { goal: `work on ${sessionId}` }, workflowId, kind };
      const metadata = {
        ...(name === undefined ? {} : { name }),
        ...(tags === undefined ? {} : { tags }),
        ...(about === undefined ? {} : { attributes: { conversationOf: about } }),
      };
      checkpoints[sessionId] = (await store.saveCheckpoint({ ...given, metadata })).checkpointId;
    }
    clock.set(NOW);
    if (meanwhile !== undefined) {
      await using store = await open("home");
      await meanwhile(store, checkpoints);
    }
    return checkpoints;
  }

  it("is tested in at least thirty situations", () => {
    expect(Object.keys(SITUATIONS).length).toBeGreaterThanOrEqual(30);
  });

  const exact = Object.entries(SITUATIONS).filter(([, { loads }]) => loads !== undefined);
  const others = Object.entries(SITUATIONS).filter(([, { loads }]) => loads === undefined);

  async function resume(situation: Situation): Promise<{ store: Workrail; result: ResumeResult; checkpoints: Record<string, string> }> {
    const { ask = {} } = situation;
    const open = storeOf(situation);
    const checkpoints = await arrange(situation, open);
    const store = await open(situation.in, situation.branch);
    return { store, result: await store.resumeWork(typeof ask === "function" ? ask(checkpoints) : ask), checkpoints };
  }

  it.each(exact)("loads with %s", async (_, situation) => {
    const { store, result } = await resume(situation);
    await store.close();
    expect(result).toMatchObject({ status: "LOADED", sessionId: situation.loads, context: { goal: `work on ${situation.loads}` } });
  });

  it.each(others)("returns candidates without loading with %s", async (_, situation) => {
    const { store, result, checkpoints } = await resume(situation);
    const { suggests = [], note = "" } = situation;
    const { candidates, ...suggested } = expectCandidates(result);
    const reasons = suggests.map(([sessionId, reason]) => ({
      sessionId,
      checkpointId: checkpoints[sessionId],
      reason: expect.stringContaining(reason) as string,
    }));
    expect(candidates.map(({ sessionId, checkpointId, reason }) => ({ sessionId, checkpointId, reason }))).toEqual(reasons);
    expect(suggested.note).toContain(note);
    expect(suggested.total).toBeGreaterThanOrEqual(candidates.length);
    await expectNothingInUse(store);
    await store.close();
  });

  function expectCandidates(result: ResumeResult): ResumeCandidates {
    expect(result).not.toHaveProperty("context");
    expect(result).not.toHaveProperty("summary");
    if (result.status !== "CANDIDATES") throw new Error("something was loaded");
    return result;
  }

  /** Checks that no session is in use: an entry marked without naming a session would be marked in a loaded one. */
  async function expectNothingInUse(store: Workrail): Promise<void> {
    await expect(store.markCritical({ contextKey: "goal" })).rejects.toMatchObject({ code: "INVALID_INPUT", details: { sessions: [] } });
  }
});
