import { describe, expect, it } from "vitest";
import { errorLinesOf, looksFailed, reasonIn } from "./note-texts.ts";

const TRACEBACK = [
  "Traceback (most recent call last):",
  '  File "a.py", line 3, in <module>',
  "    raise AttributeError(",
  "AttributeError: no such field: age",
].join("\n");
const LINT = "The edit has new errors.\n\nERRORS:\n- E999 SyntaxError: unmatched ')'\n";

describe("reasonIn", () => {
  it.each([
    ["the last line of a traceback", TRACEBACK, "AttributeError: no such field: age"],
    ["an error in a list, behind the code of a rule", LINT, "- E999 SyntaxError: unmatched ')'"],
    [
      "an error with the name of its module",
      "json.decoder.JSONDecodeError: Expecting value",
      "json.decoder.JSONDecodeError: Expecting value",
    ],
    ["the first line about a failure without a named error", "running\n1 test failed\nsee the log", "1 test failed"],
    ["nothing in an empty output", "", ""],
  ])("finds %s", (_name, output, reason) => {
    expect(reasonIn(output)).toBe(reason);
  });
});

describe("errorLinesOf", () => {
  it("omits the head of a traceback, which carries no information", () => {
    expect(errorLinesOf(TRACEBACK)).toBe("raise AttributeError(\nAttributeError: no such field: age");
  });
});

describe("looksFailed", () => {
  it("sees an error in a list, and none in a sentence about errors", () => {
    expect(looksFailed(LINT)).toBe(true);
    expect(looksFailed("The SyntaxError: it was a typo.\nAll checks passed.")).toBe(false);
  });
});
