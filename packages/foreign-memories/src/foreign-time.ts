/** `2026-01-31 12:00:00`, as SQLite's CURRENT_TIMESTAMP writes it: in UTC. */
const SQLITE_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)$/u;

/** Parses a time that SQLite or JavaScript wrote; `undefined` for any other text. */
export function parseForeignTime(text: string | null | undefined): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const [, day, time] = SQLITE_TIME.exec(text) ?? [];
  const date = new Date(day === undefined ? text : `${day}T${time}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The latest of the known times. */
export function latestOf(times: Iterable<Date | undefined>): Date | undefined {
  let latest: Date | undefined;
  for (const time of times) if (time !== undefined && (latest === undefined || time > latest)) latest = time;
  return latest;
}
