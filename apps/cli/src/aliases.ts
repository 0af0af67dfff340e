/** Words that people try, with the commands they mean. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ls: ["list"],
  rm: ["delete"],
  prune: ["cleanup"],
  version: ["--version"],
};

/** Replaces an alias in the first word by its command. */
export function withoutAlias(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  return Object.hasOwn(ALIASES, first) ? [...(ALIASES[first] ?? []), ...rest] : args;
}
