import type { FoundSecret, SecretScanner } from "../ports/secret-scanner.ts";
import { KeywordFinder, KeywordPattern } from "./keyword-finder.ts";
import { NAMED_RULES } from "./named-rules.ts";
import { PERSONAL_DATA_RULES, type PersonalData, personalDataRules } from "./personal-data-rules.ts";
import { NUMBER_START, type SecretRule } from "./secret-rule.ts";
import { TOKEN_RULES } from "./token-rules.ts";

/** Secrets that are told by how they look, or by what stands before them. Personal data is not among them. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKEN_RULES, ...NAMED_RULES];

/** The ids of all rules, personal data included. */
export const SECRET_RULE_IDS: readonly string[] = [...SECRET_RULES, ...PERSONAL_DATA_RULES].map(({ id }) => id);

export interface RuleScannerOptions {
  /** Personal data to look for too. Default `off`. */
  readonly personalData?: PersonalData | undefined;
  /** Ids of rules that are not applied. Default: none. */
  readonly except?: readonly string[] | undefined;
}

/** Needs nothing to wait for. */
export interface RuleScanner extends SecretScanner {
  find(parts: Iterable<string>): Iterable<readonly FoundSecret[]>;
}

/** What a rule may look at behind the place where it is tried, and before it. */
const MOST_AHEAD = 32 * 1024;
const MOST_BEHIND = 1024;

/** Characters of all texts that a scanner was given. */
const WORTH_A_TABLE = 768 * 1024;

/**
 * Finds secrets by our own rules. One pass over the text finds the words that stand in a secret, or before it, and rules are
 * tried there alone: a text without such words costs that pass.
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
      // The text from what may be looked at on, where that begins in the whole, and from where on it was not searched.
      let [text, offset, from] = ["", 0, 0];
      const search = (to: number): FoundSecret[] => {
        const onWord = (word: number, start: number): void => {
          for (const rule of rulesOf[word] ?? []) findings.tryAt(rule, text, start, offset);
        };
        searched += to - from;
        // Built only for long texts, because building takes some milliseconds.
        if (searched > WORTH_A_TABLE) finder ??= new KeywordFinder(words);
        (finder ?? (pattern ??= new KeywordPattern(words))).find(text, from, to, onWord);
        if (numbers.length > 0) {
          for (const start of numberStarts(text, from, to)) for (const rule of numbers) findings.tryAt(rule, text, start, offset);
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

/** Rules by the words that stand in a secret, or before it. */
interface RuleTable {
  readonly words: readonly string[];
  /** Of each word. */
  readonly rulesOf: readonly (readonly SecretRule[])[];
  /** Those without words. */
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

/** Where a number may begin: of digits, or of capital letters and digits. */
function* numberStarts(text: string, from: number, to: number): Generator<number> {
  NUMBER_BEGINS.lastIndex = from;
  for (let match = NUMBER_BEGINS.exec(text); match !== null && match.index < to; match = NUMBER_BEGINS.exec(text)) {
    yield match.index;
    NUMBER_BEGINS.lastIndex = match.index + 1;
  }
}

const NUMBER_BEGINS = new RegExp(String.raw`(?=[A-Z\d+(])${NUMBER_START}(?=[+(]?\d[\d. -]|[A-Z]{2}[\dA-Z ]|[XYZ]\d)`, "g");

/** What was found so far, and which of it nothing can go on with any more. */
class Findings {
  #found: FoundSecret[] = [];
  /** By rule, where its last match ended: what is within one is not tried again. */
  readonly #ends = new Map<SecretRule, number>();

  tryAt(rule: SecretRule, text: string, start: number, offset: number): void {
    if (start + offset < (this.#ends.get(rule) ?? 0)) return;
    rule.pattern.lastIndex = start;
    this.#take(rule, rule.pattern.exec(text), offset);
  }

  /** Those that end there or before, in order and apart; it forgets them. */
  upTo(end: number): FoundSecret[] {
    const apart: FoundSecret[] = [];
    for (const next of this.#found.sort((left, right) => left.start - right.start || right.end - left.end)) {
      const last = apart.at(-1);
      if (last === undefined || next.start >= last.end) apart.push(next);
      // Whose word ended later knows more about it.
      else if (next.start === last.start && next.end === last.end) apart[apart.length - 1] = next;
      // Of two that overlap nothing must be left.
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
    // Nothing but a sign or two stands behind the group.
    const start = offset + match.index + match[0].lastIndexOf(rest) - head.length;
    for (const piece of stringsOf(head + rest)) {
      const found = { rule: rule.id, kind: rule.kind, start: start + piece.start, end: start + piece.end };
      this.#found.push(piece.start === 0 ? found : { ...found, continues: true });
    }
  }
}

/** Where a string of JSON ends or begins: the backslashes before it belong to each other. */
const STRING_END = /(?<!(?<!\\)(?:\\\\){0,64}\\)"/g;

/** A secret that goes through several strings, such as the lines of a key, in pieces: each is replaced within its string. */
function stringsOf(secret: string): { readonly start: number; readonly end: number }[] {
  let start = 0;
  const pieces = secret.split(STRING_END).map((text) => {
    const piece = { start, end: start + text.length, text };
    start = piece.end + 1;
    return piece;
  });
  return pieces.length === 1 ? pieces : pieces.filter(({ text }) => /\w/.test(text));
}
