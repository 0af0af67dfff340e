const UNITS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
] as const;

/** Returns the age of a time in its largest unit: "2 hours ago". Future times, after a clock change, are "just now". */
export function describeAge(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime();
  const [unit, size] = UNITS.findLast(([, each]) => ms >= each) ?? ["", 0];
  if (size === 0) return "just now";
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
