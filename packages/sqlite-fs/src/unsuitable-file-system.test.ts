import os from "node:os";
import { describe, expect, it } from "vitest";
import { type System, unsuitableFileSystem } from "./unsuitable-file-system.ts";

describe("a directory's file system", () => {
  const linux = (type: number): System => ({ platform: "linux", fileSystemType: () => type, realPath: (directory) => directory });
  const windows = (realPath: string): System => ({ platform: "win32", fileSystemType: () => 0, realPath: () => realPath });

  it.each<[string, System, string | undefined]>([
    ["NFS", linux(0x6969), "nfs"],
    ["CIFS", linux(0xff534d42), "cifs"],
    ["CIFS on 32 bits", linux(0xff534d42 | 0), "cifs"],
    ["9p, as in WSL", linux(0x01021997), "9p"],
    ["FUSE, as where a container meets macOS", linux(0x65735546), "fuse"],
    ["ext4", linux(0xef53), undefined],
    ["xfs", linux(0x58465342), undefined],
    ["btrfs", linux(0x9123683e), undefined],
    ["tmpfs", linux(0x01021994), undefined],
    ["overlayfs", linux(0x794c7630), undefined],
    ["a share on Windows", windows("\\\\server\\share\\data"), "a network share"],
    ["a disk on Windows", windows("C:\\data"), undefined],
    ["any on macOS", { ...linux(0x6969), platform: "darwin" }, undefined],
  ])("%s", (_, system, expected) => {
    expect(unsuitableFileSystem("/data", system)).toBe(expected);
  });

  it("is asked of the system this runs on", () => {
    expect(() => unsuitableFileSystem(os.tmpdir())).not.toThrow();
  });
});
