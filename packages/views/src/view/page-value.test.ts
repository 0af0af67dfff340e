import * as fc from "fast-check";
import { expect, it } from "vitest";
import { tokensCounted } from "@workrail/storage-conformance/builders";
import type { JsonValue } from "@workrail/core";
import { pageValue, type ValuePage } from "./page-value.ts";
import type { Room } from "./room.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

const counter = tokensCounted((text) => Math.ceil(Buffer.byteLength(text) / 3));
const PLENTY: Room = { tokens: 1_000_000, characters: 1_000_000 };

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.array(fc.integer({ min: 0xd700, max: 0xe000 }), { maxLength: 100 }).map((units) => String.fromCharCode(...units)),
);
const members = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom("__proto__", "7", "")), fc.jsonValue()), { maxLength: 30 });
const value = fc.oneof(
  text,
  fc.array(fc.jsonValue(), { maxLength: 30 }),
  members.map((each) => Object.fromEntries(each)),
  fc.jsonValue(),
) as fc.Arbitrary<JsonValue>;
const room: fc.Arbitrary<Room> = fc.record({ tokens: fc.integer({ min: -5, max: 400 }), characters: fc.integer({ min: -5, max: 1_000 }) });

function isCut(value: JsonValue): value is string | JsonValue[] | Record<string, JsonValue> {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function isEmpty(value: JsonValue): boolean {
  return isCut(value) && Object.keys(value).length === 0;
}

function join(parts: readonly JsonValue[]): JsonValue {
  const [first] = parts;
  if (typeof first === "string") return (parts as string[]).join("");
  if (Array.isArray(first)) return parts.flat(1);
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object))) as JsonValue;
}

/** Reads all pages; fetches a too large part on its own, as a reader would. */
async function pagesOf(value: JsonValue, room: Room, limit?: number): Promise<ValuePage[]> {
  const pages: ValuePage[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; offset = pages.at(-1)?.nextOffset) {
    const page = await pageValue(value, { range: { offset, limit }, room }, counter);
    pages.push(page.itemTooLarge ? await pageValue(value, { range: { offset, limit: 1 }, room: PLENTY }, counter) : page);
    expect(page.offset ?? offset).toBe(offset);
  }
  return pages;
}

