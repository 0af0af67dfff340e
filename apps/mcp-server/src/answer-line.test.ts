import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noteText, toAnswerLine } from "./answer-line.ts";
import { anyCharacter } from "../../../packages/storage-conformance/test/any-character.ts";

function answer(structuredContent: object, more: object = {}): { readonly message: object; readonly text: string } {
  const text = JSON.stringify(structuredContent);
  const result = { content: [{ type: "text", text }], structuredContent, ...more };
  return { message: { jsonrpc: "2.0", id: 7, result }, text };
}

describe("toAnswerLine", () => {
  it("writes the same message as serialising it, for any content", () => {
    const values = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ stringUnit: anyCharacter }));
    const odd = { quote: '"\\', line: "\n\u2028\u0000", half: "\ud83e", ключ: "🪣", nested: [{ a: null }] };
    fc.assert(
      fc.property(fc.oneof(values, fc.constant(odd)), fc.constantFrom({}, { _meta: { code: 'A"B' } }), (context, more) => {
        const structured = { context };
        const { message, text } = answer(structured, more);
        noteText(structured, text);
        const line = toAnswerLine(message)?.toString() ?? "";
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(message)));
      }),
    );
  });

  it.each([
    ["an answer that was not noted", answer({ a: 1 }).message],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }],
    ["a request", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["a result without content", { jsonrpc: "2.0", id: 1, result: {} }],
  ])("leaves %s to others", (_what, message) => {
    expect(toAnswerLine(message)).toBeUndefined();
  });

  it("leaves an answer alone whose text is not the noted one", () => {
    const structuredContent = { a: 1 };
    noteText(structuredContent, '{"a":2}');
    expect(toAnswerLine(answer(structuredContent).message)).toBeUndefined();
  });
});
