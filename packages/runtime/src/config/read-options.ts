/** Options of a command line. */
export interface GivenOptions {
  /** By name with dashes, such as `--max-depth`. The last value wins when an option is repeated. */
  readonly values: ReadonlyMap<string, string>;
  /** Arguments that are not options, and options without a value. */
  readonly strays: readonly string[];
}

const FLAG_VALUE = /^(?:true|false|1|0)$/u;

/**
 * Reads `--name=value` and `--name value`, and a bare `--name` for flags.
 *
 * @param flags names with dashes.
 */
export function readOptions(args: readonly string[], flags: ReadonlySet<string> = new Set()): GivenOptions {
  const values = new Map<string, string>();
  const strays: string[] = [];
  const rest = withFlagValues(args, flags);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, value] = /^(--[a-z][a-z-]*)(?:=(.*))?$/su.exec(arg) ?? [];
    const isNextItsValue = value === undefined && rest[0] !== undefined && !rest[0].startsWith("--");
    if (name === undefined || (value === undefined && !isNextItsValue)) strays.push(arg);
    else values.set(name, value ?? rest.shift() ?? "");
  }
  return { values, strays };
}

/** Returns the arguments with `=true` added to each flag that has no value. */
export function withFlagValues(args: readonly string[], flags: ReadonlySet<string>): string[] {
  return args.map((arg, index) => (flags.has(arg) && !FLAG_VALUE.test(args[index + 1] ?? "") ? `${arg}=true` : arg));
}
