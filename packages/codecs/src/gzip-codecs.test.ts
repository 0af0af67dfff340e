import { spawnSync } from "node:child_process";
import { deflateRawSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { type Codec, type ErrorCode, isWorkrailError } from "@workrail/core";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { gzipCodec as pako } from "./pako.ts";
import { gzipCodec as zlib } from "./zlib.ts";

const PLENTY = 64 * 1024 * 1024;
const CODECS: readonly (readonly [string, Codec])[] = [
  ["zlib", zlib],
  ["pako", pako],
];

interface Wanted {
  readonly expected: Uint8Array;
  readonly maxBytes?: number;
}

/** Decodes the bytes, and returns whether the result equals the expected bytes, or the error code. */
async function fate(codec: Codec, bytes: Uint8Array, { expected, maxBytes = PLENTY }: Wanted): Promise<"same" | "other" | ErrorCode> {
  try {
    return Buffer.compare(await codec.decode(bytes, maxBytes), expected) === 0 ? "same" : "other";
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    return error.code;
  }
}

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 500 }),
  // Long runs and repetitions, as in contexts.
  fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(4000)), { maxLength: 5 }).map((runs) => {
    return new Uint8Array(Buffer.concat(runs.map(([piece, times]) => Buffer.alloc(piece.length * times, piece))));
  }),
);

it("uses the codec of node:zlib on Node", () => {
  const print = `process.stdout.write(import.meta.resolve("@workrail/codecs"))`;
  const node = spawnSync(process.execPath, ["--conditions=@workrail/source", "--input-type=module", "-e", print], {
    cwd: import.meta.dirname,
  });
  expect(node.stdout.toString()).toBe(new URL("zlib.ts", import.meta.url).href);
});

it("gives both codecs the same id, since they share the format", () => {
  expect(pako.id).toBe(zlib.id);
});

it("makes the same bytes of parts that it compressed before, and gunzip reads them", async () => {
  const textOf = (seed: number): Uint8Array => Buffer.from(Array.from({ length: 3_000 }, (_, index) => `${seed * index} `).join(""));
  const parts = [textOf(1), textOf(2), textOf(3)];
  const small = Buffer.from("changes");
  await zlib.encodeReusing?.([...parts, small]);
  const [again, anew] = [
    [small, ...parts, small],
    [small, ...parts.map((part) => Uint8Array.from(part)), small],
  ];
  const encoded = [await zlib.encodeReusing?.(again), await zlib.encodeReusing?.(anew)];
  expect(Buffer.compare(encoded[0] as Uint8Array, encoded[1] as Uint8Array)).toBe(0);
  expect(Buffer.compare(gunzipSync(encoded[0] as Uint8Array), Buffer.concat(again))).toBe(0);
  const whole = await zlib.encode(Buffer.concat(again));
  expect((encoded[0] as Uint8Array).length).toBeLessThan(whole.length * 1.2);
});

describe.each(CODECS)("the output of %s", (_, writer) => {
  it.each(CODECS)("is read by %s", async (_, reader) => {
    await fc.assert(
      fc.asyncProperty(someBytes, async (bytes) => {
        expect(await fate(reader, await writer.encode(bytes), { expected: bytes })).toBe("same");
      }),
      { numRuns: 200 },
    );
  });

  it.each([0, 1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 300_000])("can contain %i incompressible bytes", async (length) => {
    const bytes = noise(length);
    const blob = await writer.encode(bytes);
    for (const [, reader] of CODECS) expect(await fate(reader, blob, { expected: bytes })).toBe("same");
  });

  it("can be read from the middle of a larger buffer", async () => {
    const bytes = noise(2_000);
    const blob = await writer.encode(bytes);
    const roomy = new Uint8Array(blob.length + 20).fill(7);
    roomy.set(blob, 9);
    for (const [, reader] of CODECS) expect(await fate(reader, roomy.subarray(9, 9 + blob.length), { expected: bytes })).toBe("same");
  });

  const zcat = spawnSync("gzip", ["-dc"], { input: gzipSync("yes") });
  it.skipIf(zcat.error !== undefined || zcat.stdout.toString() !== "yes")(
    "is what gzip -dc and zcat print (skipped where there is no gzip)",
    async () => {
      const text = `{"context":"${"grün 😀 ".repeat(5_000)}"}\n`;
      const { status, stdout } = spawnSync("gzip", ["-dc"], { input: await writer.encode(Buffer.from(text)), maxBuffer: PLENTY });
      expect(status).toBe(0);
      expect(stdout.toString()).toBe(text);
    },
  );
});

const bomb = gzipSync(Buffer.alloc(200_000_000));

