import { describe, expect, it } from "vitest";
import { LineFramer, type Frame } from "./line-framer.ts";

/** Returns the frames of a text that arrives in pieces of the given size. */
function framed(text: string, options: { readonly maxBytes: number; readonly pieceBytes: number }): unknown[] {
  const framer = new LineFramer(options.maxBytes);
  const bytes = Buffer.from(text);
  const frames: (Frame | undefined)[] = [];
  for (let start = 0; start < bytes.length; start += options.pieceBytes) {
    frames.push(...framer.push(bytes.subarray(start, start + options.pieceBytes)));
  }
  frames.push(framer.end());
  return frames.filter((frame) => frame !== undefined).map((frame) => (frame.kind === "line" ? frame.bytes.toString("utf8") : frame));
}

describe("LineFramer", () => {
  it("cuts at line feeds only, wherever the chunks end", () => {
    const text = '{"a":"\u2028 \u2029 \u0085 é 😀"}\r\nsecond\n\nlast without an end';
    for (let pieceBytes = 1; pieceBytes <= text.length + 10; pieceBytes += 1) {
      expect(framed(text, { maxBytes: 1_000, pieceBytes })).toEqual([
        '{"a":"\u2028 \u2029 \u0085 é 😀"}\r',
        "second",
        "",
        "last without an end",
      ]);
    }
  });

  it("drops a line over the limit, keeps its id and size, and continues", () => {
    const long = `{"id":5,"x":"${"y".repeat(50)}"}`;
    for (const pieceBytes of [1, 7, 40, 1_000]) {
      expect(framed(`short\n${long}\nnext\n`, { maxBytes: 40, pieceBytes })).toEqual([
        "short",
        { kind: "too-long", sizeBytes: long.length, id: 5 },
        "next",
      ]);
    }
  });

  it("accepts a line of exactly the limit", () => {
    expect(framed("12345\n123456\n", { maxBytes: 5, pieceBytes: 3 })).toEqual(["12345", { kind: "too-long", sizeBytes: 6, id: undefined }]);
  });
});
