/** What a secret is called where it is taken out. The last six are personal data. */
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

/** Where a secret stands in a text. Never holds the secret itself. */
export interface FoundSecret {
  /** The id of the rule that it was found by. */
  readonly rule: string;
  readonly kind: SecretKind;
  /** Offset of its first character, and of the one after its last. */
  readonly start: number;
  readonly end: number;
  /** The same secret as the one before it goes on here, in another string: it counts once. Absent: a secret begins. */
  readonly continues?: boolean;
}

/** Finds secrets in texts by what they look like. */
export interface SecretScanner {
  /**
   * The secrets in a text, which is JSON or is not and comes in parts, in their order and apart from each other; what goes
   * on from one part into the next is one secret. For each part it yields what it is sure of by then, be it nothing, so that
   * others have their turn in between. Takes time in proportion to the text, whatever text. May be repeated, and finds the
   * same. Must never keep the text, or send it anywhere.
   */
  find(parts: Iterable<string>): Iterable<readonly FoundSecret[]> | AsyncIterable<readonly FoundSecret[]>;
}
