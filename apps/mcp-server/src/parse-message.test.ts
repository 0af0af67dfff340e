import { describe, expect, it } from "vitest";
import { parseMessage } from "./parse-message.ts";

const call = (context: string): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"context":${context}}}}`);
const nested = (levels: number): string => `{"a":"${"x".repeat(100_000)}","b":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("a message of JSON", () => {
  it("may nest 10,000 levels deep", () => {
    expect(parseMessage(call(nested(10_000)))).toMatchObject({ kind: "message" });
  });

  it("is refused, with its id, when it is so deep that parsing would block", () => {
    expect(parseMessage(call(nested(30_000)))).toMatchObject({
      kind: "rejected",
      rejection: { id: 7, code: -32_700, message: "The message is nested deeper than 20,000 levels.", isAnswerable: true },
    });
    expect(parseMessage(Buffer.alloc(16 * 1024 * 1024, "["))).toMatchObject({ kind: "rejected" });
  });

  it("may hold any number of brackets in strings and side by side", () => {
    const brackets = JSON.stringify({ text: '[{"\\'.repeat(40_000), wide: Array.from({ length: 40_000 }, () => []) });
    expect(parseMessage(call(brackets))).toMatchObject({ kind: "message" });
  });
});
