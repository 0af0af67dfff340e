import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionId } from "@workrail/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { failureOf, TestStore, withDirectory, withOpened } from "./test-store.ts";

const isPosix = process.platform !== "win32";

describe.skipIf(!isPosix)("files of a store (mode bits mean nothing on Windows)", () => {
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0o022);
  });

  afterEach(() => {
    process.umask(umask);
  });

  it("are accessible to their owner only, with any umask, at every moment", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "new", "data");
      const store = await TestStore.open(dataDir, { maxCheckpoints: 2 });
      for (const number of [1, 2, 3]) await store.save({ number });
      await store.pin("number");
      await store.save({ number: 1 }, { sessionId: "CON" as SessionId, checkpointId: "Own" as never });
      const whileOpen = openToOthers(dataDir);
      await store.rebuild();
      await store.contextOf();
      const afterRebuild = openToOthers(dataDir);
      await store.close();
      expect({ whileOpen, afterRebuild, whenClosed: openToOthers(dataDir) }).toEqual({ whileOpen: [], afterRebuild: [], whenClosed: [] });
    }));

  it("are closed to others again after they were restored with open modes, as from a backup", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      for (const [name, mode] of [
        [".", 0o755],
        ["workrail.db", 0o644],
        ["workrail.lock", 0o666],
        ["contexts", 0o777],
      ] as const) {
        fs.chmodSync(path.join(dataDir, name), mode);
      }
      await withOpened(dataDir, async (store) => {
        expect(await store.contextOf()).toEqual({ number: 1 });
        expect(openToOthers(dataDir)).toEqual([]);
      });
    }));

  it("are closed in a shared directory, whose own mode stays unchanged", () =>
    withDirectory(async (directory) => {
      fs.chmodSync(directory, 0o755);
      fs.writeFileSync(path.join(directory, "notes.txt"), "theirs", { mode: 0o644 });
      fs.mkdirSync(path.join(directory, "contexts"), { mode: 0o755 });
      const warnings: string[] = [];
      const ignore = (): void => undefined;
      const log = { debug: ignore, info: ignore, warn: (message: string) => void warnings.push(message), error: ignore };
      await withOpened(directory, async (store) => store.save({ number: 1 }), { log });
      expect(openToOthers(directory)).toEqual([".", "notes.txt"]);
      expect(warnings).toContain("other users can list the data directory");
    }));

  it("are not created, read or changed through planted links", () =>
    withDirectory(async (directory) => {
      const outside = path.join(directory, "outside");
      fs.mkdirSync(outside);
      fs.writeFileSync(path.join(outside, "precious"), "precious");
      for (const link of ["workrail.db", "workrail.lock"]) {
        const dataDir = path.join(directory, `data-${link}`);
        fs.mkdirSync(dataDir);
        fs.symlinkSync(path.join(outside, link), path.join(dataDir, link));
        expect(await failureOf(TestStore.open(dataDir))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "symbolic-link" });
      }
      const dataDir = path.join(directory, "data-contexts");
      fs.mkdirSync(dataDir);
      fs.symlinkSync(outside, path.join(dataDir, "contexts"));
      expect(await failureOf(TestStore.open(dataDir))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "symbolic-link" });
      expect(fs.readdirSync(outside)).toEqual(["precious"]);
    }));

  it("are not written through a linked session, blob, or session's facts", () =>
    withDirectory(async (directory) => {
      const outside = path.join(directory, "outside");
      fs.mkdirSync(outside);
      fs.writeFileSync(path.join(outside, "precious"), "precious");
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => {
        const contexts = path.join(dataDir, "contexts");
        const refused = { code: "STORAGE_UNAVAILABLE", reason: "symbolic-link" };
        fs.symlinkSync(outside, path.join(contexts, "linked"));
        const linked = "linked" as SessionId;
        expect(await failureOf(store.save({ number: 1 }, { sessionId: linked }))).toMatchObject(refused);
        const ref = store.storage.blobs.refOf({ sessionId: linked, checkpointId: "precious" as never });
        expect(await failureOf(store.storage.blobs.get(ref))).toMatchObject(refused);
        expect(await failureOf(store.storage.blobs.remove([ref]))).toMatchObject(refused);
        expect(await failureOf(store.storage.catalog.reclaim([ref], (each) => store.storage.blobs.remove(each)))).toMatchObject(refused);

        await store.save({ number: 1 });
        fs.symlinkSync(path.join(outside, "dangling"), path.join(contexts, "session", "own.json.gz"));
        expect(await failureOf(store.save({ number: 2 }, { checkpointId: "own" as never }))).toMatchObject(refused);
        fs.rmSync(path.join(contexts, "session", "metadata.json"));
        fs.symlinkSync(path.join(outside, "precious"), path.join(contexts, "session", "metadata.json"));
        await store.pin("number");
        expect(fs.lstatSync(path.join(contexts, "session", "metadata.json")).isFile()).toBe(true);
        await store.rebuild();
        expect(await store.contextOf()).toEqual({ number: 1 });
      });
      expect(fs.readdirSync(outside)).toEqual(["precious"]);
      expect(fs.readFileSync(path.join(outside, "precious"), "utf8")).toBe("precious");
    }));

  it("are found through a link to the data directory that the user made", () =>
    withDirectory(async (directory) => {
      fs.mkdirSync(path.join(directory, "real"));
      fs.symlinkSync(path.join(directory, "real"), path.join(directory, "link"));
      await withOpened(path.join(directory, "link"), async (store) => store.save({ number: 1 }));
      await withOpened(path.join(directory, "real"), async (store) => expect(await store.contextOf()).toEqual({ number: 1 }));
    }));
});

