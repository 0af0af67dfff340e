import path from "node:path";
import type { BlobRef, CheckpointId, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { blobPath, blobRefOf, fileNameOf } from "./paths.ts";

describe("the file name of an id", () => {
  it.each(["3f0c", "a-b_c", "-", "_", "con1", "x".repeat(128)])("is the id itself: %s", (id) => {
    expect(fileNameOf(id)).toBe(id);
  });

  it.each(["Demo", "DEMO", "con", "nul", "com1", "LPT9", "prn", "aux", "A".repeat(128)])(
    "is another for %s, and tells it from all others",
    (id) => {
      const name = fileNameOf(id);
      expect(name).toMatch(/^[a-z0-9_-]+\.[0-9a-f]{8}$/);
      expect(name.startsWith(id.toLowerCase())).toBe(true);
      // Windows looks for a device in what stands before the first dot.
      expect(name.split(".")[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
      expect(`${name}.json.gz`.length).toBeLessThan(255);
    },
  );

  it("does not let two ids that differ in case meet", () => {
    const names = ["demo", "Demo", "dEmo", "DEMO"].map(fileNameOf);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(4);
  });
});

describe("the place of a blob", () => {
  it("is below contexts, whatever the ids", () => {
    const ref = blobRefOf({ sessionId: "CON" as SessionId, checkpointId: "Own-1" as CheckpointId });
    expect(ref).toMatch(/^contexts\/con_\.[0-9a-f]{8}\/own-1\.[0-9a-f]{8}\.json\.gz$/);
    expect(blobPath("/data", ref)).toBe(path.join("/data", ...ref.split("/")));
  });

  it.each([
    "contexts/../../etc/passwd.json.gz",
    "contexts/a/../b.json.gz",
    "/etc/x.json.gz",
    "contexts/a/b.json",
    "contexts/a/b/c.json.gz",
    "contexts\\a\\b.json.gz",
    "contexts/a/B.json.gz",
    "contexts/a/._b.json.gz",
    "contexts/._a/b.json.gz",
    "contexts/a/b.json.gz\n",
    "",
  ])("that is no place of ours is refused: %j", (ref) => {
    expect(blobPath("/data", ref as BlobRef)).toBeUndefined();
  });
});
