const PLAIN = /^[\w.:/@%+,-]+$/u;
/** Characters that a shell interprets in double quotes. POSIX shells, PowerShell and cmd take all others literally. */
const READ_IN_QUOTES = /["$`\\!%]/u;

/** Quotes a text as one word of a command, for people who paste it into a shell. */
export function shellWord(text: string): string {
  if (PLAIN.test(text) && !text.startsWith("-")) return text;
  return READ_IN_QUOTES.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
