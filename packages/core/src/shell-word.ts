const PLAIN = /^[\w.:/@%+,-]+$/u;
/** What a shell reads in double quotes; POSIX shells, PowerShell and cmd take the rest as it is. */
const READ_IN_QUOTES = /["$`\\!%]/u;

/** A text as one word of a command, for people who paste it into a shell. */
export function shellWord(text: string): string {
  if (PLAIN.test(text) && !text.startsWith("-")) return text;
  return READ_IN_QUOTES.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
