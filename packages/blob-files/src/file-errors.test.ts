import { isWorkrailError, WorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { fileError } from "./file-errors.ts";

const withCode = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

describe("an error of the file system", () => {
  it.each([
    ["ENOSPC", "disk-full"],
    ["EDQUOT", "quota"],
    ["EFBIG", "file-too-large"],
    ["EACCES", "not-permitted"],
    ["EPERM", "not-permitted"],
    ["EROFS", "read-only"],
    ["EMFILE", "too-many-files"],
    ["ENFILE", "too-many-files"],
    ["ELOOP", "symbolic-link"],
    ["ENOTDIR", "wrong-kind-of-file"],
    ["EISDIR", "wrong-kind-of-file"],
    ["ENOENT", "missing"],
    ["EEXIST", "wrong-kind-of-file"],
    ["EBUSY", "file-in-use"],
    ["ENAMETOOLONG", "path-too-long"],
    ["EIO", "input-output"],
    ["ESOMETHING", "other"],
  ])("%s is STORAGE_UNAVAILABLE for the reason %s, with the code, the path, a hint and the cause", (code, reason) => {
    const cause = withCode(code);
    const error = fileError(cause, "/data/file");
    expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE", retryable: true, details: { reason, code, path: "/data/file" }, cause });
    expect(isWorkrailError(error) && error.hint).toMatch(/\.$/);
  });

  it.each(["EACCES", "EROFS"])("names the path that is not writable (%s), and how to read it all the same", (code) => {
    const error = fileError(withCode(code), "/data");
    expect(error).toMatchObject({
      message: `The store cannot be used (${code}, /data).`,
      hint: expect.stringContaining("`--read-only`") as string,
    });
  });

  it("that is already translated stays unchanged, and so does a bug", () => {
    for (const error of [new WorkrailError("CONFLICT", "x"), new TypeError("x"), "x", undefined]) expect(fileError(error)).toBe(error);
  });
});
