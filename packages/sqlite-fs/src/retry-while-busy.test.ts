import { describe, expect, it } from "vitest";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";

const busy = (): never => {
  throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
};

describe("retrying while busy", () => {
  it("retries until it gets the lock", async () => {
    let attempts = 0;
    expect(await retryWhileBusy(() => (++attempts < 5 ? busy() : "in"), 5_000)).toBe("in");
    expect(attempts).toBe(5);
  });

  it("tries once, and no more, when it may not wait", async () => {
    let attempts = 0;
    const trying = retryWhileBusy(() => {
      attempts += 1;
      return busy();
    }, -1);
    await expect(trying).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    expect(attempts).toBe(1);
  });

  it("hands on any other failure at once", async () => {
    await expect(
      retryWhileBusy(() => {
        throw new Error("other");
      }, 5_000),
    ).rejects.toThrow("other");
    expect([
      isBusy(new Error("x")),
      isBusy("SQLITE_BUSY"),
      isBusy(Object.assign(new Error("x"), { code: "SQLITE_LOCKED_SHAREDCACHE" })),
    ]).toEqual([false, false, true]);
  });
});
