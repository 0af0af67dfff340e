import path from "node:path";
import { directoriesUp, signatureOf } from "@workrail/blob-files";

/** Files that mark the root of a project, by language. */
const MANIFESTS = [
  "package.json",
  "pyproject.toml",
  "setup.py",
  "requirements.txt",
  "go.mod",
  "Cargo.toml",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "composer.json",
  "Gemfile",
  "mix.exs",
  "deno.json",
  "pubspec.yaml",
  "Package.swift",
  "CMakeLists.txt",
  "Makefile",
];

/**
 * Returns the root of a directory's project: the directory itself or its nearest ancestor with a `.git`, which is a file in
 * worktrees and submodules; else the nearest with a manifest such as `package.json`. Returns `undefined` without one. The root of
 * the file system and the home directory are not projects.
 */
export function findProjectRoot(directory: string): string | undefined {
  const candidates = directoriesUp(directory);
  const holds = (at: string, name: string): boolean => signatureOf(path.join(at, name)) !== undefined;
  return candidates.find((at) => holds(at, ".git")) ?? candidates.find((at) => MANIFESTS.some((name) => holds(at, name)));
}