describe.each(CODECS)("%s", (_, codec) => {
  const content = Buffer.from(`{"context":{"plan":"${"read the tests, then the code; ".repeat(20)}","n":[1,2,3,${Math.PI}]}}\n`);

  it("rejects a blob truncated at any position", async () => {
    const blob = await codec.encode(content);
    for (let length = 0; length < blob.length; length++) {
      expect([length, await fate(codec, blob.subarray(0, length), { expected: content })]).toEqual([length, "CHECKPOINT_CORRUPT"]);
    }
  });

  it("detects any flipped bit that changes the content", async () => {
    const blob = await codec.encode(content);
    for (let bit = 0; bit < blob.length * 8; bit++) {
      const flipped = Uint8Array.from(blob);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect([bit, await fate(codec, flipped, { expected: content })]).toEqual([bit, expect.toBeOneOf(["same", "CHECKPOINT_CORRUPT"])]);
    }
  });

  it.each<[string, (blob: Uint8Array) => Uint8Array]>([
    ["an appended zero", (blob) => Buffer.concat([blob, Buffer.alloc(1)])],
    ["appended zeros", (blob) => Buffer.concat([blob, Buffer.alloc(512)])],
    ["appended bytes", (blob) => Buffer.concat([blob, Buffer.from("more")])],
    ["a second member", (blob) => Buffer.concat([blob, gzipSync("more")])],
    ["a second member that is empty", (blob) => Buffer.concat([blob, gzipSync("")])],
    ["an empty member before it", (blob) => Buffer.concat([gzipSync(""), blob])],
    ["a member before it", (blob) => Buffer.concat([gzipSync("more"), blob])],
    ["itself again", (blob) => Buffer.concat([blob, blob])],
  ])("refuses a blob with %s", async (_, spoil) => {
    expect(await fate(codec, spoil(await codec.encode(content)), { expected: content })).toBe("CHECKPOINT_CORRUPT");
  });

  it("rejects an empty blob followed by another", async () => {
    expect(await fate(codec, Buffer.concat([gzipSync(""), gzipSync("")]), { expected: Buffer.alloc(0) })).toBe("CHECKPOINT_CORRUPT");
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from('{"workrail":1}')],
    ["a zlib stream", deflateSync(content)],
    ["a raw deflate stream", deflateRawSync(content)],
    ["a header with reserved flags", Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0x20]), gzipSync(content).subarray(4)])],
    ["a header whose file name never ends", Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, ...Buffer.alloc(30, 65)])],
  ])("refuses %s", async (_, bytes) => {
    expect(await fate(codec, bytes, { expected: content })).toBe("CHECKPOINT_CORRUPT");
  });

  it("reads gzip that other tools wrote with optional header fields", async () => {
    const plain = gzipSync(content);
    const extra = [3, 0, 1, 2, 3];
    const name = [...Buffer.from("context.json"), 0];
    const comment = [...Buffer.from("kept"), 0];
    const head = [0x1f, 0x8b, 8, 0x04 | 0x08 | 0x10, 1, 2, 3, 4, 0, 3];
    const blob = Buffer.concat([Buffer.from([...head, ...extra, ...name, ...comment]), plain.subarray(10)]);
    expect(await fate(codec, blob, { expected: content })).toBe("same");
  });

  it("accepts a result of exactly the limit and rejects one byte more", async () => {
    for (const length of [1, 1_000, 40_000]) {
      const bytes = noise(length);
      const blob = await codec.encode(bytes);
      expect(await fate(codec, blob, { expected: bytes, maxBytes: length })).toBe("same");
      expect(await fate(codec, blob, { expected: bytes, maxBytes: length - 1 })).toBe("TOO_LARGE");
    }
  });

  it("stops at the limit when a small blob decompresses to hundreds of megabytes", async () => {
    expect(bomb.length).toBeLessThan(500_000);
    const before = process.memoryUsage();
    expect(await fate(codec, bomb, { expected: Buffer.alloc(0), maxBytes: 4 * 1024 * 1024 })).toBe("TOO_LARGE");
    const after = process.memoryUsage();
    expect(after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed).toBeLessThan(50_000_000);
  });

  it("stops at the size in the trailer when that is wrong", async () => {
    const liar = Buffer.from(bomb);
    liar.writeUInt32LE(1_000, liar.length - 4);
    expect(await fate(codec, liar, { expected: Buffer.alloc(0) })).toBe("CHECKPOINT_CORRUPT");
  });

  it("does not allocate the size that a small blob falsely claims", async () => {
    const blob = gzipSync("small");
    blob.writeUInt32LE(0xffff_fff0, blob.length - 4);
    expect(await fate(codec, blob, { expected: Buffer.from("small"), maxBytes: 0xffff_ffff })).toBe("CHECKPOINT_CORRUPT");
  });
});

