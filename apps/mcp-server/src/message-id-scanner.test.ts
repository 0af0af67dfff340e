import { describe, expect, it } from "vitest";
import { findMessageId, MessageIdScanner } from "./message-id-scanner.ts";

describe("findMessageId", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"x"}', 7],
    ['{"method":"x","params":{"id":1,"a":[{"id":2}]},"id":"last"}', "last"],
    ['{ "id" : "a\\"b\\u00e9}" , "params":{"t":"\\"id\\":9,"}}', 'a"bé}'],
    ['{"params":{"id":3},"method":"x"}', undefined],
    ['{"id":1,"id":2}', 2],
    ['{"id":null}', undefined],
    ['{"id":1.5}', undefined],
    ['{"id":{"id":4}}', undefined],
    ['[{"id":5}]', undefined],
    ['{"id":8,"params":{"broken', 8],
    ['{"id":8', undefined],
    ["", undefined],
    ["}}}{{{", undefined],
  ])("reads %s", (message, id) => {
    expect(findMessageId(Buffer.from(message))).toBe(id);
  });

  it("finds the id however the message is split into chunks", () => {
    const bytes = Buffer.from('{"params":{"text":"é \\" \\\\"},"id":"ñ-1","method":"x"}');
    for (let size = 1; size <= bytes.length; size += 1) {
      const scanner = new MessageIdScanner();
      for (let start = 0; start < bytes.length; start += size) {
        scanner.write(bytes.subarray(start, start + size));
      }
      expect(scanner.id).toBe("ñ-1");
    }
  });

  it("does not accept a token of any length as an id", () => {
    const key = "k".repeat(10_000);
    expect(findMessageId(Buffer.from(`{"${key}":1,"id":"${key}"}`))).toBeUndefined();
    expect(findMessageId(Buffer.from(`{"${key}":1,"id":2}`))).toBe(2);
  });
});
