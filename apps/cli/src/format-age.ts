const STEPS = [
  ["y", 365 * 86_400],
  ["w", 7 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** Formats an age as one number with its unit: `12s`, `5m`, `3h`, `2d`, `6w`, `1y`. */
export function formatAge(then: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - then.getTime()) / 1_000));
  const [unit, length] = STEPS.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / length)}${unit}`;
}
