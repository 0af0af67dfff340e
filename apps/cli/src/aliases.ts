/** Words that people try, and the commands that they mean. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ls: ["list"],
  rm: ["delete"],
  prune: ["cleanup"],
  version: ["--version"],
};

/** A command line whose first word is the name of a command. */
export function withoutAlias(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  return Object.hasOwn(ALIASES, first) ? [...(ALIASES[first] ?? []), ...rest] : args;
}
