import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import type { Context, JsonObject, JsonValue } from "../model/context.ts";
import { checkJson } from "./check-json.ts";
import { RecentJson } from "./recent-json.ts";
import { canonicalJson } from "./write-json.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

/** Long enough to be kept. */
const LONG = 20_000;

function write(recent: RecentJson, context: Context, { session = "session", characters = LONG } = {}) {
  const json = recent.write(session, context, characters);
  return json && { exact: textOf(json.exact), canonical: textOf(json.canonical()) };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function expected(context: Context) {
  return { exact: JSON.stringify(context), canonical: canonicalJson(context) };
}

const someKey = fc.oneof(fc.constantFrom("__proto__", "1", "10", "a", "b", "messages"), fc.string({ unit: anyCharacter, maxLength: 3 }));
const someText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.integer({ min: 1, max: 3_000 }).map((length) => "ü".repeat(length)),
);
const someValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom(null, true, 0, -0, 1.5e-7), fc.integer(), someText),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.array(fc.tuple(someKey, tie("value"))).map((members): JsonValue => Object.fromEntries(members)),
  ),
})).value;
const someContext = fc.dictionary(someKey, someValue).map((members) => members as Context);

/** Changes one place of a context in place, as a program may that keeps its state. */
const someEdit = fc.tuple(fc.array(fc.nat(), { maxLength: 5 }), fc.constantFrom("put", "add", "drop", "turn"), someValue, someKey);

function edit(context: Context, [path, action, value, key]: typeof someEdit extends fc.Arbitrary<infer E> ? E : never): void {
  let at: JsonValue = context;
  for (const step of path) {
    const members: JsonValue[] = Object.values(at as object).filter((member) => typeof member === "object" && member !== null);
    if (members.length === 0) break;
    at = members[step % members.length] as JsonValue;
  }
  if (Array.isArray(at)) {
    const items = at as JsonValue[];
    if (action === "put" && items.length > 0) items[items.length >> 1] = value;
    else if (action === "drop") items.shift();
    else if (action === "turn") items.reverse();
    else items.push(value);
    return;
  }
  const members = at as Record<string, JsonValue>;
  const entries = Object.entries(members);
  const changed =
    action === "drop" ? entries.slice(1) : action === "turn" ? entries.toReversed() : [...entries, [key, value] as [string, JsonValue]];
  for (const name of Object.keys(members)) delete members[name];
  for (const [name, member] of changed) {
    Object.defineProperty(members, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
}

describe("the JSON of a context that changes between its saves", () => {
  it("is what JSON.stringify and canonicalJson write, however the context changed in place", () => {
    fc.assert(
      fc.property(someContext, fc.array(someEdit, { maxLength: 12 }), (context, edits) => {
        const recent = new RecentJson();
        expect(write(recent, context)).toEqual(expected(context));
        for (const each of edits) {
          edit(context, each);
          expect(write(recent, context)).toEqual(expected(context));
        }
      }),
      { numRuns: runsOf(100) },
    );
  });

  it("is right for a list that grows, shrinks at its start, and changes inside", () => {
    const recent = new RecentJson();
    const messageOf = (index: number): JsonObject => ({
      role: "user",
      id: index,
      content: `${index} `.repeat(index % 7 === 0 ? 2_000 : 50),
    });
    const messages: JsonObject[] = [];
    for (let step = 0; step < 200; step++) {
      messages.push(messageOf(step));
      if (step % 50 === 49) messages.shift();
      if (step % 20 === 19) messages[step >> 1] = messageOf(1_000 + step);
      const context = { step, state: { messages, never: "changes" } };
      expect(write(recent, context)).toEqual(expected(context));
    }
  });

  it("does not change with the context after the call", () => {
    const context = { list: [{ text: "a".repeat(LONG) }], other: { deep: [1, 2] } };
    const json = new RecentJson().write("session", context, LONG);
    const before = expected(context);
    context.list[0] = { text: "b" };
    context.other.deep.push(3);
    expect(json && { exact: textOf(json.exact), canonical: textOf(json.canonical()) }).toEqual(before);
  });

  it("is written for objects with thousands of members and for deep ones", () => {
    const recent = new RecentJson();
    const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`key ${9_000 - index}`, index]));
    let deep: JsonValue = { b: 1, a: [2] };
    for (let level = 0; level < 30; level++) deep = { z: level, deep };
    for (const last of [1, 2, 2]) {
      const context = { wide: { ...wide, last }, deep: { last, deep } };
      expect(write(recent, context)).toEqual(expected(context));
    }
  });
});

it("keeps sessions apart, and writes what it forgot anew", () => {
  const recent = new RecentJson();
  const contextOf = (session: number, step: number) => ({ session, step, text: "x".repeat(100), list: [session, step] });
  for (let step = 0; step < 3; step++) {
    // Together more than is kept.
    for (let session = 0; session < 20; session++) {
      const context = contextOf(session, step);
      expect(write(recent, context, { session: `session ${session}`, characters: 500_000 })).toEqual(expected(context));
    }
  }
});

it("keeps nothing of a session that it was told to forget", () => {
  const recent = new RecentJson();
  const context = { text: "x".repeat(LONG) };
  const longPart = () => recent.write("session", context, LONG)?.parts.find(({ length }) => length > LONG);
  const first = longPart();
  expect(longPart()).toBe(first);
  recent.forget("session");
  expect(longPart()).not.toBe(first);
});

it.each([1_000, 2_000_000])("leaves a context of %d characters to others", (characters) => {
  const recent = new RecentJson();
  expect(write(recent, { a: 1 })).toBeDefined();
  expect(write(recent, { a: 1 }, { characters })).toBeUndefined();
});

it("accepts what checkJson accepts", () => {
  const context = JSON.parse(`{"__proto__":{"a":[-0,1e400,""]},"":null}`.replace("1e400", "1e40")) as Context;
  checkJson(context, DEFAULT_LIMITS);
  expect(write(new RecentJson(), context)).toEqual(expected(context));
});

it("writes one and the same value of a getter in both forms, and compares with that one later", () => {
  const recent = new RecentJson();
  let reads = 0;
  const changing = {
    get flag() {
      return ++reads % 2 === 0;
    },
  };
  // Deeper members are written in one go.
  const context = { a: { b: { c: { changing } } } };
  for (let step = 0; step < 4; step++) {
    const json = write(recent, context);
    expect(json?.exact).toBe(json?.canonical);
  }
});

it("forgets contexts by the bytes of their JSON, which numbers have more of than characters counted", () => {
  const recent = new RecentJson();
  const numbers = Array.from({ length: 50_000 }, (_, index) => -Math.PI / (index + 3));
  const firstPart = (session: number) => recent.write(`session ${session}`, { numbers }, 100_000)?.parts[1];
  const kept = firstPart(0);
  expect(firstPart(0)).toBe(kept);
  for (let session = 1; session < 5; session++) firstPart(session);
  expect(firstPart(0)).not.toBe(kept);
});
