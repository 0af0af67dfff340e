import fs from "node:fs";
import { realPathOf } from "@workrail/blob-files";

/** What the operating system tells of a directory. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** Linux's number of the file system. */
  fileSystemType(directory: string): number;
  /** With a drive letter that stands for a share replaced by the share's name. */
  realPath(directory: string): string;
}

const thisSystem: System = {
  platform: process.platform,
  fileSystemType: (directory) => fs.statfsSync(directory).type,
  realPath: realPathOf,
};

/** File systems on which processes, or machines, cannot rely on sharing memory and locks, by Linux's numbers. */
const UNSUITABLE: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x01021997, "9p"],
  [0x65735546, "fuse"],
  [0x786f4256, "vboxsf"],
  [0x7366746e, "ntfs3"],
  [0x00c36400, "ceph"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x5346414f, "afs"],
  [0x73757245, "coda"],
]);

/**
 * The name of the file system that a directory is on, if a SQLite database in WAL mode is not safe there. `undefined` for
 * all others, and where Node does not tell it, as on macOS.
 */
export function unsuitableFileSystem(directory: string, system: System = thisSystem): string | undefined {
  if (system.platform === "win32") return system.realPath(directory).startsWith("\\\\") ? "a network share" : undefined;
  if (system.platform !== "linux") return undefined;
  // Negative where the system's numbers have 32 bits.
  return UNSUITABLE.get(system.fileSystemType(directory) >>> 0);
}
