import { isIban, isLuhn } from "./check-digits.ts";
import { isNamedNationalId, isNationalId, NAMED_NATIONAL_ID, NATIONAL_ID } from "./national-ids.ts";
import { NUMBER_END, NUMBER_START, type SecretRule } from "./secret-rule.ts";

/**
 * `identifiers`: cards, bank accounts and national ids, recognised by form or check digits. `all`: also e-mail addresses and
 * telephone numbers, which contexts contain on purpose.
 */
export type PersonalData = "off" | "identifiers" | "all";

const IDENTIFIER_RULES: readonly SecretRule[] = [
  {
    id: "payment-card",
    kind: "CARD",
    keywords: [],
    pattern: new RegExp(
      String.raw`(?:3[47]\d{2}[ -]?\d{6}[ -]?\d{5}|(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|5\d{2}))(?:[ -]?\d{4}){3})${NUMBER_END}`,
      "y",
    ),
    source: "ISO/IEC 7812, with a Luhn check digit",
    isSecret: (text) => isLuhn(text) && new Set(text.replaceAll(/\D/g, "")).size > 2,
  },
  {
    id: "iban",
    kind: "IBAN",
    keywords: [],
    pattern: new RegExp(String.raw`[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)${NUMBER_END}`, "y"),
    source: "ISO 13616, with its check digits",
    isSecret: isIban,
  },
  {
    id: "us-ssn",
    kind: "SSN",
    keywords: [],
    pattern: new RegExp(String.raw`(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}${NUMBER_END}`, "y"),
    source: "numbers of the Social Security Administration",
    // Numbers of sample cards and examples.
    isSecret: (text) => text !== "078-05-1120" && text !== "219-09-9999" && text !== "123-45-6789",
  },
  {
    id: "national-id",
    kind: "NATIONAL_ID",
    keywords: [],
    pattern: new RegExp(NATIONAL_ID, "y"),
    source: "national ids of Belgium, Brazil, Canada, China, Finland, France, India, Italy, Spain, Switzerland and the United Kingdom",
    isSecret: isNationalId,
  },
  {
    id: "named-national-id",
    kind: "NATIONAL_ID",
    keywords: ["bsn", "pesel", "id-nr", "idnr", "steuer", "personnummer", "personal identity number", "nino", "national insurance"],
    pattern: new RegExp(NAMED_NATIONAL_ID, "y"),
    source: "national ids of Germany, the Netherlands, Poland, Sweden and the United Kingdom, under their names",
    isSecret: isNamedNationalId,
  },
];

const CONTACT_RULES: readonly SecretRule[] = [
  {
    id: "email",
    kind: "EMAIL",
    keywords: ["@"],
    pattern: new RegExp(
      String.raw`(?<=${NUMBER_START}(?<head>[A-Za-z0-9][\w.+-]{0,63}?))@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}\.[A-Za-z]{2,24}(?![\w-])`,
      "y",
    ),
    source: "RFC 5321",
    // Excludes domains reserved for examples and local networks, git accounts and no-reply addresses.
    isSecret: (text) => !/@(?:[\w-]+\.)*(?:example\.\w+|\w+\.(?:example|test|invalid|local))$|^git@|^no-?reply@/i.test(text),
  },
  {
    id: "phone",
    kind: "PHONE",
    keywords: [],
    pattern: new RegExp(
      String.raw`(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}` +
        String.raw`|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}-\d{3}-\d{4})${NUMBER_END}`,
      "y",
    ),
    source: "E.164, and numbers in North American notation",
    isSecret: isTelephone,
  },
];

/** All rules for personal data. */
export const PERSONAL_DATA_RULES: readonly SecretRule[] = [...CONTACT_RULES, ...IDENTIFIER_RULES];

/** Returns the rules for the selected kinds of personal data. */
export function personalDataRules(selected: PersonalData): readonly SecretRule[] {
  return { off: [], identifiers: IDENTIFIER_RULES, all: PERSONAL_DATA_RULES }[selected];
}

/** Checks the number of digits. Excludes fictional North American numbers, 555-0100 to 555-0199. */
function isTelephone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  return digits.length >= 9 && digits.length <= 15 && !/555\D?01\d\d$/.test(text);
}
