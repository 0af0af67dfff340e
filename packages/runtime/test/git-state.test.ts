import fs from "node:fs";
import path from "node:path";
import { calledBackFiles as files } from "@workrail/blob-files";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GitReader } from "../src/git/read-git-state.ts";
import { openWorkrail, type Workrail } from "../src/index.ts";
import { commitAll, freshDirectory, git, makeRepository, noGit, writeFiles } from "./repositories.ts";

describe.skipIf(noGit !== undefined)("the state of a repository (needs git)", () => {
  let root: string;
  let app: string;
  let first: string;
  const at = (...names: readonly string[]): string => path.join(root, ...names);
  const read = (directory: string) => new GitReader(directory).read();

  beforeAll(() => {
    root = freshDirectory();
    app = at("app");
    first = makeRepository(app, { "src/a.ts": "1\n" });
    git(app, "remote", "add", "origin", "https://me:s3cret@Example.com/team/app.git");
  });

  afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

  it("is read from its root and from any directory in it", async () => {
    const state = { root: app, commonDir: path.join(app, ".git"), branch: "main", commit: first, remote: "example.com/team/app" };
    expect(await read(app)).toEqual(state);
    expect(await read(path.join(app, "src"))).toEqual(state);
  });

  it("contains no credentials", async () => {
    expect(JSON.stringify(await read(app))).not.toMatch(/s3cret|me:/);
  });

  it("is read for a worktree, which shares its repository", async () => {
    git(app, "worktree", "add", "-q", "-b", "feature/login", at("app-login"));
    const state = await read(at("app-login"));
    expect(state).toMatchObject({ root: at("app-login"), commonDir: path.join(app, ".git"), branch: "feature/login", commit: first });
  });

  it("has no branch when a commit is checked out", async () => {
    git(app, "worktree", "add", "-q", "--detach", at("detached"));
    const state = await read(at("detached"));
    expect(state).toMatchObject({ commit: first });
    expect(state).not.toHaveProperty("branch");
  });

  it("has a branch and no commit before the first commit", async () => {
    fs.mkdirSync(at("new"));
    git(at("new"), "init", "-q", "-b", "trunk");
    expect(await read(at("new"))).toEqual({ root: at("new"), commonDir: at("new", ".git"), branch: "trunk" });
  });

  it("is read from packed refs, loose ones first", async () => {
    const commit = makeRepository(at("packed"));
    git(at("packed"), "pack-refs", "--all");
    expect(fs.existsSync(at("packed", ".git", "refs", "heads", "main"))).toBe(false);
    expect(await read(at("packed"))).toMatchObject({ branch: "main", commit });
    const next = commitAll(at("packed"), "next");
    expect(await read(at("packed"))).toMatchObject({ branch: "main", commit: next });
  });

  it("is that of the submodule in a submodule", async () => {
    makeRepository(at("outer"));
    git(at("outer"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", app, "inner");
    const state = await read(at("outer", "inner"));
    expect(state).toMatchObject({ root: at("outer", "inner"), commonDir: at("outer", ".git", "modules", "inner"), commit: first });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ["nothing that git wrote", { ".git/HEAD": "" }],
    ["a .git file that leads nowhere", { ".git": "gitdir: /nowhere/at/all\n" }],
    ["a .git file of something else", { ".git": "hello" }],
  ])("is unknown with %s", async (name, files) => {
    const directory = at(name.replaceAll(" ", "-"));
    writeFiles(directory, files);
    expect((await read(directory))?.commit).toBeUndefined();
  });

  it("has no branch or commit when refs are stored in another format", async () => {
    const directory = at("reftable");
    writeFiles(directory, { ".git/HEAD": "ref: refs/heads/.invalid\n", ".git/config": "[extensions]\n\trefStorage = reftable\n" });
    expect(await read(directory)).toEqual({ root: directory, commonDir: path.join(directory, ".git") });
  });

  it("never follows a name in HEAD that leads outside", async () => {
    const directory = at("crafted");
    writeFiles(directory, { secret: first, ".git/HEAD": "ref: refs/heads/../../../secret\n", ".git/config": "" });
    expect(await read(directory)).toEqual({ root: directory, commonDir: path.join(directory, ".git") });
  });

  it("does not exist outside of a repository", async () => {
    fs.mkdirSync(at("plain"));
    expect(await read(at("plain"))).toBeUndefined();
    expect(await read(at("not", "there"))).toBeUndefined();
    expect(await new GitReader(undefined).read()).toBeUndefined();
  });

  it("is unknown while the disk hangs, after one wait, and is read again afterwards", async () => {
    const reader = new GitReader(app, 20);
    let answer = (): void => {};
    const hung = new Promise<void>((resolve) => (answer = resolve));
    const lstat = files.lstat;
    const slow = vi.spyOn(files, "lstat").mockImplementation(async (file) => hung.then(() => lstat(file)));
    expect(await reader.read()).toBeUndefined();
    const asked = slow.mock.calls.length;
    expect(await reader.read()).toBeUndefined();
    expect(slow.mock.calls.length).toBe(asked);
    answer();
    slow.mockRestore();
    await vi.waitFor(async () => expect(await reader.read()).toMatchObject({ commit: first }), { timeout: 60_000 });
  });

  it("is read again after a commit, a switch of the branch, and the creation of a repository", async () => {
    const directory = at("changing");
    fs.mkdirSync(directory);
    const reader = new GitReader(directory);
    expect(await reader.read()).toBeUndefined();
    const commit = makeRepository(directory);
    expect(await reader.read()).toMatchObject({ branch: "main", commit });
    const second = commitAll(directory, "second");
    expect(await reader.read()).toMatchObject({ branch: "main", commit: second });
    git(directory, "switch", "-q", "-c", "other");
    expect(await reader.read()).toMatchObject({ branch: "other", commit: second });
    fs.rmSync(path.join(directory, ".git"), { recursive: true });
    expect(await reader.read()).toBeUndefined();
  });

  describe("and a checkpoint", () => {
    let workrail: Workrail;

    const open = (project: string, env: Readonly<Record<string, string>> = {}) =>
      openWorkrail({ dataDir: at("data"), cwd: project, env: { ...process.env, ...env } });

    beforeAll(async () => {
      workrail = await open(app);
    });

    afterAll(() => workrail.close());

    it("records the branch and the commit of the save", async () => {
      const { checkpointId } = await workrail.saveCheckpoint({ context: { a: 1 } });
      const { metadata } = await workrail.loadCheckpoint({ checkpointId });
      expect(metadata.gitState).toEqual({ branch: "main", commit: first.slice(0, 12) });
    });

    it("ignores such facts from its caller, and reports that", async () => {
      const labels = { gitState: { branch: "other" }, attributes: { mine: 1 } };
      const saved = await workrail.saveCheckpoint({ sessionId: "s", context: {}, metadata: labels });
      expect(saved.ignoredMetadata).toEqual(["gitState"]);
      const { metadata } = await workrail.loadCheckpoint({ sessionId: "s" });
      expect(metadata).toMatchObject({ attributes: { mine: 1 }, gitState: { branch: "main" } });
    });

    it("keeps the caller's facts, even when no room is left for the store's", async () => {
      const mine = "x".repeat(16_384 - `{"mine":""}`.length);
      await workrail.saveCheckpoint({ sessionId: "full", context: {}, metadata: { attributes: { mine } } });
      const { metadata } = await workrail.loadCheckpoint({ sessionId: "full" });
      expect(metadata.attributes?.["mine"]).toBe(mine);
      expect(metadata).not.toHaveProperty("gitState");
    });

    it("counts as unchanged after a commit", async () => {
      await workrail.saveCheckpoint({ sessionId: "same", context: { a: 1 }, metadata: { attributes: { mine: 1 } } });
      git(app, "switch", "-q", "-c", "later");
      const again = await workrail.saveCheckpoint({ sessionId: "same", context: { a: 1 }, metadata: { attributes: { mine: 1 } } });
      git(app, "switch", "-q", "main");
      expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED" });
      expect(again).not.toHaveProperty("ignored");
    });

    it("is listed with those of other worktrees when they are requested", async () => {
      await using there = await open(at("app-login"));
      await there.saveCheckpoint({ sessionId: "login", context: { b: 1 } });
      const sessions = async (worktrees?: boolean) =>
        (await workrail.findCheckpoints({ worktrees, limit: 100 })).checkpoints.map(({ sessionId }) => sessionId);
      expect(await sessions()).not.toContain("login");
      expect(await sessions(true)).toContain("login");
      expect((await there.findCheckpoints({ worktrees: true })).total).toBeGreaterThan((await there.findCheckpoints()).total);
    });

    it("keeps its branch and commit through a rebuild and an export", async () => {
      const before = await workrail.loadCheckpoint({ sessionId: "same" });
      const { file } = await workrail.exportSession("same", { file: at("same.json") });
      await using other = await openWorkrail({ dataDir: at("other-data"), project: null });
      await other.importFile(file);
      const { metadata } = await other.loadCheckpoint({ sessionId: "same" });
      expect(metadata.gitState).toEqual(before.metadata.gitState);
    });
  });
});
