import { describe, expect, it } from "vitest";
import { isComplete } from "./is-complete.ts";

const ROWS = [
  { id: "find", step: "find the sum", done: true },
  { id: "test", step: "test it, twice", done: false },
];
const TABLE = ["(id | step | done)", "find | find the sum | true", "test | test it, twice | false"];

describe("a rewritten value is complete", () => {
  it("as a table of the same records", () => {
    expect(isComplete(ROWS, TABLE)).toBe(true);
    expect(isComplete({ steps: ROWS }, { steps: TABLE })).toBe(true);
  });

  it("when a text with lines is there unchanged", () => {
    expect(isComplete({ text: "if a:\n  b", rows: ROWS }, { text: "if a:\n  b", rows: TABLE })).toBe(true);
  });
});

describe("a rewritten value is not complete", () => {
  it.each([
    ["without a row", TABLE.slice(0, 2)],
    ["without a repeated word", TABLE.map((line) => line.replace("find the", "the"))],
    ["without a sign", TABLE.map((line) => line.replace(",", ""))],
    ["without the names of its fields", TABLE.slice(1)],
    ["when a row ends early", TABLE.map((line) => line.replace("twice | false", "tw…"))],
  ])("%s", (_name, shown) => {
    expect(isComplete(ROWS, shown)).toBe(false);
  });

  it("when the lines of a text are joined or cut at their sides", () => {
    expect(isComplete({ text: "if a:\n  b" }, { text: "if a: b" })).toBe(false);
    expect(isComplete({ text: "if a:\n  b" }, { text: ["if a:", "b"] })).toBe(false);
  });

  it("when numbers are summed up", () => {
    expect(isComplete([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ["10 numbers: first 1, least 1, most 10, last 10"])).toBe(false);
  });
});
