import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findProjectRoot } from "./project-root.ts";

let root: string;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-root-")));
});

afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(root, { recursive: true, force: true });
});

function below(...names: readonly string[]): string {
  const directory = path.join(root, ...names);
  fs.mkdirSync(directory, { recursive: true });
  return directory;
}

describe("the root of a project", () => {
  it.each(["package.json", "pyproject.toml", "go.mod", "Cargo.toml", "pom.xml"])("is where there is a %s", (name) => {
    const work = below("shop", "src", "deep");
    fs.writeFileSync(path.join(root, "shop", name), "");
    expect(findProjectRoot(work)).toBe(path.join(root, "shop"));
    expect(findProjectRoot(path.join(root, "shop"))).toBe(path.join(root, "shop"));
  });

  it("is where there is a .git, a folder or, in a worktree, a file", () => {
    below("shop", ".git");
    expect(findProjectRoot(below("shop", "src"))).toBe(path.join(root, "shop"));
    fs.writeFileSync(path.join(below("worktree"), ".git"), "gitdir: elsewhere");
    expect(findProjectRoot(below("worktree", "src"))).toBe(path.join(root, "worktree"));
  });

  it("is the root of the repository, not of a package in it", () => {
    below("shop", ".git");
    const member = below("shop", "packages", "cart");
    fs.writeFileSync(path.join(member, "package.json"), "{}");
    expect(findProjectRoot(member)).toBe(path.join(root, "shop"));
  });

  it("is the nearest of several", () => {
    fs.writeFileSync(path.join(root, "package.json"), "{}");
    const inner = below("inner");
    fs.writeFileSync(path.join(inner, "go.mod"), "");
    expect(findProjectRoot(inner)).toBe(inner);
  });

  it("does not exist without any of these, nor in the home directory or the root of the file system", () => {
    vi.stubEnv("HOME", root);
    vi.stubEnv("USERPROFILE", root);
    below(".git");
    fs.writeFileSync(path.join(root, "package.json"), "{}");
    expect(findProjectRoot(below("src"))).toBeUndefined();
    expect(findProjectRoot(root)).toBeUndefined();
    expect(findProjectRoot(path.parse(root).root)).toBeUndefined();
  });
});
