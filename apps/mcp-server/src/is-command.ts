/** Options without a value: `--json`, and each boolean setting. */
export const FLAGS: readonly string[] = [
  "--json",
  "--read-only",
  "--allow-plaintext-files",
  "--allow-plaintext-store",
  "--checkpoint-auto-save",
  "--hook-save",
  "--hook-conversation",
  "--hook-resume",
];

/**
 * Tells whether the arguments contain a command: a word that is neither an option nor the value of one. A server is started with options
 * only.
 */
export function isCommand(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const [arg = "", next = ""] = args.slice(at, at + 2);
    if (!arg.startsWith("-")) return true;
    if (arg.includes("=") || !arg.startsWith("--") || next.startsWith("--")) continue;
    if (!FLAGS.includes(arg) || /^(?:true|false|1|0)$/u.test(next)) at += 1;
  }
  return false;
}
