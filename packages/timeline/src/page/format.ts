const NUMBER = new Intl.NumberFormat("en-US");
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DAY_OF_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const AGO = new Intl.RelativeTimeFormat("en-US", { numeric: "auto", style: "narrow" });

export function number(value: number): string {
  return NUMBER.format(value);
}

export function signed(value: number): string {
  return value === 0 ? "±0" : `${value > 0 ? "+" : "−"}${NUMBER.format(Math.abs(value))}`;
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
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
  return TIME.format(new Date(iso));
}

const STEPS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 14],
] as const;

/** The age of a time: `3 hr. ago`; a date after two weeks. */
export function ago(iso: string, now = Date.now()): string {
  let amount = Math.max(0, (now - new Date(iso).getTime()) / 1_000);
  for (const [unit, most] of STEPS) {
    if (amount < most) return unit === "second" ? "just now" : AGO.format(-Math.floor(amount), unit);
    amount /= most === 14 ? 1 : most;
  }
  return DAY.format(new Date(iso));
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A time as people say it: `today 14:26`, `yesterday 16:44`, `9 Mar 08:10`. */
export function when(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  const day = (milliseconds: number): string => DAY_OF_YEAR.format(milliseconds);
  const own = day(at.getTime());
  if (own === day(now)) return `today ${CLOCK.format(at)}`;
  if (own === day(now - DAY_MS)) return `yesterday ${CLOCK.format(at)}`;
  return at.getFullYear() === new Date(now).getFullYear() ? `${DAY.format(at)} ${CLOCK.format(at)}` : own;
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
