import fs from "node:fs";
import { realPathOf } from "@workrail/blob-files";

/** Facts about a directory from the operating system. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** Linux's magic number of the file system. */
  fileSystemType(directory: string): number;
  /** Real path. A drive letter of a network share is replaced by the share's name. */
  realPath(directory: string): string;
}

const thisSystem: System = {
  platform: process.platform,
  fileSystemType: (directory) => fs.statfsSync(directory).type,
  realPath: realPathOf,
};

/** File systems on which shared memory and locks between processes or machines are unreliable, by Linux's magic numbers. */
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
 * Returns the name of a directory's file system when a SQLite database in WAL mode is not safe there. `undefined` for all
 * other file systems, and on platforms where Node does not tell the file system, such as macOS.
 */
export function unsuitableFileSystem(directory: string, system: System = thisSystem): string | undefined {
  if (system.platform === "win32") return system.realPath(directory).startsWith("\\\\") ? "a network share" : undefined;
  if (system.platform !== "linux") return undefined;
  // The number is negative on systems where it has 32 bits.
  return UNSUITABLE.get(system.fileSystemType(directory) >>> 0);
}
