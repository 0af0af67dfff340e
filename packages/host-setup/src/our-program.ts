/** The package that every host starts. */
export const SERVER_PACKAGE = "@workrail/mcp-server";

/** The name of our entries. */
export const ENTRY_NAME = "workrail";

const HOOK_COMMAND = /workrail[^]*? hook (?:session-start|user-prompt|pre-compact|stop|session-end)\b/u;
const SERVER_FILE = /(?:^|[\\/])workrail-mcp(?:\.mjs|\.cmd)?$/u;

/** Tells our hooks from those of others by their command. */
export function isOurHook(command: string): boolean {
  return HOOK_COMMAND.test(command);
}

/** Tells an entry that starts our server from one that only has its name. @param words the command and its arguments. */
export function isOurServer(words: readonly string[]): boolean {
  return words.some((word) => word === SERVER_PACKAGE || word.startsWith(`${SERVER_PACKAGE}@`) || SERVER_FILE.test(word));
}
