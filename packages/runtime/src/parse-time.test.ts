import { isWorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { parsePeriod } from "./parse-time.ts";

describe("a period", () => {
  it("begins and ends at the given times, and includes the whole last day", () => {
    expect(parsePeriod({})).toEqual({ since: undefined, until: undefined });
    expect(parsePeriod({ since: "2026-02-28", until: "2026-02-28" })).toEqual({
      since: new Date("2026-02-28T00:00:00.000Z"),
      until: new Date("2026-02-28T23:59:59.999Z"),
    });
    const until = "2026-02-28T10:00:00+01:00";
    expect(parsePeriod({ until }).until).toEqual(new Date("2026-02-28T09:00:00Z"));
    expect(parsePeriod({ since: "2028-02-29" }).since).toEqual(new Date("2028-02-29T00:00:00Z"));
  });

  it.each([
    "",
    "yesterday",
    "last 7",
    "-1",
    "7",
    "2026",
    "2026-02-29",
    "2026-02-30",
    "2026-06-31T10:00:00Z",
    "2026-13-01",
    "2026-01-01T25:00:00Z",
  ])("that begins with %j is refused, because JavaScript may read another time", (since) => {
    let error: unknown;
    try {
      parsePeriod({ since });
    } catch (thrown) {
      error = thrown;
    }
    expect(isWorkrailError(error) && [error.code, error.details["field"]]).toEqual(["INVALID_INPUT", "since"]);
  });
});
