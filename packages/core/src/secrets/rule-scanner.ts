import type { FoundSecret, SecretScanner } from "../ports/secret-scanner.ts";
import { KeywordFinder } from "./keyword-finder.ts";
import { NAMED_RULES } from "./named-rules.ts";
import { PERSONAL_DATA_RULES } from "./personal-data-rules.ts";
import type { SecretRule } from "./secret-rule.ts";
import { TOKEN_RULES } from "./token-rules.ts";

/** Secrets that are told by how they look, or by what stands before them. Personal data is not among them. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKEN_RULES, ...NAMED_RULES];

/** The ids of all rules, personal data included. */
export const SECRET_RULE_IDS: readonly string[] = [...SECRET_RULES, ...PERSONAL_DATA_RULES].map(({ id }) => id);

export interface RuleScannerOptions {
  /** Look for personal data too: e-mail addresses, numbers of phones, cards, accounts and persons. Default `false`. */
  readonly personalData?: boolean | undefined;
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

/**
 * Finds secrets by our own rules. One pass over the text finds the words that stand in a secret, or before it, and rules are
 * tried there alone: a text without such words costs that pass.
 */
export function ruleScanner({ personalData = false, except = [] }: RuleScannerOptions = {}): RuleScanner {
  const all = personalData ? [...SECRET_RULES, ...PERSONAL_DATA_RULES] : SECRET_RULES;
  const rules = all.filter(({ id }) => !except.includes(id));
  let table: RuleTable | undefined;
  return {
    *find(parts) {
      // Made when it is first needed: that takes a few milliseconds.
      table ??= tableOf(rules);
      const { finder, rulesOf, everywhere } = table;
      const findings = new Findings();
      // The text from what may be looked at on, where that begins in the whole, and from where on it was not searched.
      let [text, offset, from] = ["", 0, 0];
      const search = (to: number): FoundSecret[] => {
        finder.find(text, from, to, (word, start) => {
          for (const rule of rulesOf[word] ?? []) findings.tryAt(rule, text, start, offset);
        });
        for (const rule of everywhere) findings.tryFrom(rule, text, { from, to, offset });
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
  readonly finder: KeywordFinder;
  /** Of each word. */
  readonly rulesOf: readonly (readonly SecretRule[])[];
  /** Those without words. */
  readonly everywhere: readonly SecretRule[];
}

function tableOf(rules: readonly SecretRule[]): RuleTable {
  const words = [...new Set(rules.flatMap(({ keywords }) => keywords))];
  return {
    finder: new KeywordFinder(words),
    rulesOf: words.map((word) => rules.filter(({ keywords }) => keywords.includes(word))),
    everywhere: rules.filter(({ keywords }) => keywords.length === 0),
  };
}

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

  tryFrom(
    rule: SecretRule,
    text: string,
    { from, to, offset }: { readonly from: number; readonly to: number; readonly offset: number },
  ): void {
    rule.pattern.lastIndex = Math.max(from, (this.#ends.get(rule) ?? 0) - offset);
    for (let match = rule.pattern.exec(text); match !== null && match.index < to; match = rule.pattern.exec(text)) {
      this.#take(rule, match, offset);
    }
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
    const start = offset + match.index + match[0].lastIndexOf(rest);
    this.#found.push({ rule: rule.id, kind: rule.kind, start: start - head.length, end: start + rest.length });
  }
}
