/** Options as they stand on a command line. */
export interface GivenOptions {
  /** By their names with dashes, `--max-depth`; of one that is given twice the last. */
  readonly values: ReadonlyMap<string, string>;
  /** What is no option, or one without a value. */
  readonly strays: readonly string[];
}

/** Reads `--name=value` and `--name value`. */
export function readOptions(args: readonly string[]): GivenOptions {
  const values = new Map<string, string>();
  const strays: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, value] = /^(--[a-z][a-z-]*)(?:=(.*))?$/su.exec(arg) ?? [];
    const isNextItsValue = value === undefined && rest[0] !== undefined && !rest[0].startsWith("--");
    if (name === undefined || (value === undefined && !isNextItsValue)) strays.push(arg);
    else values.set(name, value ?? rest.shift() ?? "");
  }
  return { values, strays };
}
