import path from "node:path";
import { directoriesUp, signatureOf } from "@workrail/blob-files";

/** What stands in the root of a project of one language or another. */
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
 * The root of the project that a directory belongs to: the nearest directory above it, itself included, with a `.git`, which is a
 * file in worktrees and submodules; else the nearest with what a language's tools ask for, such as `package.json`. `undefined`
 * when there is none: the root of the file system and the home directory are no projects.
 */
export function findProjectRoot(directory: string): string | undefined {
  const candidates = directoriesUp(directory);
  const holds = (at: string, name: string): boolean => signatureOf(path.join(at, name)) !== undefined;
  return candidates.find((at) => holds(at, ".git")) ?? candidates.find((at) => MANIFESTS.some((name) => holds(at, name)));
}
