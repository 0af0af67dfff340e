import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Child, type ChildOptions } from "./child-process.ts";
import { proveFiles } from "./prove-files.ts";
import { SESSION, withDirectory, withOpened } from "./test-store.ts";

const isPosix = process.platform !== "win32";
const isLinuxRoot = process.platform === "linux" && process.getuid?.() === 0;

describe("a disk without room", () => {
  it.skipIf(!isPosix)("(a limit of the size of a file; not on Windows) refuses a save, and keeps earlier saves", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const { failure, saved } = await fillUp(dataDir, { through: ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh"] });
      expect(failure).toBe("STORAGE_UNAVAILABLE input-output");
      await expectAll(dataDir, saved);
    }),
  );

  it.skipIf(!isLinuxRoot)(
    "(a small disk of its own; only as root on Linux) refuses a save, keeps earlier saves, and continues",
    (context) =>
      withDirectory(async (directory) => {
        try {
          execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], { stdio: "ignore" });
        } catch {
          context.skip("no file system may be mounted here");
        }
        try {
          const dataDir = path.join(directory, "data");
          const { failure, saved } = await fillUp(dataDir);
          expect(failure).toBe("STORAGE_UNAVAILABLE disk-full");
          execFileSync("mount", ["-o", "remount,size=8m", directory]);
          await expectAll(dataDir, saved);
          await withOpened(dataDir, (store) => store.collectGarbage());
          const blobs = fs.readdirSync(path.join(dataDir, "contexts", SESSION));
          expect(blobs.filter((name) => name !== "metadata.json")).toHaveLength(saved + 1);
        } finally {
          execFileSync("umount", ["-l", directory]);
        }
      }),
  );
});

/** Saves until a save is refused. The last saved context must still load in the process that met the full disk. */
async function fillUp(dataDir: string, options?: ChildOptions): Promise<{ failure: string | undefined; saved: number }> {
  const lines = await Child.start({ type: "fill", dataDir }, options).done();
  const numbers = lines.slice(0, -2).map(Number);
  expect(numbers.length).toBeGreaterThan(2);
  expect(lines.at(-1)).toBe(String(numbers.at(-1)));
  return { failure: lines.at(-2), saved: numbers.length };
}

async function expectAll(dataDir: string, saved: number): Promise<void> {
  await withOpened(dataDir, async (store) => {
    expect(await store.contextOf()).toMatchObject({ number: saved - 1 });
    await store.save({ number: saved });
  });
  const numbers = [...proveFiles(dataDir).contexts.values()].map((context) => (context as { number: number }).number);
  expect(numbers).toEqual(Array.from({ length: saved + 1 }, (_, index) => index));
}
