/**
 * Returns the wait in milliseconds that a `Retry-After` header asks for, as seconds or as a date.
 *
 * @returns `undefined` for a header that is missing, invalid or in the past.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return ms > 0 ? ms : undefined;
}
