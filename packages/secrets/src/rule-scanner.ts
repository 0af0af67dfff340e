import type { FoundSecret, SecretScanner } from "@workrail/core";
import { KeywordFinder, KeywordPattern } from "./keyword-finder.ts";
import { NAMED_RULES } from "./named-rules.ts";
import { PERSONAL_DATA_RULES, type PersonalData, personalDataRules } from "./personal-data-rules.ts";
import { NUMBER_START, type SecretRule } from "./secret-rule.ts";
import { FREQUENT_KEYWORDS, TOKEN_RULES } from "./token-rules.ts";

/** Rules for secrets identified by their form, or by the text before them. Excludes personal data. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKEN_RULES, ...NAMED_RULES];

/** Ids of all rules, including personal data. */
export const SECRET_RULE_IDS: readonly string[] = [...SECRET_RULES, ...PERSONAL_DATA_RULES].map(({ id }) => id);

export interface RuleScannerOptions {
  /** Personal data to search for. Default `off`. */
  readonly personalData?: PersonalData | undefined;
  /** Ids of rules to skip. Default: none. */
  readonly except?: readonly string[] | undefined;
}

/** Synchronous scanner. */
export interface RuleScanner extends SecretScanner {
  find(parts: Iterable<string>): Iterable<readonly FoundSecret[]>;
}

/** Longest lookahead and lookbehind of a rule. */
const MOST_AHEAD = 32 * 1024;
const MOST_BEHIND = 1024;

/** Total characters scanned from which a table pays off. */
const WORTH_A_TABLE = 768 * 1024;

/**
 * Creates a scanner with the built-in rules. One pass over the text finds the keywords, and rules are only tried there: a text
 * without keywords costs only that pass.
 */
export function ruleScanner({ personalData = "off", except = [] }: RuleScannerOptions = {}): RuleScanner {
  const rules = [...SECRET_RULES, ...personalDataRules(personalData)].filter(({ id }) => !except.includes(id));
  let table: RuleTable | undefined;
  let pattern: KeywordPattern | undefined;
  let finder: KeywordFinder | undefined;
  let searched = 0;
  return {
    *find(parts) {
      table ??= tableOf(rules);
      const { words, rulesOf, numbers } = table;
      const findings = new Findings();
      // Kept text including the lookbehind, its offset in the whole text, and the start of its unsearched part.
      let [text, offset, from] = ["", 0, 0];
      const search = (to: number): FoundSecret[] => {
        const tryAt = findings.trierIn(text, offset);
        const onWord = (word: number, start: number): void => {
          for (const rule of rulesOf[word] ?? []) tryAt(rule, start);
        };
        searched += to - from;
        // Built only for long texts, because building takes some milliseconds.
        if (searched > WORTH_A_TABLE) finder ??= new KeywordFinder(words);
        (finder ?? (pattern ??= new KeywordPattern(words, FREQUENT_KEYWORDS))).find(text, { from, to }, onWord);
        if (numbers.length > 0) {
          for (const start of numberStarts(text, from, to)) for (const rule of numbers) tryAt(rule, start);
        }
        from = to;
        return findings.upTo(offset + to);
      };
      for (const part of parts) {
        const behind = Math.max(0, from - MOST_BEHIND);
        text = behind === 0 ? text + part : text.slice(behind) + part;
        offset += behind;
        from -= behind;
        yield search(Math.max(from, text.length - MOST_AHEAD));
      }
      yield search(text.length);
    },
  };
}

/** Rules by their keywords. */
interface RuleTable {
  readonly words: readonly string[];
  /** Rules of each word. */
  readonly rulesOf: readonly (readonly SecretRule[])[];
  /** Rules without keywords. */
  readonly numbers: readonly SecretRule[];
}

