import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { ReserveFile } from "./reserve-file.ts";

const MiB = 1024 * 1024;

async function withDirectory(test: (directory: string, file: string) => Promise<void>): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-reserve-"));
  try {
    await test(directory, path.join(directory, "reserve"));
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

function failing(code: string, method: "create" | "write" | "sync"): FileSystem {
  const fail = (): never => {
    throw Object.assign(new Error(code), { code });
  };
  return { ...nodeFileSystem, [method]: fail };
}

describe("the reserve", () => {
  it("is 1 MiB of allocated space with mode 0600", () =>
    withDirectory(async (directory, file) => {
      expect(await new ReserveFile(directory, nodeFileSystem).keep()).toBe(true);
      const { size, blocks, mode } = fs.statSync(file);
      // Windows has neither blocks nor modes.
      const taken = process.platform === "win32" ? MiB : blocks * 512;
      expect([size, taken >= MiB, process.platform === "win32" ? 0o600 : mode & 0o777]).toEqual([MiB, true, 0o600]);
    }));

  it("is created once, and again after it was released", () =>
    withDirectory(async (directory, file) => {
      const reserve = new ReserveFile(directory, nodeFileSystem);
      await reserve.keep();
      const first = nodeFileSystem.inspect(file)?.identity;
      await reserve.keep();
      expect(nodeFileSystem.inspect(file)?.identity).toBe(first);
      await reserve.release();
      await reserve.release();
      expect(fs.existsSync(file)).toBe(false);
      expect(await reserve.keep()).toBe(true);
      expect(fs.statSync(file).size).toBe(MiB);
    }));

  it("is completed after a dead process left a part of it", () =>
    withDirectory(async (directory, file) => {
      fs.writeFileSync(file, "a part");
      expect(await new ReserveFile(directory, nodeFileSystem).keep()).toBe(true);
      expect(fs.statSync(file).size).toBe(MiB);
    }));

  it("is not created with less than 2 MiB of free space", () =>
    withDirectory(async (directory, file) => {
      expect(await new ReserveFile(directory, { ...nodeFileSystem, freeBytes: () => 2 * MiB - 1 }).keep()).toBe(false);
      expect(fs.existsSync(file)).toBe(false);
    }));

  it.each([
    ["ENOSPC", "write"],
    ["EDQUOT", "sync"],
    ["EROFS", "create"],
    ["EFBIG", "write"],
  ] as const)("leaves no file after %s in %s", (code, method) =>
    withDirectory(async (directory, file) => {
      expect(await new ReserveFile(directory, failing(code, method)).keep()).toBe(false);
      expect(fs.existsSync(file)).toBe(false);
    }),
  );
});
