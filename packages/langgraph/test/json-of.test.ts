import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { jsonOf } from "../src/json-of.ts";

const serde = new JsonPlusSerializer();

async function writtenBySerialiser(value: unknown): Promise<string> {
  const [, bytes] = await serde.dumpsTyped(value);
  return new TextDecoder().decode(bytes);
}

class Point {
  readonly x = 1;
  readonly at = new Date(0);
}

describe("jsonOf", () => {
  it.each([
    ["plain JSON", { b: [1, -0, 1.5e-7, true, null, "\ud800 ü 🚀"], a: { 10: 1, 9: 2, "": {} }, list: [[], [{}]] }],
    ["a key named __proto__", JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":[2]}]}')],
    [
      "messages",
      { messages: [new HumanMessage("hi"), new AIMessage({ content: "", tool_calls: [{ id: "1", name: "look", args: { a: 1 } }] })] },
    ],
    ["values of classes under a key named __proto__", JSON.parse('{"a":1,"__proto__":{"b":null}}', (_, value) => value ?? new Set([1]))],
    ["a value of a class alone", new Map([["a", undefined]])],
    [
      "a message alone, with a class in it",
      new HumanMessage({ content: "hi", additional_kwargs: { seen: new Set([1]), at: new Date(1) } }),
    ],
    ["many messages", Array.from({ length: 50 }, (_, index) => ({ index, message: new HumanMessage(`message ${index}`) }))],
    ["collections", { set: new Set([1, new Map([["a", { b: new Set(["c"]) }]])]), map: new Map([[{}, []]]) }],
    ["bytes", { bytes: new Uint8Array([1, 255]), buffer: Buffer.from("ab"), at: new Date(1) }],
    ["undefined", { a: undefined, b: [undefined, 1], c: { d: undefined } }],
    ["a list with a hole", { list: Array.from({ length: 3 }).fill(1, 1, 2), sparse: Object.assign([], { 2: "c" }) }],
    ["numbers that JSON lacks", [Number.NaN, Number.POSITIVE_INFINITY, { a: Number.NEGATIVE_INFINITY }]],
    ["errors and expressions", { error: new TypeError("no"), expression: /a\/b/giu }],
    ["instances of classes", [new Point(), Object.create({ inherited: 1 }), Object.create(null), new String("boxed")]],
    ["a snapshot of a channel", { channel: new DeltaSnapshot(["a", new HumanMessage("hi")]) }],
    ["what is sent to a node", { sent: [{ lg_name: "Send", node: "tools", args: { a: undefined }, extra: 1 }] }],
    ["a value within itself twice", ((shared) => ({ one: shared, other: [shared] }))({ a: new Set([1]) })],
  ])("is the JSON that the serialiser writes for %s", async (_, value) => {
    expect(JSON.stringify(await jsonOf(serde, value))).toBe(await writtenBySerialiser(value));
  });

  it.each([
    ["a function", { a: () => 1 }],
    ["a symbol", [Symbol("a")]],
    ["a big integer", { a: 1n }],
    ["a big integer in a class", { a: new Set([1n]) }],
    ["a cycle", ((cycle: Record<string, unknown>) => Object.assign(cycle, { cycle }))({})],
  ])("leaves %s to the serialiser", async (_, value) => {
    expect(await jsonOf(serde, value)).toBeUndefined();
  });

  it("captures the value before the caller can change it", async () => {
    const value = { list: [1], map: new Map([["a", 1]]), message: new HumanMessage("before") };
    const before = await writtenBySerialiser(value);
    const json = jsonOf(serde, value);
    value.list.push(2);
    value.map.set("a", 2);
    value.message.content = "after";
    expect(JSON.stringify(await json)).toBe(before);
  });
});
