import { existsSync } from "node:fs";
import path from "node:path";
import type { BlobRef, CheckpointId, SessionId } from "@workrail/core";
import { expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { FileBlobStore } from "./file-blob-store.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

const sessionId = "session" as SessionId;

async function put(blobs: FileBlobStore, count: number): Promise<readonly BlobRef[]> {
  const refs: BlobRef[] = [];
  for (let number = 0; number < count; number++) {
    const key = { sessionId, checkpointId: `cp-${number}` as CheckpointId };
    await blobs.put(key, Buffer.from("bytes"));
    refs.push(blobs.refOf(key));
  }
  return refs;
}

it("removes many blobs, of which some are gone already", () =>
  withDirectory(async (dataDir) => {
    const blobs = new FileBlobStore(dataDir, nodeFileSystem);
    const refs = await put(blobs, 40);
    await blobs.remove(refs.slice(10, 20));
    await blobs.remove(refs);
    expect(refs.filter((ref) => existsSync(path.join(dataDir, ref)))).toEqual([]);
  }));

it("reports a blob that cannot be removed when no other removal is under way", () =>
  withDirectory(async (dataDir) => {
    let underWay = 0;
    const files: FileSystem = {
      ...nodeFileSystem,
      async unlinkSoon(file) {
        if (file.includes("cp-3.")) throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
        underWay += 1;
        await nodeFileSystem.unlinkSoon(file);
        underWay -= 1;
      },
    };
    const blobs = new FileBlobStore(dataDir, files);
    const refs = await put(blobs, 40);
    await expect(blobs.remove(refs)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(underWay).toBe(0);
    expect(existsSync(path.join(dataDir, refs[3] as BlobRef))).toBe(true);
    await new FileBlobStore(dataDir, nodeFileSystem).remove(refs);
    expect(refs.filter((ref) => existsSync(path.join(dataDir, ref)))).toEqual([]);
  }));
