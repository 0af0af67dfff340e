import { parseArgs } from "node:util";

export interface DemoArguments {
  readonly file: string | undefined;
  /** Number of steps to play; `undefined` plays all. */
  readonly steps: number | undefined;
  readonly keep: boolean;
  readonly server: string | undefined;
  readonly help: boolean;
}

export const FEWEST_STEPS = 3;

export const USAGE = `Usage: npm run demo -- [SESSION] [--steps N] [--keep] [--server FILE]

Plays a recorded session of an agent against the built server, kills it in the middle of a save, resumes,
deletes the database, and compares each loaded checkpoint with the acknowledged one. Exits with 0 if all are equal.

  SESSION        a recorded session: { initial, steps: [{ set?, append?, put? }] } as JSON (default: the one beside this program)
  --steps N      only the first N steps, at least ${FEWEST_STEPS}
  --keep         keep the data directory
  --server FILE  server to run instead of the built one
`;

/** @throws TypeError with a message for the user. */
export function parseArguments(given: readonly string[]): DemoArguments {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      steps: { type: "string" },
      keep: { type: "boolean", default: false },
      server: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (positionals.length > 1) throw new TypeError("Give only one session.");
  const steps = values.steps === undefined ? undefined : Number(values.steps);
  if (steps !== undefined && !(Number.isInteger(steps) && steps >= FEWEST_STEPS)) {
    throw new TypeError(`--steps takes a whole number of at least ${FEWEST_STEPS}.`);
  }
  return { file: positionals[0], steps, keep: values.keep, server: values.server, help: values.help };
}
