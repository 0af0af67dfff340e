import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findProject } from "./project.ts";

describe("the project of a directory", () => {
  let root: string;
  const make = (...names: readonly string[]): string => {
    const directory = path.join(root, ...names);
    fs.mkdirSync(directory, { recursive: true });
    return directory;
  };

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-project-")));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    fs.rmSync(root, { recursive: true, force: true });
  });

  it("is the nearest one above it with a .git", () => {
    make("repository", ".git");
    const deep = make("repository", "packages", "a", "src");
    expect(findProject(deep)).toBe(path.join(root, "repository"));
    expect(findProject(path.join(root, "repository"))).toBe(path.join(root, "repository"));
    make("repository", "packages", "a", ".git");
    expect(findProject(deep)).toBe(path.join(root, "repository", "packages", "a"));
  });

  it("may have a file as its .git, as worktrees and submodules have", () => {
    const deep = make("worktree", "src");
    fs.writeFileSync(path.join(root, "worktree", ".git"), "gitdir: /elsewhere");
    expect(findProject(deep)).toBe(path.join(root, "worktree"));
  });

  it("is the directory itself without a .git", () => {
    const directory = make("plain", "directory");
    expect(findProject(directory)).toBe(directory);
    expect(findProject(path.join(directory, "not", "there"))).toBe(path.join(directory, "not", "there"));
  });

  it("does not exist at the root of the file system", () => {
    expect(findProject(path.parse(root).root)).toBeUndefined();
  });

  // Windows finds the home directory by other variables.
  describe.skipIf(process.platform === "win32")("near the home directory (not on Windows)", () => {
    it("does not exist in it, although its settings may be kept in git, and the search does not go above it", () => {
      const home = make("home");
      vi.stubEnv("HOME", home);
      make("home", ".git");
      make(".git");
      expect(findProject(home)).toBeUndefined();
      const below = make("home", "work");
      expect(findProject(below)).toBe(below);
    });

    it("does not exist in it, even when it is named through a link", () => {
      const home = make("real", "home");
      fs.symlinkSync(home, path.join(root, "home"));
      vi.stubEnv("HOME", path.join(root, "home"));
      expect([findProject(home), findProject(path.join(root, "home"))]).toEqual([undefined, undefined]);
    });
  });
});
