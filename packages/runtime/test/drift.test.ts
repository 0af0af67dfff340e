import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Drift, openWorkrail, type ResumedWork, type Workrail } from "../src/index.ts";
import { commitAll, freshDirectory, git, makeRepository, noGit, writeFiles } from "./repositories.ts";

const FILES = { "src/a.ts": "a\n", "src/b.ts": "b\n", "src/long enough to be known again.ts": "c\n".repeat(40), "README.md": "# It\n" };
const CONTEXT = {
  goal: "Mend src/a.ts:12 and (src/b.ts).",
  files: ["README.md", "src/long enough to be known again.ts", "src/planned.ts"],
};

describe.skipIf(noGit !== undefined)("changes since a checkpoint (needs git)", () => {
  let root: string;
  let template: string;
  let app: string;
  let first: string;
  let count = 0;
  let store: Workrail;
  const edit = (files: Readonly<Record<string, string>>): void => {
    writeFiles(app, files);
    // A file system may not distinguish times as close as a save and the next line of a test.
    for (const name of Object.keys(files)) fs.utimesSync(path.join(app, name), new Date(), new Date(Date.now() + 5_000));
  };

  beforeAll(() => {
    root = freshDirectory();
    template = path.join(root, "template");
    first = makeRepository(template, FILES);
  });

  afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

  beforeEach(async () => {
    app = path.join(root, `app-${count++}`);
    fs.cpSync(template, app, { recursive: true });
    const old = new Date(Date.now() - 60_000);
    for (const name of Object.keys(FILES)) fs.utimesSync(path.join(app, name), old, old);
    store = await openWorkrail({ dataDir: path.join(root, `data-${count}`), cwd: app });
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await store.close();
  });

  async function save(context: object = CONTEXT): Promise<string> {
    return (await store.saveCheckpoint({ sessionId: "s", context })).checkpointId;
  }

  async function resume(given: { readonly budgetTokens?: number; readonly cwd?: string } = {}): Promise<ResumedWork> {
    const result = await store.resumeWork({ sessionId: "s", ...given });
    if (result.status !== "LOADED") throw new Error("nothing was loaded");
    return result;
  }

  async function drift(given: { readonly budgetTokens?: number; readonly cwd?: string } = {}): Promise<Drift> {
    const { drift: told } = await resume(given);
    if (told === undefined) throw new Error("no drift was told");
    return told;
  }

  it("are reported as absent", async () => {
    await save();
    const short = first.slice(0, 12);
    expect(await drift()).toEqual({
      says: "Saved on branch main; no commits since; named files: none changed.",
      saved: { branch: "main", commit: short },
      now: { root: app, branch: "main", commit: short },
      relation: "same",
      files: { named: 4 },
    });
  });

  it("stand in for the repository's state in the metadata, which keeps a caller's own key git", async () => {
    await store.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: { attributes: { git: "my own" }, name: "n" } });
    expect((await resume()).metadata).toEqual({ attributes: { git: "my own" }, name: "n" });
  });

  it("are reported for commits ahead, with a renamed, a changed and a deleted file", async () => {
    await save();
    edit({ "src/a.ts": "other\n" });
    commitAll(app, "second");
    git(app, "mv", "src/long enough to be known again.ts", "src/renamed.ts");
    git(app, "rm", "-q", "README.md");
    commitAll(app, "third");
    const told = await drift();
    expect(told).toMatchObject({ relation: "ahead", ahead: 2 });
    expect(told.files).toEqual({
      named: 4,
      changed: ["src/a.ts"],
      renamed: [{ from: "src/long enough to be known again.ts", to: "src/renamed.ts" }],
      deleted: ["README.md"],
    });
    expect(told.says).toBe("Saved on branch main; 2 commits since; named files: 1 changed, 1 renamed, 1 deleted.");
  });

  it("are reported for uncommitted changes too", async () => {
    await save();
    edit({ "src/b.ts": "edited\n" });
    fs.rmSync(path.join(app, "src", "a.ts"));
    git(app, "mv", "src/long enough to be known again.ts", "src/renamed.ts");
    const told = await drift();
    expect(told).toMatchObject({ relation: "same" });
    expect(told.files).toMatchObject({ changed: ["src/b.ts"], deleted: ["src/a.ts"], renamed: [{ to: "src/renamed.ts" }] });
  });

  it("leave out edits before the save, files that were only touched, and unnamed files", async () => {
    const early = new Date(Date.now() - 1_000);
    writeFiles(app, { "src/a.ts": "edited before\n" });
    fs.utimesSync(path.join(app, "src", "a.ts"), early, early);
    await save();
    edit({ "src/b.ts": FILES["src/b.ts"], "unnamed.ts": "1\n" });
    commitAll(app, "unnamed");
    expect((await drift()).files).toEqual({ named: 4 });
  });

  it("are absent when git rewrote a file with Windows line ends", async () => {
    await save();
    edit({ "src/a.ts": "a\r\n", "src/b.ts": "b\r\nmore\r\n" });
    expect((await drift()).files).toEqual({ named: 4, changed: ["src/b.ts"] });
  });

  it("are reported for a rewritten branch", async () => {
    commitAll(app, "second");
    await save();
    git(app, "commit", "-q", "--amend", "--allow-empty", "-m", "second, better");
    commitAll(app, "third");
    const told = await drift();
    expect(told).toMatchObject({ relation: "rebased", ahead: 2, behind: 1 });
    expect(told.says).toContain("the branch was rewritten: 2 new commits, 1 saved commit missing");
  });

  it("are reported for removed commits, and for another branch", async () => {
    commitAll(app, "second");
    await save();
    git(app, "switch", "-q", "-c", "other", first);
    expect(await drift()).toMatchObject({ relation: "behind", behind: 1, saved: { branch: "main" }, now: { branch: "other" } });
    commitAll(app, "elsewhere");
    const told = await drift();
    expect(told).toMatchObject({ relation: "diverged", ahead: 1, behind: 1 });
    expect(told.says).toContain("now on branch other");
  });

  it("are unknown when the commit no longer exists, and that is reported", async () => {
    await save();
    fs.rmSync(path.join(app, ".git"), { recursive: true });
    makeRepository(app, { new: "1" });
    const told = await drift();
    expect(told).toMatchObject({ relation: "unknown", unknown: "the saved commit is missing in this repository, or git may not read it" });
    expect(told).not.toHaveProperty("files");
  });

  it("are reported without git as far as the repository's files allow", async () => {
    await save();
    commitAll(app, "second");
    vi.stubEnv("PATH", path.join(root, "nothing-here"));
    const told = await drift();
    expect(told).toMatchObject({ relation: "unknown", unknown: "git is not installed here", saved: { branch: "main" } });
    expect(told.now.commit).not.toBe(told.saved.commit);
  });

  it("are computed in the current worktree", async () => {
    await save();
    git(app, "worktree", "add", "-q", "-b", "side", `${app}-side`);
    commitAll(`${app}-side`, "there");
    expect(await drift({ cwd: `${app}-side` })).toMatchObject({
      relation: "ahead",
      ahead: 1,
      now: { root: `${app}-side`, branch: "side" },
    });
  });

  it("are computed in the saved repository from elsewhere, and unknown when it is gone", async () => {
    await save();
    commitAll(app, "second");
    expect(await drift({ cwd: root })).toMatchObject({ relation: "ahead", ahead: 1, now: { root: app } });
    fs.rmSync(app, { recursive: true, maxRetries: 3 });
    expect(await drift({ cwd: root })).toMatchObject({ relation: "unknown", unknown: "the repository is not here" });
  });

  it("name files by their full path, even the former one, after the repository was moved", async () => {
    await save({ goal: `see ${path.join(app, "src", "a.ts")}` });
    await store.close();
    const moved = `${app}-moved`;
    fs.renameSync(app, moved);
    app = moved;
    edit({ "src/a.ts": "other\n" });
    store = await openWorkrail({ dataDir: path.join(root, `data-${count}`), cwd: moved });
    expect((await drift()).files).toEqual({ named: 1, changed: ["src/a.ts"] });
  });

  it("use at most their share of the budget", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`src/deep/down/number-${index}.ts`, `${index}\n`]));
    edit(many);
    commitAll(app, "many");
    await save({ goal: "all of them", files: Object.keys(many) });
    edit(Object.fromEntries(Object.keys(many).map((name) => [name, "other\n"])));
    const { files } = await drift();
    expect(files).toMatchObject({ named: 40, changedCount: 40 });
    expect(files?.changed).toHaveLength(10);
    const small = await resume({ budgetTokens: 500 });
    expect(small.drift?.files).toEqual({ named: 40, changedCount: 40 });
    expect(small.budgetExceededBy).toBeUndefined();
  });

  it("run no program that the repository configures, and change nothing in it", async () => {
    const trap = path.join(root, "sprung");
    const command = `touch ${trap}; false`;
    git(app, "config", "core.fsmonitor", command);
    git(app, "config", "core.pager", command);
    git(app, "config", "diff.external", command);
    git(app, "config", "filter.trap.clean", command);
    git(app, "config", "diff.trap.textconv", command);
    git(app, "config", "alias.rev-list", `!${command}`);
    writeFiles(app, { ".git/info/attributes": "* filter=trap diff=trap\n" });
    await save();
    edit({ "src/a.ts": "other\n" });
    fs.rmSync(path.join(app, "src", "b.ts"));
    const index = fs.readFileSync(path.join(app, ".git", "index"));
    expect((await drift()).files).toMatchObject({ changed: ["src/a.ts"], deleted: ["src/b.ts"] });
    expect(fs.existsSync(trap)).toBe(false);
    expect(fs.readFileSync(path.join(app, ".git", "index")).equals(index)).toBe(true);
  });

  it("are not reported for checkpoints saved outside of a repository", async () => {
    const plain = path.join(root, `plain-${count}`);
    fs.mkdirSync(plain);
    await using other = await openWorkrail({ dataDir: path.join(root, `data-plain-${count}`), cwd: plain });
    await other.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    expect(await other.resumeWork({ sessionId: "s" })).not.toHaveProperty("drift");
  });
});
