/**
 * Milliseconds since this process began, by a clock that only goes forward: for how long something takes, never for what time it is. For
 * `performance.now()`, which tells the same, Node loads all that measures performance, which takes longer than most of what is timed here.
 */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}
