import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { nodeFileSystem } from "./file-system.ts";
import { realPathOf } from "./real-path.ts";

const refused = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

afterEach(() => {
  vi.restoreAllMocks();
});

describe.skipIf(process.platform === "win32")("a directory (not on Windows, which syncs none)", () => {
  /** Fails both fsync calls: the disk is synced in place or in a thread, depending on its earlier speed. */
  function failToSync(code: string): void {
    const fail = (_fd: number, done: (error: Error) => void): void => done(refused(code));
    vi.spyOn(fs, "fsync").mockImplementation(fail);
    vi.spyOn(fs, "fsyncSync").mockImplementation(() => {
      throw refused(code);
    });
  }

  it.each(["EINVAL", "ENOTSUP"])("need not be synced when the file system does not support it (%s)", (code) =>
    withDirectory(async (directory) => {
      failToSync(code);
      await expect(Promise.resolve().then(() => nodeFileSystem.syncDirectory(directory))).resolves.toBeUndefined();
    }),
  );

  it("that could not be synced by a failing disk is an error", () =>
    withDirectory(async (directory) => {
      failToSync("EIO");
      await expect(Promise.resolve().then(() => nodeFileSystem.syncDirectory(directory))).rejects.toMatchObject({ code: "EIO" });
    }));
});

describe("the real path", () => {
  it("is found when the system's own call fails, as on Windows for a drive in memory", () =>
    withDirectory((directory) => {
      vi.spyOn(fs.realpathSync, "native").mockImplementation(() => {
        throw refused("EISDIR");
      });
      expect(realPathOf(directory)).toBe(fs.realpathSync(directory));
    }));

  it("of a missing file fails with ENOENT", () =>
    withDirectory((directory) => {
      expect(() => realPathOf(path.join(directory, "gone"))).toThrow("ENOENT");
    }));
});