it("never gives more than fits", async () => {
  const range = fc.record({ offset: fc.nat(50), limit: fc.option(fc.nat(50), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(value, room, range, async (value, room, range) => {
      const page = await pageValue(value, { range, room }, counter);
      if (!isCut(page.value) || isEmpty(page.value)) return;
      const json = JSON.stringify(page.value);
      expect(json.length).toBeLessThanOrEqual(room.characters);
      expect(await counter.count(json)).toBeLessThanOrEqual(room.tokens);
    }),
    { numRuns: 1_000 },
  );
});

it("returns pages that add up to the value, cut between characters", async () => {
  await fc.assert(
    fc.asyncProperty(
      value.filter(isCut),
      room,
      fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      async (value, room, limit) => {
        const parts = (await pagesOf(value, room, limit)).map((page) => page.value);
        expect(JSON.stringify(join(parts))).toBe(JSON.stringify(value));
        if (typeof value !== "string") return;
        // A split pair would be two lone surrogates, and so more characters than the text has.
        const characters = parts.flatMap((part) => Array.from(part as string));
        expect(characters).toEqual(Array.from(value));
      },
    ),
    { numRuns: 1_000 },
  );
});

it("returns a fitting value whole, without offsets", async () => {
  for (const value of ["text", "", [], [1, 2], {}, { a: 1 }, 5, true, null]) {
    expect(await pageValue(value, { room: PLENTY }, counter)).toEqual({ value });
    expect(await pageValue(value, { range: {}, room: PLENTY }, counter)).toEqual({ value });
  }
});

it("returns the requested part with its position", async () => {
  expect(await pageValue("abcdefgh", { range: { offset: 2, limit: 3 }, room: PLENTY }, counter)).toEqual({
    value: "cde",
    offset: 2,
    length: 8,
    unit: "characters",
    nextOffset: 5,
  });
  expect(await pageValue([1, 2, 3], { range: { offset: 1 }, room: PLENTY }, counter)).toEqual({
    value: [2, 3],
    offset: 1,
    length: 3,
    unit: "items",
  });
  expect(await pageValue({ a: 1, b: 2, c: 3 }, { range: { limit: 2 }, room: PLENTY }, counter)).toEqual({
    value: { a: 1, b: 2 },
    offset: 0,
    length: 3,
    unit: "members",
    nextOffset: 2,
  });
});

it("returns nothing beyond the end, or for a limit of 0", async () => {
  expect(await pageValue("abc", { range: { offset: 3 }, room: PLENTY }, counter)).toEqual({
    value: "",
    offset: 3,
    length: 3,
    unit: "characters",
  });
  expect(await pageValue([1], { range: { offset: 9 }, room: PLENTY }, counter)).toEqual({ value: [], offset: 1, length: 1, unit: "items" });
  expect(await pageValue("abc", { range: { limit: 0 }, room: PLENTY }, counter)).toEqual({
    value: "",
    offset: 0,
    length: 3,
    unit: "characters",
    nextOffset: 0,
  });
});

it("includes the whole of a surrogate pair at the edge of a range", async () => {
  expect(await pageValue("a😀b", { range: { offset: 2 }, room: PLENTY }, counter)).toEqual({
    value: "😀b",
    offset: 1,
    length: 4,
    unit: "characters",
  });
  expect(await pageValue("a😀b", { range: { limit: 2 }, room: PLENTY }, counter)).toEqual({
    value: "a",
    offset: 0,
    length: 4,
    unit: "characters",
    nextOffset: 1,
  });
  expect(await pageValue("😀b", { range: { limit: 1 }, room: PLENTY }, counter)).toEqual({
    value: "😀",
    offset: 0,
    length: 3,
    unit: "characters",
    nextOffset: 2,
  });
});

it("names a member that is too large, so that it can be requested by path", async () => {
  const room = { tokens: 100, characters: 300 };
  const value = { small: 1, file: "f".repeat(5_000), after: 2 };
  expect(await pageValue(value, { room }, counter)).toEqual({
    value: { small: 1 },
    offset: 0,
    length: 3,
    unit: "members",
    nextOffset: 1,
  });
  expect(await pageValue(value, { range: { offset: 1 }, room }, counter)).toEqual({
    value: {},
    offset: 1,
    length: 3,
    unit: "members",
    nextOffset: 1,
    itemTooLarge: true,
    nextKey: "file",
  });
  expect(await pageValue(["f".repeat(5_000)], { room }, counter)).toEqual({
    value: [],
    offset: 0,
    length: 1,
    unit: "items",
    nextOffset: 0,
    itemTooLarge: true,
  });
});

it("does not repeat a member's key that is long itself", async () => {
  const page = await pageValue({ ["k".repeat(500)]: 1 }, { room: { tokens: 50, characters: 100 } }, counter);
  expect(page).toEqual({ value: {}, offset: 0, length: 1, unit: "members", nextOffset: 0, itemTooLarge: true });
});

it("counts tokens only a few times, and fills the room well", async () => {
  let counts = 0;
  const counting = tokensCounted((text) => {
    counts += 1;
    return Math.ceil(text.length / 4);
  });
  const room = { tokens: 5_000, characters: 45_000 };
  const page = await pageValue("word ".repeat(100_000), { room }, counting);
  expect(counts).toBeLessThan(6);
  expect(page.nextOffset).toBeGreaterThan(0.9 * 20_000);
});

it("does not serialise a large array repeatedly to find the fitting part", async () => {
  let touched = 0;
  const item = { toJSON: () => (touched++, "x".repeat(1_000)) } as unknown as JsonValue;
  const page = await pageValue(
    Array.from({ length: 10_000 }, () => item),
    { room: { tokens: 10_000, characters: 45_000 } },
    counter,
  );
  expect(page.nextOffset).toBeGreaterThan(20);
  expect(touched).toBeLessThan(11_000);
});

it("returns the end of a value, by count or negative offset", async () => {
  const list = [1, 2, 3, 4, 5];
  expect(await pageValue(list, { range: { last: 2 }, room: PLENTY }, counter)).toEqual({
    value: [4, 5],
    offset: 3,
    length: 5,
    unit: "items",
  });
  expect(await pageValue(list, { range: { offset: -2 }, room: PLENTY }, counter)).toEqual({
    value: [4, 5],
    offset: 3,
    length: 5,
    unit: "items",
  });
  expect(await pageValue(list, { range: { offset: -3, limit: 1 }, room: PLENTY }, counter)).toMatchObject({
    value: [3],
    offset: 2,
    nextOffset: 3,
  });
  expect(await pageValue(list, { range: { last: 9 }, room: PLENTY }, counter)).toEqual({ value: list });
  expect(await pageValue("abcdef", { range: { last: 3 }, room: PLENTY }, counter)).toEqual({
    value: "def",
    offset: 3,
    length: 6,
    unit: "characters",
  });
  expect(await pageValue({ a: 1, b: 2 }, { range: { last: 1 }, room: PLENTY }, counter)).toEqual({
    value: { b: 2 },
    offset: 1,
    length: 2,
    unit: "members",
  });
});

it("returns the last part of an end that does not fit, cut between characters", async () => {
  const list = Array.from({ length: 1_000 }, (_, index) => `item ${index}`);
  const page = await pageValue(list, { range: { last: 500 }, room: { tokens: 400, characters: 1_200 } }, counter);
  expect((page.value as string[]).at(-1)).toBe("item 999");
  expect(page.offset).toBe(1_000 - (page.value as string[]).length);
  expect((page.value as string[]).length).toBeGreaterThan(80);
  await fc.assert(
    fc.asyncProperty(value, fc.nat(50), room, async (each, last, within) => {
      const { value: end, offset = 0 } = await pageValue(each, { range: { last }, room: within }, counter);
      const rest = typeof each === "string" ? each.slice(offset) : isCut(each) ? Object.values(each).slice(offset) : each;
      expect(typeof each !== "string" && isCut(end) ? Object.values(end) : end).toEqual(rest);
    }),
  );
});
