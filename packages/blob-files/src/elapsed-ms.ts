/**
 * Returns milliseconds since the start of the process by a monotonic clock, for durations only. Node would load its whole performance
 * module for `performance.now()`, which takes longer than most of the work timed here.
 */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}
