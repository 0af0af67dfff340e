/** Small programs that start often, by the first word of the command line. */
const LIGHT_PARTS: Readonly<Record<string, string>> = { hook: "./hook.cjs", statusline: "./statusline.cjs" };

/** The file of the small program that a command line asks for; `undefined` for other commands and for help. */
export function lightPart([first = "", ...rest]: readonly string[]): string | undefined {
  if (!Object.hasOwn(LIGHT_PARTS, first) || rest.includes("--help") || rest.includes("-h")) return undefined;
  return LIGHT_PARTS[first];
}
