import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesFromJson, messagesToJson } from "./message-json.ts";

const there = (message: object): unknown => messagesFromJson(JSON.parse(JSON.stringify(messagesToJson([message]))))[0];

describe("messages as JSON", () => {
  it("come back exactly, with values that JSON lacks", () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.bigInt(),
        fc.date(),
        fc.uint8Array(),
        fc.webUrl().map((url) => new URL(url)),
        fc.array(tie("value")),
        fc.array(tie("value")).map((items) => new Set(items)),
        fc.array(fc.tuple(tie("value"), tie("value"))).map((entries) => new Map(entries)),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("$type", "value", "__proto__")), tie("value"), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(values.value, (value) => {
        expect(there({ value })).toStrictEqual({ value });
      }),
    );
  });

  it("distinguish a buffer from other bytes", () => {
    const bytes = { buffer: Buffer.from([1, 2]), memory: new Uint8Array([3]).buffer, part: new Uint8Array([4, 5, 6]).subarray(1, 2) };
    expect(there(bytes)).toStrictEqual({ buffer: Buffer.from([1, 2]), memory: new Uint8Array([3]).buffer, part: new Uint8Array([5]) });
  });

  it("contain other objects as JSON.stringify writes them", () => {
    class Sum {
      readonly total = 3;
    }
    const given = {
      sum: new Sum(),
      own: { toJSON: () => ({ at: new Date(0) }) },
      call: () => 1,
      list: [undefined, () => 1],
      absent: undefined,
    };
    expect(there(given)).toStrictEqual({ sum: { total: 3 }, own: { at: new Date(0) }, list: [undefined, null] });
  });

  it("refuse a value that contains itself", () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(() => messagesToJson([cycle])).toThrow(expect.objectContaining({ code: "INVALID_INPUT", hint: expect.any(String) as string }));
  });

  it.each(["later", "URL", "bigint", "Map", "Set", "Object"])(
    "come back as they are when another program marked a value as %s",
    ($type) => {
      const content = [
        { $type, value: 3.5 },
        { $type, value: [], text: "Hello" },
      ];
      const message = { role: "user", content };
      expect(messagesFromJson([message])).toStrictEqual([message]);
    },
  );
});
