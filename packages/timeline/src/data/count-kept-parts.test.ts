import { describe, expect, it } from "vitest";
import { countKeptParts } from "./count-kept-parts.ts";

describe("countKeptParts", () => {
  it("counts lines of a text, including repeated ones", () => {
    expect(countKeptParts("a\nb\n\nb\nc", "a\nb")).toEqual({ unit: "line", kept: 2, of: 4, missing: ["b", "c"] });
  });

  it("finds missing rows of a table by the positions of the others", () => {
    const saved = Array.from({ length: 6 }, (_, at) => ({ path: `p${at}`, lines: at }));
    const shown = ["(path | lines)", "p0 | 0", "[3] p3 | 3", "p4 | 4"];
    expect(countKeptParts(saved, shown)).toEqual({
      unit: "row",
      kept: 3,
      of: 6,
      missing: ['{"path":"p1","lines":1}', '{"path":"p2","lines":2}', '{"path":"p5","lines":5}'],
    });
  });

  it("counts items of a list, and fields of an object", () => {
    expect(countKeptParts(["one", "two", "three"], ["one", "[2] three"])).toEqual({ unit: "item", kept: 2, of: 3, missing: ["two"] });
    expect(countKeptParts({ a: 1, b: "two" }, { a: 1 })).toEqual({ unit: "field", kept: 1, of: 2, missing: ["b: two"] });
  });

  it("returns undefined when no part is missing, or the values have different forms", () => {
    expect(countKeptParts({ a: "long text", b: 2 }, { a: "long", b: 2 })).toBeUndefined();
    expect(countKeptParts({ a: 1 }, "a: 1")).toBeUndefined();
    expect(countKeptParts([1, 2], "1, 2")).toBeUndefined();
  });

  it("lists at most 500 missing parts, each shortened to 200 characters", () => {
    const saved = Array.from({ length: 600 }, (_, at) => `${at} ${"x".repeat(1_000)}`).join("\n");
    const parts = countKeptParts(saved, "");
    expect(parts).toMatchObject({ unit: "line", kept: 0, of: 600 });
    expect(parts?.missing.map(({ length }) => length)).toEqual(Array.from({ length: 500 }, () => 200));
  });
});
