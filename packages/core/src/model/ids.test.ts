import { describe, expect, it } from "vitest";
import { parseCheckpointId, parseDigest, parseSessionId } from "./ids.ts";

const INVALID = expect.objectContaining({ code: "INVALID_INPUT" }) as Error;

describe("an id", () => {
  it.each(["a", "A-z_0-9", "00000000-0000-4000-8000-000000000000", "x".repeat(128)])("may be %s", (id) => {
    expect(parseSessionId(id)).toBe(id);
    expect(parseCheckpointId(id)).toBe(id);
  });

  it.each(["", "x".repeat(129), "../../x", "a b", "a.b", "a/b", "ä", "a\n", "a\0", 5, null, undefined, {}])("may not be %j", (id) => {
    expect(() => parseSessionId(id)).toThrow(INVALID);
    expect(() => parseCheckpointId(id)).toThrow(INVALID);
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
