import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeDirectories } from "./make-directories.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-directories-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("creates missing directories for the owner alone, and returns the first of them", () => {
  mkdirSync(path.join(folder, "a"));
  expect(makeDirectories(path.join(folder, "a", "b", "c"))).toBe(path.join(folder, "a", "b"));
  for (const made of [["b"], ["b", "c"]]) {
    const { mode } = statSync(path.join(folder, "a", ...made));
    // Node does not report the permissions of Windows.
    expect(process.platform === "win32" ? 0 : mode & 0o077).toBe(0);
  }
  expect(makeDirectories(path.join(folder, "a", "b", "c"))).toBeUndefined();
});

it("follows a link to a directory, and fails where there is no directory", () => {
  mkdirSync(path.join(folder, "a"));
  symlinkSync(path.join(folder, "a"), path.join(folder, "link"), "junction");
  expect(makeDirectories(path.join(folder, "link", "b"))).toBe(path.join(folder, "link", "b"));
  writeFileSync(path.join(folder, "file"), "");
  expect(() => makeDirectories(path.join(folder, "file"))).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(() => makeDirectories(path.join(folder, "file", "b", "c"))).toThrow(/ENOTDIR|ENOENT|EEXIST/u);
});

it.skipIf(process.platform !== "linux")("fails when no directory can be created (only Linux has /proc)", () => {
  expect(() => makeDirectories("/proc/workrail/data")).toThrow(expect.objectContaining({ code: "ENOENT" }));
});
