import type { BlobInfo, BlobKey, BlobRef, BlobStore, CheckpointId, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { noise, same } from "./bytes.ts";
import type { StorageHarness } from "./harness.ts";
import { withStore } from "./store-under-test.ts";
import { randomIds } from "./environment.ts";
import type { StorageInUse } from "./storage-in-use.ts";

/** Tests the blob store: it returns opaque bytes unchanged, whole or not at all. */
export function describeBlobStore(harness: StorageHarness): void {
  const onStore = (test: (blobs: BlobStore, storage: StorageInUse) => Promise<void>) => () =>
    withStore(harness, ({ storage }) => test(storage.blobs, storage));

  describe(`${harness.name}: blob store`, () => {
    it.each<[string, Uint8Array]>([
      ["no bytes", new Uint8Array()],
      ["every byte there is", Uint8Array.from({ length: 256 }, (_, index) => index)],
      ["line ends and zeros", Uint8Array.from([13, 10, 0, 10, 13, 26, 0])],
      ["8 MiB", noise(8 * 1024 * 1024)],
    ])("gives back %s", async (_, bytes) => {
      await withStore(harness, async ({ storage: { blobs } }) => {
        const ref = await put(blobs, aKey(), bytes);
        expect(same(await blobs.get(ref), bytes)).toBe(true);
      });
    });

    it(
      "stores only the given part of a larger buffer",
      onStore(async (blobs) => {
        const bytes = noise(100).subarray(20, 30);
        expect(same(await blobs.get(await put(blobs, aKey(), bytes)), bytes)).toBe(true);
      }),
    );

    it(
      "is not affected by later changes to given or returned buffers",
      onStore(async (blobs) => {
        const bytes = noise(100);
        const expected = Uint8Array.from(bytes);
        const ref = await put(blobs, aKey(), bytes);
        bytes.fill(1);
        (await blobs.get(ref))?.fill(2);
        expect(same(await blobs.get(ref), expected)).toBe(true);
      }),
    );

    it(
      "replaces an existing blob without ifAbsent",
      onStore(async (blobs) => {
        const key = aKey();
        await put(blobs, key, noise(9));
        const ref = await put(blobs, key, noise(5));
        expect(same(await blobs.get(ref), noise(5))).toBe(true);
        expect(await listed(blobs)).toEqual([{ ref, sizeBytes: 5 }]);
      }),
    );

    it(
      "returns `undefined` for a missing blob",
      onStore(async (blobs) => {
        const ref = blobs.refOf(aKey());
        expect(await blobs.get(ref)).toBeUndefined();
        await put(blobs, aKey(), noise(1));
        expect(await blobs.get(ref)).toBeUndefined();
      }),
    );

    it(
      "returns the ref of a blob before the blob is stored",
      onStore(async (blobs) => {
        const key = aKey();
        const ref = blobs.refOf(key);
        expect(await put(blobs, key, noise(1))).toBe(ref);
        expect(blobs.refOf({ ...key })).toBe(ref);
      }),
    );

    it(
      "keeps awkward and similar ids apart",
      onStore(async (blobs) => {
        const keys = AWKWARD_IDS.flatMap((sessionId) => AWKWARD_IDS.slice(0, 4).map((checkpointId) => keyOf(sessionId, checkpointId)));
        const text = (key: BlobKey): string => `${key.sessionId} ${key.checkpointId}`;
        for (const key of keys) await put(blobs, key, new TextEncoder().encode(text(key)));
        for (const key of keys) expect(new TextDecoder().decode(await blobs.get(blobs.refOf(key)))).toBe(text(key));
        expect(await listed(blobs)).toHaveLength(keys.length);
      }),
    );

    it(
      "erases a blob with its copies in quarantine, and no other",
      onStore(async (blobs) => {
        const [key, other] = [aKey(), aKey()];
        const ref = await put(blobs, key, noise(9));
        await blobs.quarantine(ref);
        await put(blobs, key, noise(9));
        await blobs.quarantine(ref);
        await put(blobs, key, noise(100_000));
        const kept = await put(blobs, other, noise(5));
        await blobs.quarantine(await put(blobs, aKey(), noise(7)));
        await blobs.erase([ref]);
        await blobs.erase([ref]);
        expect(await blobs.get(ref)).toBeUndefined();
        expect(same(await blobs.get(kept), noise(5))).toBe(true);
        const aside = [];
        for await (const { sizeBytes } of blobs.listQuarantine()) aside.push(sizeBytes);
        expect(aside).toHaveLength(1);
        // Stored size: a sealed blob is larger.
        expect(aside[0]).toBeGreaterThanOrEqual(7);
        expect(same(await blobs.get(await put(blobs, key, noise(3))), noise(3))).toBe(true);
      }),
    );

    it(
      "hides quarantined blobs, and keeps several with the same ref",
      onStore(async (blobs) => {
        const key = aKey();
        const places = new Set<string | undefined>();
        for (let time = 1; time <= 3; time++) {
          places.add(await blobs.quarantine(await put(blobs, key, noise(time))));
          expect(await blobs.get(blobs.refOf(key))).toBeUndefined();
          expect(await listed(blobs)).toEqual([]);
        }
        expect(places.size).toBe(3);
        expect(places.has(undefined)).toBe(false);
        expect(await blobs.quarantine(blobs.refOf(key))).toBeUndefined();
        const aside: unknown[] = [];
        for await (const { place, sizeBytes } of blobs.listQuarantine()) aside.push([places.has(place), sizeBytes]);
        expect(aside).toEqual([...places].map(() => [true, expect.any(Number)]));
      }),
    );

    describe("with ifAbsent", () => {
      it(
        "stores a missing blob",
        onStore(async (blobs) => {
          const key = aKey();
          const ref = await blobs.put(key, noise(9), { ifAbsent: true });
          expect(ref).toBe(blobs.refOf(key));
          expect(same(await blobs.get(blobs.refOf(key)), noise(9))).toBe(true);
        }),
      );

      it(
        "does not change an existing blob",
        onStore(async (blobs) => {
          const key = aKey();
          const ref = await put(blobs, key, noise(9));
          expect(await blobs.put(key, new Uint8Array(9), { ifAbsent: true })).toBeUndefined();
          expect(same(await blobs.get(ref), noise(9))).toBe(true);
          expect(await listed(blobs)).toHaveLength(1);
        }),
      );

      it(
        "lets one of many concurrent puts win, with its bytes",
        onStore(async (blobs) => {
          const key = aKey();
          const candidates = Array.from({ length: 10 }, (_, index) => new Uint8Array(50_000).fill(index));
          const refs = await Promise.all(candidates.map((bytes) => blobs.put(key, bytes, { ifAbsent: true })));
          const winners = candidates.filter((_, index) => refs[index] !== undefined);
          expect(winners).toHaveLength(1);
          expect(same(await blobs.get(blobs.refOf(key)), winners[0])).toBe(true);
        }),
      );

      it(
        "stores a removed blob again",
        onStore(async (blobs) => {
          const key = aKey();
          await blobs.remove([await put(blobs, key, noise(9))]);
          const ref = await blobs.put(key, new Uint8Array(3), { ifAbsent: true });
          expect(same(await blobs.get(ref as BlobRef), new Uint8Array(3))).toBe(true);
        }),
      );
    });

    it(
      "stores many blobs concurrently",
      onStore(async (blobs) => {
        const [one, other] = [randomIds.sessionId(), randomIds.sessionId()];
        const keys = Array.from({ length: 30 }, (_, index) => keyOf(index % 2 === 0 ? one : other, randomIds.checkpointId()));
        const refs = await Promise.all(keys.map((key, index) => put(blobs, key, new Uint8Array(1_000 + index).fill(index))));
        for (const [index, ref] of refs.entries()) expect(same(await blobs.get(ref), new Uint8Array(1_000 + index).fill(index))).toBe(true);
      }),
    );

    it(
      "shows concurrent readers the whole blob or nothing",
      onStore(async (blobs) => {
        const key = aKey();
        const bytes = noise(2 * 1024 * 1024);
        const storing = put(blobs, key, bytes);
        const done = storing.then(() => true);
        while (!(await Promise.race([done, nextTurn()]))) {
          const seen = await blobs.get(blobs.refOf(key));
          expect(seen === undefined || same(seen, bytes)).toBe(true);
        }
        await storing;
      }),
    );

    it(
      "removes a blob, and ignores a missing one",
      onStore(async (blobs) => {
        const kept = await put(blobs, aKey(), noise(5));
        const ref = await put(blobs, aKey(), noise(6));
        await blobs.remove([ref]);
        await blobs.remove([ref]);
        await blobs.remove([blobs.refOf(aKey())]);
        expect(await blobs.get(ref)).toBeUndefined();
        expect(await listed(blobs)).toEqual([{ ref: kept, sizeBytes: 5 }]);
      }),
    );

    it(
      "removes or erases exactly the given blobs of several sessions",
      onStore(async (blobs) => {
        const keys = Array.from({ length: 12 }, () => aKey()).flatMap((key) => [key, keyOf(key.sessionId, randomIds.checkpointId())]);
        const refs: BlobRef[] = [];
        for (const key of keys) refs.push(await put(blobs, key, noise(9)));
        await blobs.quarantine(refs[10] as BlobRef);
        await blobs.remove([...refs.slice(0, 9), blobs.refOf(aKey())]);
        await blobs.erase(refs.slice(9, 20));
        await blobs.remove([]);
        await blobs.erase([]);
        expect((await listed(blobs)).map(({ ref }) => ref).sort()).toEqual(refs.slice(20).sort());
        for await (const { place } of blobs.listQuarantine()) expect.fail(`A copy is left: ${place}`);
      }),
    );

    it(
      "lists every blob once, with its size",
      onStore(async (blobs) => {
        expect(await listed(blobs)).toEqual([]);
        const sessionId = randomIds.sessionId();
        const expected: BlobInfo[] = [];
        for (let sizeBytes = 1; sizeBytes <= 5; sizeBytes++) {
          const key = sizeBytes % 2 === 0 ? aKey() : keyOf(sessionId, randomIds.checkpointId());
          expected.push({ ref: await put(blobs, key, noise(sizeBytes)), sizeBytes });
        }
        expect((await listed(blobs)).sort((left, right) => left.sizeBytes - right.sizeBytes)).toEqual(expected);
      }),
    );

    it(
      "continues a listing while blobs are added and removed",
      onStore(async (blobs) => {
        const refs: BlobRef[] = [];
        for (let count = 0; count < 20; count++) refs.push(await put(blobs, aKey(), noise(3)));
        const seen = new Set<BlobRef>();
        for await (const { ref } of blobs.list()) {
          seen.add(ref);
          const gone = refs.find((each) => !seen.has(each));
          if (gone !== undefined) await blobs.remove([gone]);
          await put(blobs, aKey(), noise(4));
          if (seen.size > 200) break;
        }
        expect(seen.size).toBeGreaterThan(0);
      }),
    );

    it(
      "removeAbandoned spares complete blobs and blobs that are being stored",
      onStore(async (blobs) => {
        const before = await put(blobs, aKey(), noise(7));
        const storing = Array.from({ length: 10 }, () => put(blobs, aKey(), noise(300_000)));
        for (let count = 0; count < 5; count++) expect(await blobs.removeAbandoned()).toBe(0);
        for (const ref of await Promise.all(storing)) expect(same(await blobs.get(ref), noise(300_000))).toBe(true);
        expect(await blobs.removeAbandoned()).toBe(0);
        expect(same(await blobs.get(before), noise(7))).toBe(true);
      }),
    );
  });
}

/** Valid ids that often cause errors in file systems, databases and object stores. The first four differ only in case. */
const AWKWARD_IDS = [
  "abc-def",
  "ABC-DEF",
  "Abc-Def",
  "abc_def",
  "con",
  "NUL",
  "com1",
  "-",
  "__proto__",
  "_",
  "--help",
  "0",
  "x".repeat(128),
  "X".repeat(128),
];

function keyOf(sessionId: string, checkpointId: string): BlobKey {
  return { sessionId: sessionId as SessionId, checkpointId: checkpointId as CheckpointId };
}

function aKey(): BlobKey {
  return { sessionId: randomIds.sessionId(), checkpointId: randomIds.checkpointId() };
}

async function put(blobs: BlobStore, key: BlobKey, bytes: Uint8Array): Promise<BlobRef> {
  const ref = await blobs.put(key, bytes);
  if (ref === undefined) throw new Error("A put without ifAbsent answered that there was a blob already.");
  return ref;
}

async function listed(blobs: BlobStore): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for await (const { ref, sizeBytes } of blobs.list()) found.push({ ref, sizeBytes });
  return found;
}

async function nextTurn(): Promise<false> {
  await new Promise(setImmediate);
  return false;
}
