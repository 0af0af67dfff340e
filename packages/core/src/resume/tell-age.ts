const UNITS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
] as const;

/** How long ago a time is, in the largest unit that fits: "2 hours ago". What is to come, by a clock that was changed, is "just now". */
export function tellAge(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime();
  const [unit, size] = UNITS.findLast(([, each]) => ms >= each) ?? ["", 0];
  if (size === 0) return "just now";
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
