import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { onPlatform } from "../test/platform.ts";
import { withDirectory } from "../test/with-directory.ts";
import { asSpelled, directoriesUp } from "./directories-up.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Simulates a file system that accepts one spelling for another. */
function spell(given: string, real: string): void {
  vi.spyOn(fs.realpathSync, "native").mockImplementation((place) => (place === given ? real : String(place)));
}

describe("a path as the file system spells it", () => {
  it.for<[string, NodeJS.Platform, string, string, string]>([
    ["another letter case on Windows", "win32", "c:\\Work\\shop", "C:\\work\\Shop", "C:\\work\\Shop"],
    ["another letter case on macOS", "darwin", "/users/Ann/shop", "/Users/ann/Shop", "/Users/ann/Shop"],
    ["an accent that is encoded otherwise, on macOS", "darwin", "/work/caf\u00e9", "/work/cafe\u0301", "/work/cafe\u0301"],
    ["a drive that stands for a share", "win32", "z:\\shop", "\\\\server\\share\\shop", "Z:\\shop"],
    ["a link", "darwin", "/tmp/shop", "/private/tmp/shop", "/tmp/shop"],
    ["another letter case on Linux, where that is another path", "linux", "/work/shop", "/Work/Shop", "/work/shop"],
  ])("is returned for %s", async ([, platform, given, real, spelled]) => {
    spell(given, real);
    expect(await onPlatform(platform, () => asSpelled(given))).toBe(spelled);
  });

  it("stays as given when nothing exists there, except for the drive letter", async () => {
    expect(await onPlatform("win32", () => asSpelled("c:\\Gone\\shop"))).toBe("C:\\Gone\\shop");
  });
});

describe("the directories above one", () => {
  it.each<NodeJS.Platform>(["win32", "darwin"])("end below the home directory, in whatever letter case that was set, on %s", (platform) =>
    withDirectory(async (directory) => {
      const home = path.join(fs.realpathSync(directory), "Home");
      const work = path.join(home, "work");
      fs.mkdirSync(work, { recursive: true });
      for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, path.join(path.dirname(home), "HOME"));
      expect(await onPlatform(platform, () => [directoriesUp(work), directoriesUp(home)])).toEqual([[work], []]);
    }),
  );

  it("are returned in one spelling, whatever the spelling of the argument", () =>
    withDirectory(async (directory) => {
      const real = path.join(fs.realpathSync(directory), "Shop");
      fs.mkdirSync(real);
      const given = path.join(path.dirname(real), "shop");
      spell(given, real);
      expect((await onPlatform("darwin", () => directoriesUp(given)))[0]).toBe(real);
    }));
});
