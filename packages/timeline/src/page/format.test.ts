import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ago, bytes, number, time, when } from "./format.ts";

const NUMBER = new Intl.NumberFormat("en-US");
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const AGO = new Intl.RelativeTimeFormat("en-US", { numeric: "auto", style: "narrow" });

const someDate = fc.date({ min: new Date(2000, 0, 1), max: new Date(2099, 11, 31), noInvalidDate: true });
const NOW = new Date(2026, 2, 12, 15, 18);

function before(ms: number): string {
  return new Date(NOW.getTime() - ms).toISOString();
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 24 * HOUR;

describe("formats of the page", () => {
  it("write whole numbers as Intl does", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
        expect(number(value)).toBe(NUMBER.format(value));
      }),
    );
  });

  it("write sizes in the units of the limits", () => {
    expect([0, 512, 1024, 1280, 150 * 1024, 1024 ** 2, 3 * 1024 ** 3].map(bytes)).toEqual([
      "0 B",
      "512 B",
      "1.0 KiB",
      "1.3 KiB",
      "150 KiB",
      "1.0 MiB",
      "3.0 GiB",
    ]);
  });

  it("write times as Intl does", () => {
    fc.assert(
      fc.property(someDate, (date) => {
        expect(time(date.toISOString())).toBe(TIME.format(date));
      }),
    );
  });

  it("write ages as Intl does, and days after two weeks", () => {
    expect(ago(before(59_000), NOW.getTime())).toBe("just now");
    for (const minutes of [1, 30, 59]) expect(ago(before(minutes * MINUTE), NOW.getTime())).toBe(AGO.format(-minutes, "minute"));
    for (const hours of [1, 14, 23]) expect(ago(before(hours * HOUR), NOW.getTime())).toBe(AGO.format(-hours, "hour"));
    for (const days of [1, 2, 13]) expect(ago(before(days * DAYS), NOW.getTime())).toBe(AGO.format(-days, "day"));
    expect(ago(before(14 * DAYS), NOW.getTime())).toBe(DAY.format(new Date(before(14 * DAYS))));
    expect(ago(before(-HOUR), NOW.getTime())).toBe("just now");
  });

  it("say today and yesterday, leave out this year, and the clock of other years", () => {
    const said = (...date: readonly [number, number, number, number, number]): string =>
      when(new Date(...date).toISOString(), NOW.getTime());
    expect(said(2026, 2, 12, 8, 5)).toBe("today 08:05");
    expect(said(2026, 2, 11, 23, 59)).toBe("yesterday 23:59");
    expect(said(2026, 2, 9, 8, 10)).toBe("9 Mar 08:10");
    expect(said(2025, 8, 9, 8, 10)).toBe("9 Sept 2025");
  });
});
