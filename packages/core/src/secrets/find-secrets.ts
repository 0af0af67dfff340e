import { SECRET_RULES, type SecretKind, type SecretRule } from "./secret-rules.ts";

/** Where a secret stands in a text. Never holds the secret itself. */
export interface FoundSecret {
  /** The id of the rule. */
  readonly rule: string;
  readonly kind: SecretKind;
  /** Offset of its first character, and of the one after its last. */
  readonly start: number;
  readonly end: number;
}

/**
 * Finds API keys, tokens, private keys and passwords by what they look like, in their order and apart from each other.
 * It takes time in proportion to the text, whatever text. No rule is sure: some secrets look like nothing in particular.
 */
export function findSecrets(text: string): FoundSecret[] {
  const lower = text.toLowerCase();
  const found = SECRET_RULES.filter(({ keywords }) => keywords.some((word) => lower.includes(word))).flatMap((rule) =>
    matchesOf(rule, text),
  );
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  const apart: FoundSecret[] = [];
  for (const next of found) {
    const last = apart.at(-1);
    if (last === undefined || next.start >= last.end) apart.push(next);
    // Of two that overlap nothing must be left.
    else if (next.end > last.end) apart[apart.length - 1] = { ...last, end: next.end };
  }
  return apart;
}

function matchesOf({ id, kind, pattern, isSecret }: SecretRule, text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const match of text.matchAll(pattern)) {
    const secret = match.groups?.["secret"] ?? match[0];
    if (isSecret !== undefined && !isSecret(secret)) continue;
    // The groups stand at the end of what is matched, or one sign before it.
    const start = match.index + match[0].lastIndexOf(secret);
    found.push({ rule: id, kind, start, end: start + secret.length });
  }
  return found;
}
