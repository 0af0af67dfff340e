import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undo, undoOf } from "./undo-edits.ts";

describe("undoOf", () => {
  it("restores any text from any other", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "é", "😀"), maxLength: 40 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(undo(after, undoOf(before, after))).toBe(before);
      }),
    );
  });

  it("keeps no text of a file that was changed only by insertions", () => {
    const before = '{\n  "env": { "KEY": "one-secret" },\n  "hooks": {},\n  "token": "another-secret"\n}\n';
    const after = before.replace('"hooks": {}', '"hooks": {\n    "Stop": []\n  }').replace('"\n}', '",\n  "mcp": {}\n}');
    expect(undo(after, undoOf(before, after))).toBe(before);
    expect(JSON.stringify(undoOf(before, after))).not.toContain("secret");
  });
});
