/** Options of a command line. */
export interface GivenOptions {
  /** By name with dashes, such as `--max-depth`. The last value wins when an option is repeated. */
  readonly values: ReadonlyMap<string, string>;
  /** Arguments that are not options, and options without a value. */
  readonly strays: readonly string[];
}

const FLAG_VALUE = /^(?:true|false|1|0)$/u;

/**
 * Reads `--name=value` and `--name value`, and a bare `--name` where that has a value.
 *
 * @param bare names with dashes, with the values that they have when they stand alone.
 */
export function readOptions(args: readonly string[], bare: ReadonlyMap<string, string> = new Map()): GivenOptions {
  const values = new Map<string, string>();
  const strays: string[] = [];
  const rest = withBareValues(args, bare);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, value] = /^(--[a-z][a-z-]*)(?:=(.*))?$/su.exec(arg) ?? [];
    const isNextItsValue = value === undefined && rest[0] !== undefined && !rest[0].startsWith("--");
    if (name === undefined || (value === undefined && !isNextItsValue)) strays.push(arg);
    else values.set(name, value ?? rest.shift() ?? "");
  }
  return { values, strays };
}

/** Returns the arguments with the value added to each bare option. */
export function withBareValues(args: readonly string[], bare: ReadonlyMap<string, string>): string[] {
  return args.map((arg, index) => {
    const value = bare.get(arg);
    return value === undefined || isValueOf(value, args[index + 1]) ? arg : `${arg}=${value}`;
  });
}

/** Tells whether the next argument is the value of an option, which otherwise stands bare. */
function isValueOf(bare: string, next: string | undefined): boolean {
  if (next === undefined || next.startsWith("--")) return false;
  return bare !== "true" || FLAG_VALUE.test(next);
}
