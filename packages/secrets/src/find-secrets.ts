import type { FoundSecret } from "@workrail/core";
import { type RuleScanner, ruleScanner } from "./rule-scanner.ts";

let scanner: RuleScanner | undefined;

/**
 * Finds API keys, tokens, private keys and passwords by the built-in rules, in order and without overlap. Takes time linear in
 * any text. The rules are heuristics: some secrets have no recognisable form.
 */
export function findSecrets(text: string): FoundSecret[] {
  // Created on first use, because its table takes a few milliseconds.
  scanner ??= ruleScanner();
  return [...scanner.find([text])].flat();
}
