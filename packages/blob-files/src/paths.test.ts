import path from "node:path";
import type { BlobRef, CheckpointId, SessionId } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blobPath, blobRefOf, fileNameOf } from "./paths.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

describe("the file name of an id", () => {
  it.each(["3f0c", "a-b_c", "-", "_", "con1", "x".repeat(128)])("is the id itself: %s", (id) => {
    expect(fileNameOf(id)).toBe(id);
  });

  it.each(["Demo", "DEMO", "con", "nul", "com1", "LPT9", "prn", "aux", "A".repeat(128)])("is encoded for %s, and unique", (id) => {
    const name = fileNameOf(id);
    expect(name).toMatch(/^[a-z0-9_-]+\.[0-9a-f]{8}$/);
    expect(name.startsWith(id.toLowerCase())).toBe(true);
    // Windows takes a name for a device by the part before the first dot.
    expect(name.split(".")[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
    expect(`${name}.json.gz`.length).toBeLessThan(255);
  });

  it("differs for ids that differ in case", () => {
    const names = ["demo", "Demo", "dEmo", "DEMO"].map(fileNameOf);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(4);
  });
});

describe("the file name of any session id", () => {
  const ids = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 128 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...Array.from("aAäÄß.-_ /\\:conCON1\u0131\u0130ſK日")), minLength: 1, maxLength: 8 }),
    fc.constantFrom("con", "CON", "con.", "aux.txt", "..", ".", "../../etc/passwd", "a ", "a.", "com¹", "nul:", "metadata.json", "user:42"),
  );
  const id = ids.map((text) => text.normalize("NFC"));

  it("is a valid name on every file system, and as short as possible", () => {
    fc.assert(
      fc.property(id, (text) => {
        const name = fileNameOf(text);
        expect(name).toMatch(/^[a-z0-9_-]+(\.[0-9a-f]{8}|\.[0-9a-f]{32})?$/);
        expect(name.split(".")[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
        expect(`${name}.json.gz`.length).toBeLessThan(160);
        expect(fileNameOf(text)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is unique, however a file system treats case and normal form", () => {
    const folded = (text: string): string => fileNameOf(text).toLowerCase().normalize("NFKD");
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 30 }), (texts) => {
        const variants = new Set(texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase(), `${text}.`]));
        const all = new Set([...variants].map((text) => text.normalize("NFC")));
        expect(new Set([...all].map(folded)).size).toBe(all.size);
      }),
      { numRuns: 500 },
    );
  });

  it("is the same in every version", () => {
    expect(["user:42", "feature/login", "caf\u00e9", "日本語", "con!", "A b"].map(fileNameOf)).toMatchInlineSnapshot(`
      [
        "user-42.ea3fd43be1e57d62e163dae19fc740bd",
        "feature-login.df7c7aeb3560d3337d3dd3ba5d39682d",
        "cafe.850f7dc43910ff890f8879c0ed26fe69",
        "_.77710aedc74ecfa33685e33a6c7df5cc",
        "con_.b2360eeb3b2b51305c689f93800ab936",
        "a-b.a760b0e1e5180903bce545f6444f0b98",
      ]
    `);
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
  ])("that is not one of ours is refused: %j", (ref) => {
    expect(blobPath("/data", ref as BlobRef)).toBeUndefined();
  });
});