describe("contents large enough for asynchronous compression", () => {
  const part = noise(1_000_000);
  const parts = Array.from({ length: 18 }, () => part);
  const content = Buffer.concat(parts);
  let blob: Uint8Array;
  beforeAll(async () => {
    blob = (await zlib.encodeParts?.(parts)) ?? new Uint8Array();
  });

  it("are the same gzip for every reader", async () => {
    for (const [, reader] of CODECS) expect(await fate(reader, blob, { expected: content })).toBe("same");
    expect(await fate(zlib, await zlib.encode(content), { expected: content })).toBe("same");
  });

  it("let other work run in between", async () => {
    let turns = 0;
    let isDecoded = false;
    const takeTurns = (): void => {
      turns += 1;
      if (!isDecoded) setImmediate(takeTurns);
    };
    setImmediate(takeTurns);
    await zlib.decode(blob, PLENTY);
    isDecoded = true;
    // One turn while the thread works, and one between the parts of the checksum. A timer could miss them on a busy machine.
    expect(turns).toBeGreaterThan(1);
  });

  it.each<[string, (given: Buffer) => Uint8Array, ErrorCode]>([
    ["cut off", (given) => given.subarray(0, -1_000), "CHECKPOINT_CORRUPT"],
    ["with more behind them", (given) => Buffer.concat([given, Buffer.from("more")]), "CHECKPOINT_CORRUPT"],
    ["that are more than they say", (given) => withLength(given, content.length - 1), "CHECKPOINT_CORRUPT"],
    ["that are less than they say", (given) => withLength(given, content.length + 1), "CHECKPOINT_CORRUPT"],
    ["with a bit flipped in the middle", (given) => withFlipped(given, given.length / 2), "CHECKPOINT_CORRUPT"],
    ["with another checksum", (given) => withFlipped(given, given.length - 8), "CHECKPOINT_CORRUPT"],
  ])("are refused %s", async (_, spoil, code) => {
    expect(await fate(zlib, spoil(Buffer.from(blob)), { expected: content })).toBe(code);
  });

  it("are rejected one byte over the limit, and accepted at it", async () => {
    expect(await fate(zlib, blob, { expected: content, maxBytes: content.length - 1 })).toBe("TOO_LARGE");
    expect(await fate(zlib, blob, { expected: content, maxBytes: content.length })).toBe("same");
  });
});

function withLength(blob: Buffer, length: number): Uint8Array {
  const changed = Buffer.from(blob);
  changed.writeUInt32LE(length, changed.length - 4);
  return changed;
}

function withFlipped(blob: Buffer, at: number): Uint8Array {
  const changed = Buffer.from(blob);
  changed[Math.floor(at)] = (changed[Math.floor(at)] ?? 0) ^ 1;
  return changed;
}

it("gives the same result for every damaged blob with both codecs", async () => {
  const damage = fc.record({ bytes: someBytes, at: fc.nat(), change: fc.integer({ min: 1, max: 255 }), cut: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(damage, async ({ bytes, at, change, cut }) => {
      const blob = Uint8Array.from(await zlib.encode(bytes));
      const place = at % blob.length;
      blob[place] = (blob[place] ?? 0) ^ change;
      const damaged = cut ? blob.subarray(0, place) : blob;
      const fates = [await fate(zlib, damaged, { expected: bytes }), await fate(pako, damaged, { expected: bytes })];
      expect(fates[0]).toBe(fates[1]);
      expect(fates[0]).not.toBe("other");
    }),
    { numRuns: 500 },
  );
});

/** Returns bytes without a pattern, the same in every run. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

describe("repacking", () => {
  const text = Buffer.from(
    JSON.stringify(Array.from({ length: 3_000 }, (_, index) => ({ index, square: index ** 2, word: "observation" }))),
  );

  it("takes fewer bytes than a save of a large content", async () => {
    const encoded = await zlib.encode(text);
    const packed = await zlib.repack?.(encoded, PLENTY);
    expect(packed?.length).toBeLessThan(encoded.length * 0.95);
    expect(await fate(zlib, packed ?? encoded, { expected: text })).toBe("same");
  });

  it("gains nothing for small contents, and for contents repacked or written by pako", async () => {
    const small = text.subarray(0, 5_000);
    const packed = await zlib.repack?.(await zlib.encode(text), PLENTY);
    for (const encoded of [await zlib.encode(small), packed ?? small, await pako.encode(text)]) {
      expect(await zlib.repack?.(encoded, PLENTY)).toBeUndefined();
    }
  });

  it("refuses a content over the limit", async () => {
    await expect(zlib.repack?.(await zlib.encode(text), text.length - 1)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});
