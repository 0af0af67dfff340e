import type { BlobRef } from "@workrail/core";
import { expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { FileKeyFiles } from "./file-key-files.ts";
import { nodeFileSystem } from "./file-system.ts";

it.each(["contexts/s+1/c.json.gz", "contexts/../../c.json.gz", "/etc/passwd"])(
  "a key beside a blob whose name is none of ours, %s, is neither read nor written, and the catalog is said to be damaged",
  (place) =>
    withDirectory(async (dataDir) => {
      const keys = new FileKeyFiles(dataDir, nodeFileSystem, async () => {});
      const isDamaged = { code: "STORAGE_UNAVAILABLE", details: { reason: "catalog-damaged" } };
      await expect(keys.read(place as BlobRef, () => true)).rejects.toMatchObject(isDamaged);
      await expect(keys.write(place as BlobRef, Buffer.from("key"), "replace")).rejects.toMatchObject(isDamaged);
    }),
);
