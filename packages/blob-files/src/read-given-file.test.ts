import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { calledBackFiles } from "./called-back.ts";
import { type GivenFile, isWithin, readGivenFile, readGivenFileNow } from "./read-given-file.ts";

const isPosix = process.platform !== "win32";
const LIMITS = { maxBytes: 100 };

afterEach(() => vi.restoreAllMocks());

async function read(folder: string, name: string, limits = LIMITS): Promise<string> {
  return told(await readGivenFile(folder, path.join(folder, name), limits));
}

function told(found: GivenFile): string {
  return "bytes" in found ? found.bytes.toString() : `refused: ${found.refused}`;
}

describe("a file that another user may have created", () => {
  it("is read whole up to the limit, and refused beyond it", () =>
    withDirectory(async (folder) => {
      fs.writeFileSync(path.join(folder, "most"), "x".repeat(100));
      fs.writeFileSync(path.join(folder, "more"), "x".repeat(101));
      fs.writeFileSync(path.join(folder, "none"), "");
      expect([await read(folder, "most"), await read(folder, "more"), await read(folder, "none")]).toEqual([
        "x".repeat(100),
        "refused: too-large",
        "",
      ]);
      expect(["most", "more", "none"].map((name) => told(readGivenFileNow(path.join(folder, name), 100)))).toEqual([
        "x".repeat(100),
        "refused: too-large",
        "",
      ]);
    }));

  it("is read in full when it has more bytes than its size states", async () => {
    if (process.platform !== "linux") return;
    const { length } = fs.readFileSync("/proc/self/status");
    expect(fs.statSync("/proc/self/status").size).toBe(0);
    const found = await readGivenFile("/proc", "/proc/self/status", { maxBytes: 100_000 });
    expect("bytes" in found && found.bytes.length > length / 2).toBe(true);
    expect(told(await readGivenFile("/proc", "/proc/self/status", { maxBytes: 10 }))).toBe("refused: too-large");
    expect(told(readGivenFileNow("/proc/self/status", 10))).toBe("refused: too-large");
  });

  it("is refused when it does not exist, and when it is a directory", () =>
    withDirectory(async (folder) => {
      fs.mkdirSync(path.join(folder, "directory"));
      expect([await read(folder, "nothing"), await read(folder, "directory"), await read(folder, "nothing/at/all")]).toEqual([
        "refused: missing",
        "refused: not-a-file",
        "refused: missing",
      ]);
      expect(told(readGivenFileNow(path.join(folder, "directory"), 100))).toBe("refused: not-a-file");
    }));

  it.skipIf(!isPosix)("(links; not on Windows) is read through links that stay inside the folder, and through no others", () =>
    withDirectory(async (place) => {
      const [folder, outside] = [path.join(place, "folder"), path.join(place, "folder-beside")];
      for (const each of [folder, outside]) fs.mkdirSync(each);
      fs.writeFileSync(path.join(folder, "file"), "inside");
      fs.writeFileSync(path.join(outside, "file"), "outside");
      const links = {
        a: "file",
        b: "a",
        c: "../folder/file",
        out: "../folder-beside/file",
        absolute: path.join(outside, "file"),
        loop: "loop",
      };
      for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(folder, name));
      fs.symlinkSync(outside, path.join(folder, "way"));
      fs.symlinkSync(folder, path.join(place, "link"));
      expect(await Promise.all(["a", "b", "c"].map((name) => read(folder, name)))).toEqual(Array(3).fill("inside"));
      expect(await Promise.all(["out", "absolute", "way/file", "loop"].map((name) => read(folder, name)))).toEqual(
        Array(4).fill("refused: outside"),
      );
      expect(await read(path.join(place, "link"), "b")).toBe("inside");
      expect(told(readGivenFileNow(path.join(folder, "a"), 100))).toBe("refused: not-a-file");
    }),
  );

  it.skipIf(!isPosix)("(pipes; not on Windows) is refused, without waiting, when it is a pipe", () =>
    withDirectory(async (folder) => {
      execFileSync("mkfifo", [path.join(folder, "pipe")]);
      expect(await read(folder, "pipe")).toBe("refused: not-a-file");
      expect(told(readGivenFileNow(path.join(folder, "pipe"), 100))).toBe("refused: not-a-file");
    }),
  );

  it("is not waited for longer than the timeout, and no more than two reads hang at a time", () =>
    withDirectory(async (folder) => {
      fs.writeFileSync(path.join(folder, "file"), "late");
      let answer = (): void => {};
      const hung = new Promise<void>((resolve) => (answer = resolve));
      const { realpath } = calledBackFiles;
      const asked = vi.spyOn(calledBackFiles, "realpath").mockImplementation(async (file) => hung.then(() => realpath(file)));
      const limits = { ...LIMITS, patienceMs: 10 };
      const found = [];
      for (let time = 0; time < 4; time++) found.push(await read(folder, "file", limits));
      expect(found).toEqual(Array(4).fill("refused: too-slow"));
      expect(asked).toHaveBeenCalledTimes(2);
      answer();
      vi.restoreAllMocks();
      await vi.waitFor(async () => expect(await read(folder, "file")).toBe("late"), { timeout: 30_000 });
    }));
});

describe("isWithin", () => {
  it.each([
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/a/..b", true],
    ["/a", "/ab", false],
    ["/a", "/", false],
    ["/a/b", "/a/c", false],
  ])("of %s and %s is %s", (folder, place, is) => {
    expect(isWithin(path.resolve(folder), path.resolve(place))).toBe(is);
  });
});
