import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { prepareDataDirectory } from "./data-directory.ts";

const ignore = (): void => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

describe.skipIf(process.platform === "win32")("a data directory that is made (not on Windows, which syncs no directories)", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is durable by name, with each directory made for it, before anything is in it", () =>
    withDirectory(async (directory) => {
      const synced: string[] = [];
      const opened = new Map<number, string>();
      const open = fs.openSync;
      vi.spyOn(fs, "openSync").mockImplementation((file, flags, mode) => {
        const fd = open(file, flags, mode);
        opened.set(fd, String(file));
        return fd;
      });
      vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => void synced.push(opened.get(fd) ?? ""));
      const dataDir = path.join(directory, "a", "b", "data");
      expect(prepareDataDirectory(dataDir, silent)).toBe(fs.realpathSync(dataDir));
      expect(synced).toEqual([path.join(directory, "a", "b"), path.join(directory, "a"), directory]);
      prepareDataDirectory(dataDir, silent);
      expect(synced).toHaveLength(3);
    }));

  it("is made although the directory that it is made in may not be read", () =>
    withDirectory(async (directory) => {
      vi.spyOn(fs, "openSync").mockImplementation(() => {
        throw Object.assign(new Error("EACCES: injected"), { code: "EACCES" });
      });
      expect(prepareDataDirectory(path.join(directory, "data"), silent)).toBe(fs.realpathSync(path.join(directory, "data")));
    }));
});
