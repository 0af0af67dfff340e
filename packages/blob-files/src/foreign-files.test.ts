import fs from "node:fs";
import path from "node:path";
import type { BlobInfo, CheckpointId, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { BackupDirectory } from "./backup-directory.ts";
import { FileBlobStore } from "./file-blob-store.ts";
import { nodeFileSystem } from "./file-system.ts";
import { StoredBackup } from "./stored-backup.ts";

const KEY = { sessionId: "s1" as SessionId, checkpointId: "c1" as CheckpointId };
/** Files that macOS and Windows create in folders. */
const FOREIGN = [".DS_Store", "._c1.json.gz", "desktop.ini", "Thumbs.db"];

function litter(directory: string): void {
  for (const name of FOREIGN) fs.writeFileSync(path.join(directory, name), "theirs");
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("files that the system adds to our directories", () => {
  it("are not listed as checkpoints", () =>
    withDirectory(async (dataDir) => {
      const blobs = new FileBlobStore(dataDir, nodeFileSystem);
      const ref = await blobs.put(KEY, Buffer.from("ours"));
      litter(path.join(dataDir, "contexts"));
      litter(path.join(dataDir, "contexts", "s1"));
      expect((await all<BlobInfo>(blobs.list())).map((each) => each.ref)).toEqual([ref]);
      expect(await blobs.removeAbandoned()).toBe(0);
    }));

  it("are not part of a backup", () =>
    withDirectory(async (parent) => {
      const directory = path.join(parent, "backup");
      const target = await BackupDirectory.create({ directory, dataDir: undefined });
      await target.blobs.put(KEY, Buffer.from("ours"));
      const made = path.join(parent, fs.readdirSync(parent)[0] ?? "", "contexts");
      litter(made);
      litter(path.join(made, "s1"));
      await target.finish({ createdAt: new Date(0), writer: "test", checkpoints: 1, trashed: 0, sessions: 1, unreadable: [] });
      const backup = await StoredBackup.open(directory);
      expect(backup.manifest.files.map((file) => file.path)).toEqual(["contexts/s1/c1.json.gz"]);
      await backup.check();
      litter(path.join(directory, "contexts", "s1"));
      await backup.check();
    }));
});
