import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { applyStep, readSession } from "./session-player.ts";

it("sets, appends and puts, and does not change the previous context", () => {
  const before = { goal: "g", list: [1], members: { a: 1 } };
  const after = applyStep(before, { set: { goal: "h" }, append: { list: [2, 3] }, put: { members: { a: 2, b: 3 } } });
  expect(after).toEqual({ goal: "h", list: [1, 2, 3], members: { a: 2, b: 3 } });
  expect(before).toEqual({ goal: "g", list: [1], members: { a: 1 } });
});

it("starts lists and objects that are not there yet", () => {
  expect(applyStep({}, { append: { list: [1] }, put: { toString: { a: 1 } } })).toEqual({ list: [1], toString: { a: 1 } });
});

it("keeps a key named __proto__ a key", () => {
  const step = JSON.parse('{"set":{"a":1},"append":{"__proto__":[1]},"put":{"b":{"__proto__":2}}}') as Parameters<typeof applyStep>[1];
  expect(JSON.stringify(applyStep({}, step))).toBe('{"a":1,"__proto__":[1],"b":{"__proto__":2}}');
});

it("refuses to append to a non-list, and to put into a non-object", () => {
  expect(() => applyStep({ a: "text" }, { append: { a: [1] } })).toThrow("a step appends to a, which is not a list");
  expect(() => applyStep({ a: [1] }, { put: { a: { b: 1 } } })).toThrow("a step puts members into a, which is not an object");
});

it("reports the required content of a file", async () => {
  const home = await mkdtemp(join(tmpdir(), "workrail-session-"));
  try {
    const file = join(home, "other.json");
    await writeFile(file, '{"steps":1}');
    await expect(readSession(file)).rejects.toThrow("other.json is not a recorded session: it must hold { initial, steps");
  } finally {
    await rm(home, { recursive: true });
  }
});
