/** True for placeholders in examples and templates, and for redacted secrets. */
export function isPlaceholder(text: string): boolean {
  return BEGINS_PLACEHOLDER.test(text) || IS_PLACEHOLDER_WORD.test(text) || isExample(text);
}

const BEGINS_PLACEHOLDER = /^(?:[<{[(]|\$\{|\$\(|\$[A-Za-z_]\w*$|\$2[aby]\$|\$argon2|%[A-Z_]+%|%[sdv@(]|#\{|\*{2,}|@[A-Z_]+@|\.{3})/;
const IS_PLACEHOLDER_WORD =
  /^(?:your|my|the|some|sample|secrets?|password|passw(?:or)?d|pass|pw|string|user|admin|root|test|guest|none|null|undefined|true|false)\d{0,3}(?:$|[-_.])/i;

/** True for texts that are marked as examples or repeat a character, including formatted ones such as `AKIAIOSFODNN7EXAMPLE`. */
export function isExample(text: string): boolean {
  return (
    /example|placeholder|your[-_]|changeme|change[-_]me|replace[-_]|redacted|dummy|(.)\1{5,}|\.{3}/i.test(text) ||
    /x{5,}|X{5,}/.test(text) ||
    DOCUMENTED.test(text)
  );
}

/** `user:password` in base64, and the signature shown on jwt.io. */
const DOCUMENTED = /^dXNlcjpwYXNz|SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c/;

const LEAST_RANDOM = 16;
/** Bits per character. Short compound words have less; hexadecimal digits have up to 4. */
const LEAST_ENTROPY = 3;
/** Share of neighbouring characters of different classes. Names have one per word, keys nearly one per two characters. */
const LEAST_CHANGES = 0.2;

/** True for texts like keys: long, with letters and digits in random order. False for paths, names and calls. */
export function isRandom(text: string): boolean {
  if (text.length < LEAST_RANDOM || isPlaceholder(text)) return false;
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (isReference(text)) return false;
  return changesOf(text) >= LEAST_CHANGES && entropyOf(text) >= LEAST_ENTROPY;
}

/** True for a path, a URL, or a digest with its algorithm. */
export function isReference(text: string): boolean {
  return /^\.{0,2}\/|^[A-Za-z]+:\/\/|^(?:[\w.-]{1,128}@)?(?:sha\d{1,3}|md5|h1)[:-]/.test(text);
}

/**
 * Counts changes of character class. Lower-case letters after a capital continue its word; word separators are no change, other
 * symbols are.
 */
function changesOf(text: string): number {
  const changes = text.match(/(?<=[a-z])[A-Z0-9]|(?<=[A-Z])\d|(?<=\d)[A-Za-z]|[!#$%^*~+?|]/g)?.length ?? 0;
  return changes / text.length;
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** True for texts like passwords made by people: not random, but neither a word nor a name in code. */
export function isPassword(text: string): boolean {
  if (isPlaceholder(text) || isReference(text) || /^[A-Za-z_$][\w$]*(?:\?*\.[\w$]+)+$/.test(text)) return false;
  const sorts = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((sort) => sort.test(text)).length;
  return sorts >= 3 || (/\d/.test(text) && /[a-zA-Z]/.test(text));
}
