import { isWorkrailError, WorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { storageError } from "./storage-errors.ts";

const withCode = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

describe("an error of SQLite, or of the file system", () => {
  it.each([
    ["ENOSPC", "disk-full"],
    ["SQLITE_FULL", "disk-full"],
    ["SQLITE_IOERR_SHMSIZE", "disk-full"],
    ["SQLITE_PERM", "not-permitted"],
    ["SQLITE_AUTH", "not-permitted"],
    ["SQLITE_READONLY_DIRECTORY", "read-only"],
    ["SQLITE_CORRUPT", "catalog-damaged"],
    ["SQLITE_CORRUPT_INDEX", "catalog-damaged"],
    ["SQLITE_NOTADB", "catalog-damaged"],
    ["SQLITE_CANTOPEN", "cannot-open"],
    ["SQLITE_IOERR_FSYNC", "input-output"],
    ["ESOMETHING", "other"],
  ])("%s is STORAGE_UNAVAILABLE for the reason %s, with the code, the path, a hint and the cause", (code, reason) => {
    const cause = withCode(code);
    const error = storageError(cause, "/data/file");
    expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE", retryable: true, details: { reason, code, path: "/data/file" }, cause });
    expect(isWorkrailError(error) && error.hint).toMatch(/\.$/);
  });

  it.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"])("%s is LOCK_TIMEOUT", (code) => {
    expect(storageError(withCode(code))).toMatchObject({ code: "LOCK_TIMEOUT", retryable: true });
  });

  it("is not changed if it is already translated, nor is a bug", () => {
    for (const error of [new WorkrailError("CONFLICT", "x"), new TypeError("x"), "x", undefined]) expect(storageError(error)).toBe(error);
  });
});
