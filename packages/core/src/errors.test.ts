import { expect, it, vi } from "vitest";
import { ERROR_CODES, type ErrorCode, isWorkrailError, WorkrailError } from "./errors.ts";

it.each(Object.entries(ERROR_CODES))("%s has an HTTP status, and says whether to try again", (code, meaning) => {
  expect(meaning.httpStatus).toBeGreaterThanOrEqual(400);
  expect(meaning.httpStatus).toBeLessThan(600);
  expect(new WorkrailError(code as ErrorCode, "It failed.").retryable).toBe(meaning.retryable);
});

it("marks temporary errors as retryable", () => {
  const retryable = Object.entries(ERROR_CODES).filter(([, meaning]) => meaning.retryable);
  expect(retryable.map(([code]) => code).toSorted()).toEqual(["LOCK_TIMEOUT", "RATE_LIMITED", "STORAGE_UNAVAILABLE", "STORE_IN_USE"]);
});

it("carries code, details, hint and cause", () => {
  const cause = new Error("below");
  const error = new WorkrailError("CONFLICT", "Somebody was faster.", { details: { head: "x" }, hint: "Load again.", cause });
  expect(error).toMatchObject({
    name: "WorkrailError",
    code: "CONFLICT",
    message: "Somebody was faster.",
    details: { head: "x" },
    hint: "Load again.",
    cause,
  });
  expect(error).toBeInstanceOf(Error);
});

it("has empty details, and neither hint nor cause, unless they are given", () => {
  const error = new WorkrailError("INTERNAL", "It failed.");
  expect(error.details).toEqual({});
  expect(error.hint).toBeUndefined();
  expect("cause" in error).toBe(false);
});

it("is recognised although another copy of this module made it", async () => {
  vi.resetModules();
  const copy = await import("./errors.ts");
  const error: unknown = new copy.WorkrailError("INTERNAL", "It failed.");
  expect(error).not.toBeInstanceOf(WorkrailError);
  expect(isWorkrailError(error)).toBe(true);
});

it.each([new Error("plain"), "text", null, undefined, 5, { code: "INTERNAL" }])("does not take %s for one", (value) => {
  expect(isWorkrailError(value)).toBe(false);
});
