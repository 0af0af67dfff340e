import type { BlobRef } from "@workrail/core";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { FileKeyFiles } from "./file-key-files.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

it.each(["contexts/s+1/c.json.gz", "contexts/../../c.json.gz", "/etc/passwd"])(
  "a key beside a blob with a foreign name, %s, is neither read nor written, and the catalog is reported as damaged",
  (place) =>
    withDirectory(async (dataDir) => {
      const keys = new FileKeyFiles(dataDir, nodeFileSystem, async () => {});
      const isDamaged = { code: "STORAGE_UNAVAILABLE", details: { reason: "catalog-damaged" } };
      await expect(keys.read(place as BlobRef, () => true)).rejects.toMatchObject(isDamaged);
      await expect(keys.write(place as BlobRef, Buffer.from("key"), "replace")).rejects.toMatchObject(isDamaged);
    }),
);

describe("repairing a key", () => {
  const PLACE = "contexts/s/c.json.gz" as BlobRef;
  const KEY = Buffer.from("a key");
  const isIntact = (bytes: Uint8Array): boolean => Buffer.from(bytes).equals(KEY);

  interface Opened {
    readonly keys: FileKeyFiles;
    readonly first: string;
    readonly second: string;
  }

  function withKey(test: (opened: Opened) => Promise<void>, changes: Partial<FileSystem> = {}): Promise<void> {
    return withDirectory(async (dataDir) => {
      const directory = path.join(dataDir, "contexts", "s");
      fs.mkdirSync(directory, { recursive: true });
      const keys = new FileKeyFiles(dataDir, { ...nodeFileSystem, ...changes }, async () => {});
      await keys.write(PLACE, KEY, "if-absent");
      await test({ keys, first: path.join(directory, "session.key"), second: path.join(directory, "session.key.copy") });
    });
  }

  it.each<[string, (second: string) => void]>([
    ["is not there", (second) => fs.rmSync(second)],
    ["is damaged", (second) => fs.writeFileSync(second, "b key")],
    ["was about to be overwritten", (second) => fs.writeFileSync(second, "\0\0\0\0\0")],
  ])("makes a second copy that %s whole", (_, damage) =>
    withKey(async ({ keys, first, second }) => {
      damage(second);
      await keys.mend(PLACE, isIntact);
      expect([fs.readFileSync(first), fs.readFileSync(second)]).toEqual([KEY, KEY]);
    }),
  );

  it("changes nothing when the first is damaged, or missing, as while the key is being destroyed", () =>
    withKey(async ({ keys, first, second }) => {
      fs.writeFileSync(first, "b key");
      await keys.mend(PLACE, isIntact);
      expect(fs.readFileSync(second)).toEqual(KEY);
      fs.rmSync(first);
      await keys.mend(PLACE, isIntact);
      expect(fs.existsSync(first)).toBe(false);
    }));

  it("does not restore a key that is destroyed meanwhile", () => {
    let destroy: (() => void) | undefined;
    const rename: FileSystem["rename"] = (from, to) => {
      destroy?.();
      nodeFileSystem.rename(from, to);
    };
    return withKey(
      async ({ keys, first, second }) => {
        fs.rmSync(second);
        destroy = () => fs.rmSync(first);
        await keys.mend(PLACE, isIntact);
        expect([fs.existsSync(first), fs.existsSync(second)]).toEqual([false, false]);
      },
      { rename },
    );
  });
});
