import type { FindSecrets, SecretKind, SecretScanner } from "./secret-scanner.ts";

/** `warn`: the answer names the places. `redact`: a placeholder is saved instead of the secret. `block`: nothing is saved. */
export type SecretsMode = "warn" | "redact" | "block";

/** Policy for secrets in data about to be written. */
export interface SecretScreen {
  readonly mode: SecretsMode;
  readonly scanner: SecretScanner;
  /** Finds the secrets in a key, so that a report of a place does not show them. */
  readonly findSecrets: FindSecrets;
  /**
   * Resolves to the placeholder of a secret, such as `[PASSWORD_1f0c2d3e]`. Within a store, the same secret gets the same
   * placeholder. The placeholder does not help anybody who has only the saved data to guess the secret.
   */
  placeholder(kind: SecretKind, secret: string): Promise<string>;
}
