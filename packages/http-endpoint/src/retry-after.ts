/**
 * The milliseconds that a `Retry-After` asks for, given as seconds or as a date.
 *
 * @returns `undefined` for one that is missing, is neither, or is over.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return ms > 0 ? ms : undefined;
}
