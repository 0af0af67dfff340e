import { WorkrailError } from "@workrail/core";

/** A period as text in ISO 8601, each end a day or a time. A day without a zone is in UTC. */
export interface WrittenPeriod {
  /** Start, inclusive. */
  readonly since?: string | undefined;
  /** End, inclusive; a day is included to its end. */
  readonly until?: string | undefined;
}

/** A period with inclusive ends. */
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

/** Rejects dates such as 30 February, which JavaScript reads as 2 March. */
function isDay(text: string): boolean {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}
