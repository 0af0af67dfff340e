const UNITS = ["KiB", "MiB", "GiB"] as const;

/** Formats a size for people: `512 B`, `1.2 KiB`, `10 GiB`, in the units of the limits. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  let value = bytes / 1_024;
  let unit = 0;
  // Not 1,024: a value that rounds up to 1,024 is written in the next unit.
  for (; value >= 1_023.5 && unit < UNITS.length - 1; unit += 1) value /= 1_024;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`;
}
