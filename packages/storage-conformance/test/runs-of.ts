const FEWEST = 50;

/** Returns how often a property is tried: all times in `npm run test:faults`, a fifth of them in `npm test`, but at least 50 times. */
export function runsOf(all: number): number {
  const isLong = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;
  return isLong ? all : Math.min(all, Math.max(FEWEST, Math.ceil(all / 5)));
}
