import { WorkrailError } from "@workrail/core";

/** A time as a person or a program writes it: ISO 8601, as a day or to the second; without a zone a day is one of UTC. */
export interface WrittenPeriod {
  /** This time and later. */
  readonly since?: string | undefined;
  /** This time and earlier; all of a day. */
  readonly until?: string | undefined;
}

/** Both ends belong to it. */
export interface Period {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)/;
const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?$/i;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** @throws INVALID_INPUT */
export function parsePeriod({ since, until }: WrittenPeriod): Period {
  return {
    since: since === undefined ? undefined : parseTime(since, "since"),
    until: until === undefined ? undefined : lastOf(until, parseTime(until, "until")),
  };
}

function lastOf(text: string, time: Date): Date {
  return DAY_ALONE.test(text) ? new Date(time.getTime() + DAY_MS - 1) : time;
}

function parseTime(text: string, field: string): Date {
  const time = TIME.test(text) && isDay(text) ? new Date(text) : undefined;
  if (time !== undefined && !Number.isNaN(time.getTime())) return time;
  throw new WorkrailError(
    "INVALID_INPUT",
    `${field} must be a time in ISO 8601, such as 2026-01-31T12:00:00Z, or a day, such as 2026-01-31.`,
    {
      details: { field },
    },
  );
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}
