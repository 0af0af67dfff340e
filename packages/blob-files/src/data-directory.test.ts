import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { prepareDataDirectory } from "./data-directory.ts";

const ignore = (): void => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

describe.skipIf(process.platform === "win32")("a new data directory (not on Windows, which syncs no directories)", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is durable by name, with each directory above that was created, before it holds data", () =>
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

  it("is created in a directory without read permission", () =>
    withDirectory(async (directory) => {
      vi.spyOn(fs, "openSync").mockImplementation(() => {
        throw Object.assign(new Error("EACCES: injected"), { code: "EACCES" });
      });
      expect(prepareDataDirectory(path.join(directory, "data"), silent)).toBe(fs.realpathSync(path.join(directory, "data")));
    }));
});

describe.skipIf(process.platform === "win32")("a data directory that others may access (not on Windows, which has no modes)", () => {
  function warningsFor(dataDir: string): readonly string[] {
    const warnings: string[] = [];
    prepareDataDirectory(dataDir, { ...silent, warn: (message) => void warnings.push(message) });
    return warnings;
  }

  it("is closed to others, with its settings and its keys, and that is reported", () =>
    withDirectory(async (directory) => {
      const names = ["config.json", "redaction.key", "workrail.db", "search.db-wal", "catalog.jsonl"];
      for (const name of names) fs.writeFileSync(path.join(directory, name), "", { mode: 0o644 });
      for (const name of ["contexts", "exports", "quarantine"]) fs.mkdirSync(path.join(directory, name), { mode: 0o755 });
      fs.chmodSync(directory, 0o755);
      expect(warningsFor(directory)).toEqual([
        "closed the data directory to other users",
        ...Array.from({ length: names.length + 3 }, () => "closed a file of the store to other users"),
      ]);
      for (const name of [".", ...fs.readdirSync(directory)])
        expect([name, fs.statSync(path.join(directory, name)).mode & 0o077]).toEqual([name, 0]);
      expect(warningsFor(directory)).toEqual([]);
    }));

  it.skipIf(process.getuid?.() !== 0)("(only as root, who can change owners) causes a warning when another user owns it", () =>
    withDirectory(async (directory) => {
      fs.chownSync(directory, 65_534, 65_534);
      expect(warningsFor(directory)).toEqual(["the data directory belongs to another user, who can read and replace what is in it"]);
    }),
  );
});
