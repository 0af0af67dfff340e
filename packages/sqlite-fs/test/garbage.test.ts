import fs from "node:fs";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { finishRemovals, type BlobRef } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { SESSION, type TestStore, withDirectory, withOpened, withStore } from "./test-store.ts";

/** A process id that no process has. */
const NOBODY = 4_194_999;

describe("garbage", () => {
  it("consists of blobs without a row and temporary files of dead processes", () =>
    withStore(async (store) => {
      const { record } = await store.save({ number: 1 });
      const directory = path.join(store.dataDir, "contexts", SESSION);
      const orphan = store.storage.blobs.refOf({ sessionId: SESSION, checkpointId: "orphan" as never });
      const bytes = (await store.storage.blobs.get(record.blob)) ?? Buffer.of();
      await store.storage.blobs.put({ sessionId: SESSION, checkpointId: "orphan" as never }, bytes);
      const living = temporaryName(await nameOfTemporary(store), process.pid);
      const dead = temporaryName(living, NOBODY);
      for (const name of [living, dead, "notes.txt", "Copy of a.json.gz"]) fs.writeFileSync(path.join(directory, name), "x");
      expect(await store.collectGarbage()).toEqual({ blobs: 1, quarantined: 0, abandoned: 1 });
      expect(fs.readdirSync(directory).sort()).toEqual(
        [living, "Copy of a.json.gz", "metadata.json", "notes.txt", path.basename(record.blob)].sort(),
      );
      expect(await store.storage.blobs.get(orphan)).toBeUndefined();
      expect(await store.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
    }));

  it("that is pending is removed at the next start, in any amount", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const files = { ...nodeFileSystem, unlinkSoon: refuse };
      await withOpened(
        dataDir,
        async (store) => {
          for (let number = 0; number < 250; number++) await store.save({ number });
          await store.idle();
          expect(await blobCount(store)).toBe(250);
        },
        { fs: files, maxCheckpoints: 10 },
      );
      await withOpened(dataDir, async (store) => {
        expect(await finishRemovals(store.storage)).toBe(240);
        expect(await blobCount(store)).toBe(10);
        expect(await finishRemovals(store.storage)).toBe(0);
      });
    }));

  it("does not include direct or indirect bases of other blobs", () =>
    withStore(
      async (store) => {
        const { catalog, blobs } = store.storage;
        const refs: BlobRef[] = [];
        const ids = [];
        for (const number of [1, 2, 3]) {
          const { record } = await store.save({ number });
          refs.push(record.blob);
          ids.push(record.id);
        }
        const [first, second, third] = ids as [(typeof ids)[0], (typeof ids)[0], (typeof ids)[0]];
        const add = [
          { dependent: third, base: second },
          { dependent: second, base: first },
        ];
        await catalog.commit({ edges: { add, drop: [] }, audit: [] });
        await store.save({ number: 4 });
        await store.save({ number: 5 });
        await store.idle();
        expect(await finishRemovals(store.storage)).toBe(0);
        expect(await catalog.find(second)).toBeUndefined();
        await catalog.commit({ edges: { add: [], drop: [{ dependent: third, base: second }] }, audit: [] });
        // Only the second blob needed the first.
        expect([...(await catalog.reclaim(undefined, (ref) => blobs.remove(ref)))].sort()).toEqual(refs.slice(0, 2).sort());
      },
      { maxCheckpoints: 3 },
    ));
});

async function refuse(): Promise<never> {
  throw Object.assign(new Error("EBUSY: injected"), { code: "EBUSY" });
}

async function blobCount(store: TestStore): Promise<number> {
  let count = 0;
  for await (const _ of store.storage.blobs.list()) count += 1;
  return count;
}

/** Returns the name of a temporary file of this process, observed during a save. */
async function nameOfTemporary(store: TestStore): Promise<string> {
  const names: string[] = [];
  const files = {
    ...nodeFileSystem,
    create: (file: string) => {
      names.push(path.basename(file));
      return nodeFileSystem.create(file);
    },
  };
  await withOpened(store.dataDir, async (other) => other.save({ name: "seen" }, { sessionId: "elsewhere" as never }), { fs: files });
  return names.find((name) => name.startsWith(".tmp-")) ?? "";
}

function temporaryName(name: string, pid: number): string {
  // The part before the process id may consist of digits too.
  return name.replace(/-[0-9]+-(?=[0-9a-f]{16}$)/, `-${pid}-`);
}
