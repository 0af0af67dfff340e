import type { FoundSecret } from "../ports/secret-scanner.ts";
import { type RuleScanner, ruleScanner } from "./rule-scanner.ts";

let scanner: RuleScanner | undefined;

/**
 * Finds API keys, tokens, private keys and passwords by our own rules, in their order and apart from each other. It takes time
 * in proportion to the text, whatever text. No rule is sure: some secrets look like nothing in particular.
 */
export function findSecrets(text: string): FoundSecret[] {
  // Made when it is first needed: its table takes a few milliseconds.
  scanner ??= ruleScanner();
  return [...scanner.find([text])].flat();
}
