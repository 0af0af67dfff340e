import type { SecretRule } from "./secret-rule.ts";

/** What is about a person: looked for on demand only, since contexts are full of it on purpose. */
export const PERSONAL_DATA_RULES: readonly SecretRule[] = [
  {
    id: "email",
    kind: "EMAIL",
    keywords: ["@"],
    pattern: /(?<=(?<![\w.+-])(?<head>[A-Za-z0-9][\w.+-]{0,63}))@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}\.[A-Za-z]{2,24}(?![\w-])/y,
    source: "RFC 5321",
    // Reserved for examples (RFC 2606); names of accounts for git and of packages of npm are nobody's.
    isSecret: (text) => !/@(?:[\w-]+\.)*(?:example\.\w+|\w+\.(?:example|test|invalid|local))$|^git@|^no-?reply@/i.test(text),
  },
  {
    id: "phone",
    kind: "PHONE",
    keywords: [],
    pattern:
      /(?<![\w.+/=-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}-\d{3}-\d{4})(?![\w+/=-])/g,
    source: "E.164, and how numbers are written in North America",
    // Numbers with 555 01 are for films.
    isSecret: (text) => digitsOf(text).length >= 9 && digitsOf(text).length <= 15 && !/555\D?01\d\d$/.test(text),
  },
  {
    id: "payment-card",
    kind: "CARD",
    keywords: [],
    pattern:
      /(?<![\w.+/=-])(?:3[47]\d{2}[ -]?\d{6}[ -]?\d{5}|(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|5\d{2}))(?:[ -]?\d{4}){3})(?![\w+/=-])/g,
    source: "ISO/IEC 7812, with the check digit of Luhn",
    isSecret: (text) => isLuhn(digitsOf(text)) && new Set(digitsOf(text)).size > 2,
  },
  {
    id: "iban",
    kind: "IBAN",
    keywords: [],
    pattern: /(?<![A-Za-z0-9+/=-])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9+/=-])/g,
    source: "ISO 13616, with its check digits",
    isSecret: (text) => isIban(text.replaceAll(" ", "")),
  },
  {
    id: "us-ssn",
    kind: "SSN",
    keywords: [],
    pattern: /(?<![\w.+/=-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w+/=-])/g,
    source: "numbers of the Social Security Administration",
    // Printed on sample cards and therefore void.
    isSecret: (text) => text !== "078-05-1120" && text !== "219-09-9999" && text !== "123-45-6789",
  },
];

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isIban(text: string): boolean {
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const number = Number.parseInt(character, 36);
    rest = (rest * (number > 9 ? 100 : 10) + number) % 97;
  }
  return rest === 1;
}