function tableOf(rules: readonly SecretRule[]): RuleTable {
  const words = [...new Set(rules.flatMap(({ keywords }) => keywords))];
  return {
    words,
    rulesOf: words.map((word) => rules.filter(({ keywords }) => keywords.includes(word))),
    numbers: rules.filter(({ keywords }) => keywords.length === 0),
  };
}

/** Yields possible starts of a number: digits, or capital letters and digits, at least nine characters with separators, and no time. */
function* numberStarts(text: string, from: number, to: number): Generator<number> {
  NUMBER_BEGINS.lastIndex = from;
  for (let match = NUMBER_BEGINS.exec(text); match !== null && match.index < to; match = NUMBER_BEGINS.exec(text)) {
    yield match.index;
    NUMBER_BEGINS.lastIndex = match.index + 1;
  }
}

/** Consumes its first character and looks back over it: V8 skips text faster when the pattern does not begin with an assertion. */
const NUMBER_BEGINS = new RegExp(
  String.raw`[A-Z\d+(](?=[\dA-Z +().-]{8})(?<=(?!\d{4}-\d\d-\d\dT)${NUMBER_START}(?=[+(]?\d[\d. -]|[A-Z]{2}[\dA-Z ]|[XYZ]\d)[A-Z\d+(])`,
  "g",
);

/** Secrets found so far. Releases those that later text cannot extend. */
class Findings {
  #found: FoundSecret[] = [];
  /** End of the last match per rule: a rule is not tried inside its own match. */
  readonly #ends = new Map<SecretRule, number>();

  /** Returns a function that tries a rule at a place of a part of the text. @param offset of the part. */
  trierIn(part: string, offset: number): (rule: SecretRule, start: number) => void {
    return (rule, start) => {
      if (start + offset < (this.#ends.get(rule) ?? 0)) return;
      rule.pattern.lastIndex = start;
      this.#take(rule, rule.pattern.exec(part), offset);
    };
  }

  /** Returns and removes the secrets that end at or before `end`, in order and without overlap. */
  upTo(end: number): FoundSecret[] {
    const apart: FoundSecret[] = [];
    for (const next of this.#found.sort((left, right) => left.start - right.start || right.end - left.end)) {
      const last = apart.at(-1);
      if (last === undefined || next.start >= last.end) apart.push(next);
      // The later keyword is more specific.
      else if (next.start === last.start && next.end === last.end) apart[apart.length - 1] = next;
      // Merges overlapping secrets, so that no part is left.
      else if (next.end > last.end) apart[apart.length - 1] = { ...last, end: next.end };
    }
    this.#found = apart.filter((each) => each.end > end);
    return apart.filter((each) => each.end <= end);
  }

  #take(rule: SecretRule, match: RegExpExecArray | null, offset: number): void {
    if (match === null) return;
    this.#ends.set(rule, offset + match.index + match[0].length);
    const { head = "", secret: marked, quoted } = match.groups ?? {};
    const rest = marked ?? quoted ?? match[0];
    if (!rule.isSecret(head + rest, match)) return;
    // At most one or two characters follow the group.
    const start = offset + match.index + match[0].lastIndexOf(rest) - head.length;
    for (const piece of stringsOf(head + rest)) {
      const found = { rule: rule.id, kind: rule.kind, start: start + piece.start, end: start + piece.end };
      this.#found.push(piece.start === 0 ? found : { ...found, continues: true });
    }
  }
}

/** Unescaped quote: start or end of a JSON string. Backslashes before it are paired. */
const STRING_END = /(?<!(?<!\\)(?:\\\\){0,64}\\)"/g;

/** Splits a secret that spans several strings, such as the lines of a key: each piece is replaced within its string. */
function stringsOf(secret: string): { readonly start: number; readonly end: number }[] {
  let start = 0;
  const pieces = secret.split(STRING_END).map((text) => {
    const piece = { start, end: start + text.length, text };
    start = piece.end + 1;
    return piece;
  });
  return pieces.length === 1 ? pieces : pieces.filter(({ text }) => /\w/.test(text));
}
