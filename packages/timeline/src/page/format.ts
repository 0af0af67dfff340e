// Written by hand: the first use of Intl in a page took 50 ms, a sixth of the time that the first paint may take.

/** British English abbreviations, one with four letters. */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"] as const;

/** `9 Mar` */
function dayOf(at: Date): string {
  return `${at.getDate()} ${MONTHS[at.getMonth()]}`;
}

/** `9 Mar 2026` */
function dateOf(at: Date): string {
  return `${dayOf(at)} ${at.getFullYear()}`;
}

/** `08:10` */
function clockOf(at: Date): string {
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}

/** A whole number with thousands separators: `12,345`. */
export function number(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}

export function signed(value: number): string {
  return value === 0 ? "±0" : `${value > 0 ? "+" : "−"}${number(Math.abs(value))}`;
}

/** A size in the units of the limits and of the command line: `1.2 KiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(1024)));
  const amount = value / 1024 ** power;
  return `${amount >= 100 || power === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[power] ?? "B"}`;
}

/** Large numbers in three digits: `12.4k`. */
export function short(value: number): string {
  if (value < 1_000) return String(value);
  const [amount, unit] = value < 1_000_000 ? [value / 1_000, "k"] : [value / 1_000_000, "M"];
  return `${amount >= 100 ? Math.round(amount) : amount.toFixed(1)}${unit}`;
}

export function time(iso: string): string {
  const at = new Date(iso);
  return `${dateOf(at)}, ${clockOf(at)}`;
}

const STEPS = [
  ["s", 60],
  ["m", 60],
  ["h", 24],
] as const;

const DAY_MS = 24 * 60 * 60 * 1_000;
const MOST_DAYS = 14;

/** The age of a time: `3h ago`, `yesterday`; a date after two weeks. Days are those of the calendar. */
export function ago(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  let amount = Math.max(0, (now - at.getTime()) / 1_000);
  for (const [unit, most] of STEPS) {
    if (amount < most) return unit === "s" ? "just now" : `${Math.floor(amount)}${unit} ago`;
    amount /= most;
  }
  const days = Math.round((midnightOf(new Date(now)) - midnightOf(at)) / DAY_MS);
  if (days >= MOST_DAYS) return dayOf(at);
  return days === 1 ? "yesterday" : `${days}d ago`;
}

function midnightOf(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** A time as people say it: `today 14:26`, `yesterday 16:44`, `9 Mar 08:10`. */
export function when(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  const own = dateOf(at);
  if (own === dateOf(new Date(now))) return `today ${clockOf(at)}`;
  if (own === dateOf(new Date(now - DAY_MS))) return `yesterday ${clockOf(at)}`;
  return at.getFullYear() === new Date(now).getFullYear() ? `${dayOf(at)} ${clockOf(at)}` : own;
}

/** The day of a future time: `28 Dec`, with the year when it is not this year. */
export function day(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  return at.getFullYear() === new Date(now).getFullYear() ? dayOf(at) : dateOf(at);
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return path.split(/[\\/]/u).findLast((part) => part !== "") ?? path;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** The title of a checkpoint for people. */
export function titleOf({
  name,
  phase,
  sequence,
}: {
  readonly name?: string | undefined;
  readonly phase?: string | undefined;
  readonly sequence: number;
}): string {
  return name ?? (phase === undefined ? `Checkpoint ${sequence}` : `End of ${phase}`);
}
