import { randomBytes } from "node:crypto";
import type { BlobRef, Digest, KeyFiles } from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoreSealer } from "../src/store-sealer.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

const CORRUPT = { code: "CHECKPOINT_CORRUPT" };
const UNAVAILABLE = { code: "KEY_UNAVAILABLE" };
const REF = "memory:s/one" as BlobRef;

function aSealer(
  files: KeyFiles = openMemoryStorage({ disk: new MemoryDisk() }).keyFiles,
  bytes: Uint8Array = randomBytes(32),
): StoreSealer {
  return new StoreSealer({ id: "1", bytes }, files);
}

describe("a sealed blob", () => {
  it("opens to the same bytes, and is longer by overheadBytes", () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        const sealer = aSealer();
        const sealed = await sealer.sealBlob(REF, bytes);
        expect(sealer.isSealed(sealed)).toBe(true);
        expect(sealed.length).toBe(bytes.length + sealer.overheadBytes);
        expect(Uint8Array.from(await sealer.openBlob(REF, sealed))).toEqual(bytes);
      }),
      { numRuns: 50 },
    ));

  it("is rejected with any changed bit, truncated at any position, or under another name", async () => {
    const sealer = aSealer();
    const sealed = await sealer.sealBlob(REF, Buffer.from("kept"));
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(sealer.openBlob(REF, changed)).rejects.toMatchObject(CORRUPT);
    }
    for (let length = 0; length < sealed.length; length++) {
      await expect(sealer.openBlob(REF, sealed.subarray(0, length))).rejects.toMatchObject(CORRUPT);
    }
    await expect(sealer.openBlob("memory:s/two" as BlobRef, sealed)).rejects.toMatchObject(CORRUPT);
    await sealer.sealBlob("memory:t/one" as BlobRef, Buffer.from("another session's"));
    await expect(sealer.openBlob("memory:t/one" as BlobRef, sealed)).rejects.toMatchObject(CORRUPT);
  });

  it("differs each time", async () => {
    const sealer = aSealer();
    const both = [await sealer.sealBlob(REF, Buffer.from("kept")), await sealer.sealBlob(REF, Buffer.from("kept"))];
    expect(both[0]).not.toEqual(both[1]);
  });

  it("opens only with the session's key and the right data key", async () => {
    const { keyFiles } = openMemoryStorage({ disk: new MemoryDisk() });
    const key = randomBytes(32);
    const sealed = await aSealer(keyFiles, key).sealBlob(REF, Buffer.from("kept"));
    await expect(aSealer(keyFiles).openBlob(REF, sealed)).rejects.toMatchObject(UNAVAILABLE);
    expect(Buffer.from(await aSealer(keyFiles, key).openBlob(REF, sealed)).toString()).toBe("kept");
    await keyFiles.destroyAll();
    await expect(aSealer(keyFiles, key).openBlob(REF, sealed)).rejects.toMatchObject(UNAVAILABLE);
  });

  it("does not open with the key of another session in place of its own", async () => {
    const { keyFiles } = openMemoryStorage({ disk: new MemoryDisk() });
    const key = randomBytes(32);
    const other = "memory:t/one" as BlobRef;
    const sealed = await aSealer(keyFiles, key).sealBlob(REF, Buffer.from("kept"));
    await aSealer(keyFiles, key).sealBlob(other, Buffer.from("kept"));
    await keyFiles.write(REF, (await keyFiles.read(other, () => true)) ?? new Uint8Array(), "replace");
    await expect(aSealer(keyFiles, key).openBlob(REF, sealed)).rejects.toMatchObject(UNAVAILABLE);
  });

  it("can be sealed by a second data key, with both session keys side by side until the old ones are dropped", async () => {
    const { keyFiles } = openMemoryStorage({ disk: new MemoryDisk() });
    const [from, to] = [aSealer(keyFiles), aSealer(keyFiles)];
    const old = await from.sealBlob(REF, Buffer.from("kept"));
    await to.joinSessions(from);
    await expect(aSealer(keyFiles).checkSessions(listOf(REF))).rejects.toMatchObject(UNAVAILABLE);
    await to.checkSessions(listOf(REF));
    const sealed = await to.sealBlob(REF, await from.openBlob(REF, old));
    await to.joinSessions(from);
    for (const [sealer, bytes] of [
      [from, old],
      [to, sealed],
    ] as const) {
      expect(Buffer.from(await sealer.openBlob(REF, bytes)).toString()).toBe("kept");
    }
    await expect(to.openBlob(REF, old)).rejects.toMatchObject(CORRUPT);
    const keys = Buffer.from((await keyFiles.read(REF, () => true)) ?? []);
    await to.keepOwnSessions();
    const left = Buffer.from((await keyFiles.read(REF, () => true)) ?? []);
    expect([keys.length, left.length]).toEqual([2 * left.length, left.length]);
    expect(Buffer.from(await to.openBlob(REF, sealed)).toString()).toBe("kept");
  });

  it("of a new session has one key, even when two processes create it at the same time", async () => {
    const { keyFiles } = openMemoryStorage({ disk: new MemoryDisk() });
    const key = randomBytes(32);
    const [one, other] = [aSealer(keyFiles, key), aSealer(keyFiles, key)];
    const [first, second] = await Promise.all([one.sealBlob(REF, Buffer.from("1")), other.sealBlob(REF, Buffer.from("2"))]);
    expect(Buffer.concat([await other.openBlob(REF, first), await one.openBlob(REF, second)]).toString()).toBe("12");
  });
});

describe("a sealed text", () => {
  it("opens to the same text, even with a lone surrogate, and is deterministic", () =>
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (text, other) => {
        const sealer = aSealer();
        const sealed = sealer.sealText(`${text}\ud800`.slice(0, -1) + (text.length % 2 === 0 ? "\udfff" : ""));
        expect(sealed).toMatch(/^[\w.-]+$/);
        expect(sealer.openText(sealed)).toBe(text + (text.length % 2 === 0 ? "\udfff" : ""));
        expect(sealer.sealText(text) === sealer.sealText(other)).toBe(text === other);
      }),
      { numRuns: 100 },
    ));

  it.each(["", "plain", "s1.", "s1.AAAA"])("is rejected in another format: %j", (text) => {
    expect(() => aSealer().openText(text)).toThrow(expect.objectContaining(CORRUPT));
  });

  it("of another store is rejected", () => {
    expect(() => aSealer().openText(aSealer().sealText("text"))).toThrow(expect.objectContaining(CORRUPT));
  });
});

it("seals a digest deterministically, depending on the key", () => {
  const digest = "ab".repeat(32) as Digest;
  const key = randomBytes(32);
  expect(aSealer(undefined, key).sealDigest(digest)).toBe(aSealer(undefined, key).sealDigest(digest));
  expect(aSealer().sealDigest(digest)).not.toBe(aSealer().sealDigest(digest));
  expect(aSealer().sealDigest(digest)).toMatch(/^[0-9a-f]{64}$/);
});

async function* listOf(...refs: readonly BlobRef[]): AsyncGenerator<{ readonly ref: BlobRef }> {
  for (const ref of refs) yield { ref };
}