const REFUSED = "The store cannot be used (EACCES";
const NOBODY = 65_534;
const isRoot = isPosix && process.getuid?.() === 0;
const canBeNobody = isRoot && [process.execPath, fileURLToPath(import.meta.url)].every(isWithinReachOfAll);

function isWithinReachOfAll(file: string): boolean {
  const stats = fs.statSync(file);
  const isOpen = (stats.mode & (stats.isDirectory() ? 0o001 : 0o004)) !== 0;
  return isOpen && (path.dirname(file) === file || isWithinReachOfAll(path.dirname(file)));
}

describe("a data directory", () => {
  it("that is a file, or inside one, is refused", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "file");
      fs.writeFileSync(file, "");
      for (const dataDir of [file, path.join(file, "data"), path.join(file, "data", "deeper")]) {
        expect(await failureOf(TestStore.open(dataDir))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "wrong-kind-of-file" });
        await expect(TestStore.open(dataDir)).rejects.toThrow(`${file} is a file, and a directory is needed`);
      }
    }));

  it.skipIf(!canBeNobody)("(only as root, to act as another user) that is not writable is refused", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      fs.chmodSync(directory, 0o755);
      await expect(Child.start({ type: "open", dataDir }, { uid: NOBODY }).done()).rejects.toThrow(REFUSED);
      await expect(Child.start({ type: "open", dataDir: path.join(directory, "new") }, { uid: NOBODY }).done()).rejects.toThrow(REFUSED);
    }),
  );

  it.skipIf(!isRoot)("(only as root, to act as another user) that is another user's link is refused", () =>
    withDirectory(async (directory) => {
      fs.chmodSync(directory, 0o755);
      const link = path.join(directory, "link");
      fs.symlinkSync(path.join(directory, "real"), link);
      fs.mkdirSync(path.join(directory, "real"));
      fs.lchownSync(link, NOBODY, NOBODY);
      expect(await failureOf(TestStore.open(link))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "symbolic-link" });
    }),
  );
});

/** Returns the paths that another user could read, write or list, relative to the directory. */
function openToOthers(directory: string): readonly string[] {
  const names = [".", ...fs.readdirSync(directory, { recursive: true }).map(String)];
  return names.filter((name) => (fs.statSync(path.join(directory, name)).mode & 0o077) !== 0).sort();
}
