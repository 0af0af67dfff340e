import { type Codec, isWorkrailError } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noise, same } from "./bytes.ts";
import { type ConformanceOptions, completeOptions } from "./options.ts";

export interface CodecHarness {
  /** Prefix of the names of all tests. */
  readonly name: string;
  readonly codec: Codec;
  /** Other codecs with the same id, such as one for another platform. Each must read the other's output. */
  readonly sameFormat?: readonly Codec[];
}

const MiB = 1024 * 1024;
const PLENTY = 64 * MiB;

/** Tests a codec: decoding restores the input, damage is detected, and a few bytes cannot expand to gigabytes. */
export function describeCodec(harness: CodecHarness, options?: ConformanceOptions): void {
  const { codec, sameFormat = [] } = harness;
  const { runs, seed } = completeOptions(options);

  describe(`${harness.name}: codec`, () => {
    it("has an id, which all codecs of its format share", () => {
      expect(codec.id).toMatch(/^[a-z0-9-]+$/);
      expect(sameFormat.map(({ id }) => id)).toEqual(sameFormat.map(() => codec.id));
    });

    it.each<[string, Uint8Array]>([
      ["nothing", new Uint8Array()],
      ["one byte", Uint8Array.from([0])],
      ["text", new TextEncoder().encode(JSON.stringify({ plan: "ünïcode 😀 ".repeat(2_000) }))],
      ["a megabyte that does not compress", noise(MiB)],
      ["eight megabytes of zeros", new Uint8Array(8 * MiB)],
    ])("gives back %s", async (_, bytes) => {
      expect(await fateOf(codec.decode(await codec.encode(bytes), PLENTY), bytes)).toBe("same");
    });

    it("restores any bytes, also across codecs of its format, and does not change its input", () =>
      fc.assert(
        fc.asyncProperty(someBytes, async (bytes) => {
          const given = new Uint8Array(bytes);
          const encoded = await codec.encode(given);
          expect(same(given, bytes)).toBe(true);
          const before = new Uint8Array(encoded);
          for (const reader of [codec, ...sameFormat]) expect(await fateOf(reader.decode(encoded, PLENTY), bytes)).toBe("same");
          for (const writer of sameFormat) expect(await fateOf(codec.decode(await writer.encode(bytes), PLENTY), bytes)).toBe("same");
          expect(same(encoded, before)).toBe(true);
        }),
        { numRuns: Math.ceil(runs / 5), seed },
      ));

    it("reads and writes parts of larger buffers", async () => {
      const bytes = noise(3_000);
      const encoded = await codec.encode(bytes.subarray(1_000, 2_000));
      const roomy = new Uint8Array(encoded.length + 20).fill(7);
      roomy.set(encoded, 9);
      expect(await fateOf(codec.decode(roomy.subarray(9, 9 + encoded.length), PLENTY), bytes.subarray(1_000, 2_000))).toBe("same");
    });

    it.skipIf(codec.encodeParts === undefined)("encodes parts to the same bytes as the whole (skipped without encodeParts)", async () => {
      for (const lengths of [[], [0], [1_000, 0, 70_000, 1], [MiB, MiB, 3]]) {
        const parts = lengths.map((length) => noise(length));
        const bytes = Buffer.concat(parts);
        const encoded = (await codec.encodeParts?.(inOneMemory(parts))) ?? new Uint8Array();
        for (const reader of [codec, ...sameFormat]) expect(await fateOf(reader.decode(encoded, PLENTY), bytes)).toBe("same");
      }
    });

    it.skipIf(codec.encodeReusing === undefined)(
      "encodes parts that came before in any new order (skipped without encodeReusing)",
      async () => {
        const known = [0, 1, 900, 4_096, 5_000, 20_000, 70_000, 300_000].map((length) => noise(length));
        const orders = [[2, 4, 2, 5, 1], [5], [], [0], [2, 4, 3, 2, 5, 1], [6, 1, 6, 4], [7, 4], [7, 4, 5, 2], [5, 4, 7]];
        for (const order of orders) {
          const parts = [...order.map((index) => known[index] as Uint8Array), noise(100)];
          const bytes = Buffer.concat(parts);
          const encoded = (await codec.encodeReusing?.(parts)) ?? new Uint8Array();
          for (const reader of [codec, ...sameFormat]) expect(await fateOf(reader.decode(encoded, PLENTY), bytes)).toBe("same");
          const damaged = new Uint8Array(encoded);
          damaged[encoded.length >> 1] = (damaged[encoded.length >> 1] as number) ^ 4;
          for (const wrong of [damaged, encoded.subarray(0, -1), Buffer.concat([encoded, noise(1)])]) {
            expect(await fateOf(codec.decode(wrong, PLENTY), bytes)).toBe("CHECKPOINT_CORRUPT");
          }
          const packed = (await codec.repack?.(encoded, PLENTY)) ?? encoded;
          expect(await fateOf(codec.decode(packed, PLENTY), bytes)).toBe("same");
        }
      },
    );

    it.skipIf(codec.repack === undefined)("repacks once, to fewer bytes of the same content (skipped without repack)", async () => {
      const bytes = new TextEncoder().encode(JSON.stringify({ plan: "ünïcode 😀 ".repeat(2_000), noise: [...noise(20_000)] }));
      const encoded = await codec.encode(bytes);
      const packed = await codec.repack?.(encoded, PLENTY);
      expect(await codec.repack?.(packed ?? encoded, PLENTY)).toBeUndefined();
      if (packed === undefined) return;
      expect(packed.length).toBeLessThan(encoded.length);
      for (const reader of [codec, ...sameFormat]) expect(await fateOf(reader.decode(packed, PLENTY), bytes)).toBe("same");
      const ofDamaged = codec.repack?.(encoded.subarray(0, -1), PLENTY).then((made) => made ?? new Uint8Array());
      expect(await fateOf(ofDamaged ?? Promise.resolve(bytes), bytes)).toBe("CHECKPOINT_CORRUPT");
    });

    it("encodes and decodes many contents concurrently", async () => {
      const all = Array.from({ length: 20 }, (_, index) => noise(10_000 + index));
      const fates = all.map(async (bytes) => fateOf(codec.decode(await codec.encode(bytes), PLENTY), bytes));
      expect(new Set(await Promise.all(fates))).toEqual(new Set(["same"]));
    });

    it("refuses input that is truncated anywhere", async () => {
      const encoded = await codec.encode(SAMPLE);
      for (let length = 0; length < encoded.length; length++) {
        expect([length, await fateOf(codec.decode(encoded.subarray(0, length), PLENTY), SAMPLE)]).toEqual([length, "CHECKPOINT_CORRUPT"]);
      }
    });

    it("refuses trailing bytes", async () => {
      const encoded = await codec.encode(SAMPLE);
      for (const more of [new Uint8Array(1), new Uint8Array(600), noise(9), encoded]) {
        expect(await fateOf(codec.decode(Buffer.concat([encoded, more]), PLENTY), SAMPLE)).toBe("CHECKPOINT_CORRUPT");
      }
    });

    it("refuses input of another format", async () => {
      for (const bytes of [SAMPLE, noise(500), new Uint8Array(500)]) {
        expect(await fateOf(codec.decode(bytes, PLENTY), SAMPLE)).toBe("CHECKPOINT_CORRUPT");
      }
    });

    it("survives any flipped bit: the same bytes, or a refusal", async () => {
      const encoded = await codec.encode(SAMPLE);
      for (let bit = 0; bit < encoded.length * 8; bit++) {
        const flipped = new Uint8Array(encoded);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const fate = await fateOf(codec.decode(flipped, PLENTY), SAMPLE);
        expect([bit, fate]).toEqual([bit, expect.toBeOneOf(["same", "CHECKPOINT_CORRUPT"])]);
      }
    });

    it("takes a result of exactly the limit, and refuses one byte more", async () => {
      const encoded = await codec.encode(SAMPLE);
      expect(await fateOf(codec.decode(encoded, SAMPLE.length), SAMPLE)).toBe("same");
      expect(await fateOf(codec.decode(encoded, SAMPLE.length - 1), SAMPLE)).toBe("TOO_LARGE");
      expect(await fateOf(codec.decode(encoded, 0), SAMPLE)).toBe("TOO_LARGE");
      expect(await fateOf(codec.decode(await codec.encode(new Uint8Array()), 0), new Uint8Array())).toBe("same");
    });

    it("stops at the limit, long before a decompression bomb is expanded", async () => {
      const bomb = await codec.encode(new Uint8Array(16 * MiB));
      const stopped: number[] = [];
      const unfolded: number[] = [];
      const isSooner = (): boolean => Math.min(...stopped) < Math.min(...unfolded) / 2;
      // A busy machine may delay one measurement, but not the same one each time.
      for (let time = 1; time <= 5 && !isSooner(); time++) {
        const before = performance.now();
        expect(await fateOf(codec.decode(bomb, MiB), SAMPLE)).toBe("TOO_LARGE");
        const between = performance.now();
        await codec.decode(bomb, PLENTY);
        stopped.push(between - before);
        unfolded.push(performance.now() - between);
      }
      expect(Math.min(...stopped)).toBeLessThan(Math.min(...unfolded) / 2);
    });
  });
}

const SAMPLE = new TextEncoder().encode(`{"plan":"${"read the tests, then the code; ".repeat(12)}","pi":${Math.PI}}\n`);

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 500 }),
  // Long runs and repeats, as contexts have them.
  fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(2_000)), { maxLength: 5 }).map((runs) => {
    const parts = runs.map(([piece, times]) => Buffer.alloc(piece.length * times, piece));
    return new Uint8Array(Buffer.concat(parts));
  }),
);

/** Returns `same` or `other` for decoded bytes, or the code of a `WorkrailError`. */
async function fateOf(decoding: Promise<Uint8Array>, expected: Uint8Array): Promise<string> {
  try {
    return same(await decoding, expected) ? "same" : "other";
  } catch (error) {
    if (isWorkrailError(error)) return error.code;
    throw error;
  }
}

/** Yields the parts one after the other in the same memory, which is cleared in between. */
function* inOneMemory(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  const memory = new Uint8Array(Math.max(0, ...parts.map(({ length }) => length)));
  for (const part of parts) {
    memory.set(part);
    yield memory.subarray(0, part.length);
    memory.fill(0);
  }
}
