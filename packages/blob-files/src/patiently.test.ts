import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { onPlatform } from "../test/platform.ts";
import { withDirectory } from "../test/with-directory.ts";
import { writeDurably } from "./durable-files.ts";
import { nodeFileSystem } from "./file-system.ts";
import { patiently } from "./patiently.ts";

const refused = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** Returns work that fails a number of times and counts its calls. */
function failing(times: number, code: string): { work: () => string; calls: () => number } {
  let calls = 0;
  const work = (): string => {
    calls += 1;
    if (calls <= times) throw refused(code);
    return "done";
  };
  return { work, calls: () => calls };
}

describe("a file that another process holds for a moment", () => {
  it.each(["EPERM", "EBUSY", "EACCES"])("is waited for on Windows (%s)", async (code) => {
    const { work, calls } = failing(3, code);
    expect(await onPlatform("win32", () => patiently(work))).toBe("done");
    expect(calls()).toBe(4);
  });

  it("is waited for only for a limited time", async () => {
    const { work, calls } = failing(Number.POSITIVE_INFINITY, "EBUSY");
    await expect(onPlatform("win32", () => patiently(work))).rejects.toMatchObject({ code: "EBUSY" });
    expect(calls()).toBe(14);
  });

  it.each<[NodeJS.Platform, string]>([
    ["linux", "EACCES"],
    ["darwin", "EPERM"],
    ["win32", "ENOENT"],
  ])("is refused at once on %s with %s, which is permanent", async (platform, code) => {
    const { work, calls } = failing(1, code);
    await expect(onPlatform(platform, () => patiently(work))).rejects.toMatchObject({ code });
    expect(calls()).toBe(1);
  });
});

describe("files on Windows", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are replaced, read and removed even while a scanner holds them", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "file");
      const obstruct = (name: "renameSync" | "unlinkSync" | "openSync", code: string): void => {
        vi.spyOn(fs, name).mockImplementationOnce(() => {
          throw refused(code);
        });
      };
      await onPlatform("win32", async () => {
        obstruct("renameSync", "EPERM");
        await writeDurably(nodeFileSystem, file, { bytes: Buffer.from("text"), mode: "replace" });
        obstruct("openSync", "EBUSY");
        expect(Buffer.from((await nodeFileSystem.read(file)) ?? []).toString()).toBe("text");
        obstruct("unlinkSync", "EBUSY");
        nodeFileSystem.unlink(file);
      });
      expect(fs.readdirSync(directory)).toEqual([]);
    }));
});
