import { describe, expect, it } from "vitest";
import { escapeJson, escapeOutput, escapeText } from "./escape-text.ts";

describe("escapeText", () => {
  it("escapes control sequences", () => {
    expect(escapeText("a\u001b[31m\nb\u009b\u202e\u2066\u200f\u061c\u2028\ud800c")).toBe(
      "a\\u001b[31m\\u000ab\\u009b\\u202e\\u2066\\u200f\\u061c\\u2028\\ud800c",
    );
  });

  it("changes nothing else", () => {
    const text = "Grüße, 日本語, العربية, 👩‍👩‍👧, a\\u001b";
    expect(escapeText(text)).toBe(text);
  });
});

describe("escapeJson", () => {
  it("keeps the value and the layout of the JSON", () => {
    const everyUnit = String.fromCharCode(...Array.from({ length: 0x10000 }, (_, unit) => unit));
    const value = { [everyUnit]: [everyUnit, "\\u202e", "\\\u202e"] };
    const text = JSON.stringify(value, undefined, 2);
    const escaped = escapeJson(text);
    expect(JSON.parse(escaped)).toEqual(value);
    expect(escaped.split("\n")).toHaveLength(text.split("\n").length);
    expect(escaped).not.toMatch(/[\u007f-\u009f\u202e]/u);
  });
});

describe("escapeOutput", () => {
  it("keeps lines, tabs and colours, and escapes all other control sequences", () => {
    expect(escapeOutput("a\tb\n\u001b[1mbold\u001b[0m\n")).toBe("a\tb\n\u001b[1mbold\u001b[0m\n");
    expect(escapeOutput("\u001b]0;title\u0007\u009b31m\u202etxt\u2066\u200e\r\u001b[2J")).toBe(
      "\\u001b]0;title\\u0007\\u009b31m\\u202etxt\\u2066\\u200e\\u000d\\u001b[2J",
    );
  });

  it("escapes every control character from U+0080 to U+009F, and every mark that reorders text", () => {
    const unsafe = [...range(0x80, 0x9f), ...range(0x202a, 0x202e), ...range(0x2066, 0x2069), 0x200e, 0x200f, 0x061c];
    for (const code of unsafe) {
      const escaped = `\\u${code.toString(16).padStart(4, "0")}`;
      const character = String.fromCharCode(code);
      expect([escapeText(character), escapeJson(character), escapeOutput(character)]).toEqual([escaped, escaped, escaped]);
    }
  });
});

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
