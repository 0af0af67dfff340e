import { describe, expect, it } from "vitest";
import { parseCheckpointId, parseDigest, parseSessionId } from "./ids.ts";

const INVALID = expect.objectContaining({ code: "INVALID_INPUT" }) as Error;

describe("an id", () => {
  it.each(["a", "A-z_0-9", "00000000-0000-4000-8000-000000000000", "x".repeat(128)])("may be %s", (id) => {
    expect(parseSessionId(id)).toBe(id);
    expect(parseCheckpointId(id)).toBe(id);
  });

  it.each([
    "user:42",
    "feature/login",
    "caf\u00e9",
    "two words",
    " a",
    "日本語",
    "../../x",
    "a.b",
    "CON",
    "👩\u200d👩\u200d👧",
    "x".repeat(128),
    "👍".repeat(128),
  ])("of a session may be any printable text: %s", (id) => {
    expect(parseSessionId(id)).toBe(id);
  });

  it("of a session is normalised, so that two ids that look the same are the same", () => {
    expect(parseSessionId("cafe\u0301")).toBe("caf\u00e9");
    expect(parseSessionId("\u1112\u1161\u11ab")).toBe("한");
    // The limit of 128 characters applies to the normal form.
    expect(parseSessionId("e\u0301".repeat(128))).toBe("\u00e9".repeat(128));
    expect(() => parseSessionId("e".repeat(129))).toThrow(INVALID);
  });

  it.each([
    ["white space alone", " \u3000"],
    ["U+0007", "a\u0007b"],
    ["U+000A", "a\n"],
    ["U+0000", "a\0"],
    ["U+009B", "a\u009bm"],
    ["U+D800", "a\ud800"],
    ["U+DC00", "\udc00a"],
    ["U+202E", "a\u202eb"],
    ["U+2066", "a\u2066b"],
    ["U+200B", "a\u200bb"],
    ["U+FEFF", "\ufeffa"],
    ["U+2028", "a\u2028b"],
    ["1 to 128 characters", ""],
    ["1 to 128 characters", "x".repeat(129)],
    ["1 to 128 characters", "👍".repeat(129)],
    ["1 to 128 characters", "x".repeat(10_000_000)],
  ])("of a session that is no printable text is refused with the reason: %s", (reason, id) => {
    expect(() => parseSessionId(id)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining(reason) }));
  });

  it.each(["", "x".repeat(129), "../../x", "a b", "a.b", "a/b", "ä", "a\n", "a\0", 5, null, undefined, {}])("may not be %j", (id) => {
    expect(() => parseCheckpointId(id)).toThrow(INVALID);
  });

  it.each([5, null, undefined, {}, []])("of a session may not be %j", (id) => {
    expect(() => parseSessionId(id)).toThrow(INVALID);
  });

  it("is refused under the name of the field it came in", () => {
    expect(() => parseCheckpointId("?", "parentId")).toThrow(expect.objectContaining({ details: { field: "parentId" } }));
  });
});

it("takes 64 lower-case hexadecimal digits for a digest, and nothing else", () => {
  expect(parseDigest("0a".repeat(32))).toBe("0a".repeat(32));
  for (const digest of ["0A".repeat(32), "0a".repeat(31), "0g".repeat(32), `${"0a".repeat(32)}\n`, 5, null]) {
    expect(() => parseDigest(digest)).toThrow(INVALID);
  }
});
