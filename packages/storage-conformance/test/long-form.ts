/** True in `npm run test:faults`, where the tests that break things are long. */
export const IS_LONG: boolean = process.env["WORKRAIL_LONG_TESTS"] === "1";

const FEWEST = 50;

/** Returns how often a property is tried: all times in the long form, otherwise a fifth of them, but at least 50 times. */
export function runsOf(all: number): number {
  return IS_LONG ? all : Math.min(all, Math.max(FEWEST, Math.ceil(all / 5)));
}
