import { ERROR_CODES, WorkrailError, type ErrorCode } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { toToolFailure } from "./wire-errors.ts";

describe("toToolFailure", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("returns %s with its status", (code) => {
    const error = new WorkrailError(code, "it went wrong", { hint: "Do better!", details: { at: 1 } });
    expect(toToolFailure(error)).toEqual({
      text: `${code}: it went wrong. Do better!`,
      code,
      httpStatus: ERROR_CODES[code].httpStatus,
      details: { at: 1 },
    });
  });

  it("works without a hint", () => {
    expect(toToolFailure(new WorkrailError("CONFLICT", "moved on.")).text).toBe("CONFLICT: moved on.");
  });

  it.each([new Error("stored text"), "stored text", undefined, { code: "CONFLICT", message: "stored text" }])(
    "hides the details of unexpected errors (%#)",
    (error) => {
      const failure = toToolFailure(error);
      expect(failure).toMatchObject({ code: "INTERNAL", httpStatus: 500 });
      expect(failure.text).not.toContain("stored text");
    },
  );
});
