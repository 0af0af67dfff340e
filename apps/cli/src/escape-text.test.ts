import { describe, expect, it } from "vitest";
import { escapeJson, escapeText } from "./escape-text.ts";

describe("escapeText", () => {
  it("escapes what a terminal would obey", () => {
    expect(escapeText("a\u001b[31m\nb\u009b\u202e\u2066\u200f\u061c\u2028\ud800c")).toBe(
      "a\\u001b[31m\\u000ab\\u009b\\u202e\\u2066\\u200f\\u061c\\u2028\\ud800c",
    );
  });

  it("leaves everything else as it is", () => {
    const text = "Grüße, 日本語, العربية, 👩‍👩‍👧, a\\u001b";
    expect(escapeText(text)).toBe(text);
  });
});

describe("escapeJson", () => {
  it("keeps what the JSON says, and its layout", () => {
    const everyUnit = String.fromCharCode(...Array.from({ length: 0x10000 }, (_, unit) => unit));
    const value = { [everyUnit]: [everyUnit, "\\u202e", "\\\u202e"] };
    const text = JSON.stringify(value, undefined, 2);
    const escaped = escapeJson(text);
    expect(JSON.parse(escaped)).toEqual(value);
    expect(escaped.split("\n")).toHaveLength(text.split("\n").length);
    expect(escaped).not.toMatch(/[\u007f-\u009f\u202e]/u);
  });
});
