/** Kind of a secret, as its placeholder names it. The last six are personal data. */
export type SecretKind =
  | "API_KEY"
  | "TOKEN"
  | "JWT"
  | "PRIVATE_KEY"
  | "PASSWORD"
  | "WEBHOOK"
  | "EMAIL"
  | "PHONE"
  | "CARD"
  | "IBAN"
  | "SSN"
  | "NATIONAL_ID";

/** Position of a secret in a text. Never holds the secret itself. */
export interface FoundSecret {
  /** Id of the rule that found the secret. */
  readonly rule: string;
  readonly kind: SecretKind;
  /** Offset of the first character, and of the character after the last. */
  readonly start: number;
  readonly end: number;
  /** True when this is the continuation of the previous secret in another string; the two count as one. Absent: a new secret. */
  readonly continues?: boolean;
}

/** Finds the secrets in one text: in order and without overlap. */
export type FindSecrets = (text: string) => readonly FoundSecret[];

/** Finds secrets in texts by their form. */
export interface SecretScanner {
  /**
   * Finds the secrets in a text that comes in parts, JSON or not. Secrets come in order and do not overlap; a secret that spans two
   * parts is one secret. Yields once per part, with the secrets certain by then (possibly none), so that other work can run in
   * between. Takes time linear in the length of any text. May be repeated, with the same result. Must never keep or send the text.
   */
  find(parts: Iterable<string>): Iterable<readonly FoundSecret[]> | AsyncIterable<readonly FoundSecret[]>;
}

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
   * placeholder. The placeholder does not help to guess the secret from the saved data alone.
   */
  placeholder(kind: SecretKind, secret: string): Promise<string>;
}
