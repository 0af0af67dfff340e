const UNITS = ["kB", "MB", "GB"] as const;

/** A size for people: `512 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes / 1_000;
  let unit = 0;
  // Not 1,000: what is rounded up to that is written in the next unit.
  for (; value >= 999.5 && unit < UNITS.length - 1; unit += 1) value /= 1_000;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`;
}
