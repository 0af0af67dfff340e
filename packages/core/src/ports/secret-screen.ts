import type { SecretKind, SecretScanner } from "./secret-scanner.ts";

/** `warn`: the answer says where. `redact`: what stands for it is saved in its place. `block`: nothing is saved. */
export type SecretsMode = "warn" | "redact" | "block";

/** What is to become of secrets in what is about to be written. */
export interface SecretScreen {
  readonly mode: SecretsMode;
  readonly scanner: SecretScanner;
  /**
   * Resolves to what stands for a secret, such as `[PASSWORD_1f0c2d3e]`: the same for the same secret in a store, and of no
   * use for guessing it to whoever has only what was saved.
   */
  placeholder(kind: SecretKind, secret: string): Promise<string>;
}
