import { tokensCounted } from "@workrail/storage-conformance/builders";
import { expect, it } from "vitest";
import { fitFields } from "./fit-fields.ts";

const counter = tokensCounted((text) => Math.ceil(text.length / 4));

function room(characters: number): { tokens: number; characters: number } {
  return { tokens: characters, characters };
}

it("returns fields unchanged when they fit", async () => {
  const fields = { id: "a", name: "n", other: { deep: [1] } };
  expect(await fitFields(fields, { room: room(1_000) }, counter)).toEqual({ fields });
});

it("leaves out the largest, names them with their sizes, and keeps the order of the rest", async () => {
  const fields = { notes: "x".repeat(500), id: "a", ticket: 7, log: "y".repeat(900), name: "n" };
  const fitted = await fitFields(fields, { room: room(300) }, counter);
  expect(JSON.stringify(fitted.fields)).toBe('{"id":"a","ticket":7,"name":"n"}');
  expect(fitted.omitted).toEqual({
    count: 2,
    entries: [
      { key: "log", characters: 902 },
      { key: "notes", characters: 502 },
    ],
  });
});

it("counts tokens as well as characters", async () => {
  const dear = tokensCounted((text) => (text.includes("𒐫") ? text.length * 3 : 1));
  const { fields } = await fitFields(
    { id: "a", plain: "p".repeat(200), rare: "𒐫".repeat(90) },
    { room: { tokens: 300, characters: 10_000 } },
    dear,
  );
  expect(Object.keys(fields)).toEqual(["id", "plain"]);
});

it("keeps required fields, whatever the room", async () => {
  const { fields, omitted } = await fitFields({ id: "a", kind: "workflow", name: "n" }, { room: room(-5) }, counter);
  expect(fields).toEqual({ id: "a", kind: "workflow" });
  expect(omitted).toEqual({ count: 1, entries: [{ key: "name", characters: 3 }] });
});

it("names ten at most, with short names", async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}${"k".repeat(119)}😀${"k".repeat(500)}`, index]));
  const { omitted } = await fitFields(many, { room: room(10) }, counter);
  expect(omitted?.count).toBe(30);
  expect(omitted?.entries).toHaveLength(10);
  for (const { key } of omitted?.entries ?? []) expect(key.length).toBeLessThanOrEqual(123);
  expect(JSON.stringify(omitted).isWellFormed()).toBe(true);
});

it("keeps a key named __proto__", async () => {
  const fields = JSON.parse(`{"__proto__":1,"big":"${"x".repeat(500)}"}`) as object;
  expect(JSON.stringify((await fitFields(fields, { room: room(100) }, counter)).fields)).toBe('{"__proto__":1}');
});

it("keeps nothing without room, and names nothing, on request", async () => {
  const fields = { id: "a".repeat(100), name: "n" };
  const fitted = await fitFields(fields, { room: room(20), always: new Set(), mostNamed: 0 }, counter);
  expect(fitted).toEqual({ fields: { name: "n" }, omitted: { count: 1, entries: [] } });
});
