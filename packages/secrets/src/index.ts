export { findSecrets } from "./find-secrets.ts";
export type { PersonalData } from "./personal-data-rules.ts";
export { ruleScanner, SECRET_RULE_IDS } from "./rule-scanner.ts";
export type { RuleScanner, RuleScannerOptions } from "./rule-scanner.ts";
