import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { writeDurably } from "./durable-files.ts";
import { nodeFileSystem, patient, signatureOf } from "./file-system.ts";
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

describe("a file's signature", () => {
  it("changes with it, and never follows a link", () =>
    withDirectory((folder) => {
      const file = path.join(folder, "file");
      expect(signatureOf(file)).toBeUndefined();
      fs.writeFileSync(file, "a");
      const first = signatureOf(file);
      expect(signatureOf(file)).toBe(first);
      fs.writeFileSync(file, "ab");
      expect(signatureOf(file)).not.toBe(first);
      expect(signatureOf(folder)).toMatch(/^directory/u);
      if (process.platform === "win32") return;
      fs.symlinkSync(file, path.join(folder, "link"));
      expect(signatureOf(path.join(folder, "link"))).toMatch(/^other/u);
    }));
});

/** Returns a file system whose removals fail a number of times, and counts them. */
function failing(times: number, code: string) {
  let calls = 0;
  const unlink = (): void => {
    calls += 1;
    if (calls <= times) throw refused(code);
  };
  return { files: { ...nodeFileSystem, unlink }, calls: () => calls };
}

describe("a file that another process holds for a moment", () => {
  it.each(["EPERM", "EBUSY", "EACCES"])("is waited for on Windows (%s)", (code) => {
    const { files, calls } = failing(3, code);
    patient(files).unlink("file");
    expect(calls()).toBe(4);
  });

  it("is waited for only for a limited time", () => {
    const { files, calls } = failing(Number.POSITIVE_INFINITY, "EBUSY");
    expect(() => patient(files).unlink("file")).toThrow("EBUSY");
    expect(calls()).toBe(14);
  });

  it("is refused at once with ENOENT, which is permanent", () => {
    const { files, calls } = failing(1, "ENOENT");
    expect(() => patient(files).unlink("file")).toThrow("ENOENT");
    expect(calls()).toBe(1);
  });

  it("is waited for when it is unlinked in a thread, too", async () => {
    const { files, calls } = failing(3, "EBUSY");
    const unlinkSoon = () => Promise.reject(refused("EBUSY"));
    await patient({ ...files, unlinkSoon }).unlinkSoon("file");
    expect(calls()).toBe(4);
    await expect(patient({ ...failing(1, "ENOENT").files, unlinkSoon }).unlinkSoon("file")).rejects.toThrow("ENOENT");
  });

  it.skipIf(process.platform === "win32").each(["EACCES", "EPERM"])("is refused at once elsewhere (%s)", (code) => {
    const unlink = vi.spyOn(fs, "unlinkSync").mockImplementation(() => {
      throw refused(code);
    });
    expect(() => nodeFileSystem.unlink("file")).toThrow(code);
    expect(unlink).toHaveBeenCalledOnce();
  });
});

it("files on Windows are replaced, read and removed even while a scanner holds them", () =>
  withDirectory(async (directory) => {
    const file = path.join(directory, "file");
    const obstruct = (name: "renameSync" | "unlinkSync" | "openSync", code: string): void => {
      vi.spyOn(fs, name).mockImplementationOnce(() => {
        throw refused(code);
      });
    };
    const files = patient(nodeFileSystem);
    obstruct("renameSync", "EPERM");
    await writeDurably(files, file, { bytes: Buffer.from("text"), mode: "replace" });
    obstruct("openSync", "EBUSY");
    expect(Buffer.from((await files.read(file)) ?? []).toString()).toBe("text");
    obstruct("unlinkSync", "EBUSY");
    files.unlink(file);
    expect(fs.readdirSync(directory)).toEqual([]);
  }));
