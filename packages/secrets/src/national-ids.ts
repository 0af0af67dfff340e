import { digitsOf, isIso7064, isLuhn, isVerhoeff, modulo, weighted } from "./check-digits.ts";
import { NUMBER_END } from "./secret-rule.ts";

/** Written form of a national id, with its validation. */
interface Form {
  readonly written: string;
  readonly isId: (text: string) => boolean;
}

const DAY = String.raw`(?:0[1-9]|[12]\d|3[01])`;
const MONTH = String.raw`(?:0[1-9]|1[0-2])`;
const NINO = String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]`;

/** Forms by country. Where plain digits resemble other numbers, the separators or a preceding name are required. */
const FORMS: Readonly<Record<string, Form>> = {
  be: { written: String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`, isId: isBelgian },
  br: { written: String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, isId: isBrazilian },
  ca: { written: String.raw`[1-79]\d{2}-\d{3}-\d{3}`, isId: isLuhn },
  ch: {
    written: String.raw`756\.\d{4}\.\d{4}\.\d{2}`,
    isId: (text) => weighted(digitsOf(text), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  cn: { written: String.raw`[1-9]\d{5}(?:19|20)\d{2}${MONTH}${DAY}\d{3}[\dX]`, isId: isChinese },
  es: { written: String.raw`(?!(?:19|20)\d{2}${MONTH})(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]`, isId: isSpanish },
  fi: { written: String.raw`${DAY}${MONTH}\d{2}[-+A]\d{3}[\dA-FHJ-NPR-Y]`, isId: isFinnish },
  fr: { written: String.raw`[12] ?\d{2} ?${MONTH} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`, isId: isFrench },
  gb: { written: String.raw`${NINO} \d{2} \d{2} \d{2} [A-D]`, isId: () => true },
  in: { written: String.raw`[2-9]\d{3}[ -]\d{4}[ -]\d{4}`, isId: (text) => isVerhoeff(digitsOf(text)) },
  it: { written: String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`, isId: isItalian },
};

/** Ids recognised by a preceding name. */
const named: readonly (Form & { readonly name: string })[] = [
  {
    name: String.raw`(?:Steuer-?)?Id-?Nr\.?|Steuer-?ID|Steueridentifikationsnummer`,
    written: String.raw`\d{2} ?\d{3} ?\d{3} ?\d{3}`,
    isId: (text) => isIso7064(digitsOf(text)),
  },
  { name: "BSN", written: String.raw`\d{9}`, isId: (text) => weighted(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 },
  { name: "PESEL", written: String.raw`\d{11}`, isId: (text) => weighted(digitsOf(text), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 },
  {
    name: "Personnummer|PERSONNUMMER|Personal identity number",
    written: String.raw`(?:19|20)?\d{6}[-+]?\d{4}`,
    isId: (text) => isLuhn(digitsOf(text).slice(-10).join("")),
  },
  { name: "NINO|National Insurance(?: [Nn]umber)?", written: String.raw`${NINO}\d{6}[A-D]`, isId: () => true },
];

const IS = String.raw`\\{0,7}["']?[ \t:=]{1,4}\\{0,7}["']?`;

/** Pattern of ids recognised by their form. */
export const NATIONAL_ID: string =
  "(?:" +
  Object.entries(FORMS)
    .map(([country, { written }]) => `(?<${country}>${written})`)
    .join("|") +
  `)${NUMBER_END}`;

/** Pattern of ids recognised by the name before them. */
export const NAMED_NATIONAL_ID: string = String.raw`(?:${named.map(({ name }) => name).join("|")})${IS}(?<secret>${named.map(({ written }) => written).join("|")})${NUMBER_END}`;

/** Validates an id by the check digits of the country with its form. */
export function isNationalId(text: string, { groups = {} }: RegExpExecArray): boolean {
  const country = Object.keys(FORMS).find((each) => groups[each] !== undefined);
  return country !== undefined && isNoSample(text) && FORMS[country]?.isId(text) === true;
}

/** Validates an id by the check digits of the country whose name for it precedes it. */
export function isNamedNationalId(text: string, [whole]: RegExpExecArray): boolean {
  return isNoSample(text) && named.some(({ name, isId }) => new RegExp(`^(?:${name})`).test(whole) && isId(text));
}

/** False for samples of one or two different characters. */
function isNoSample(text: string): boolean {
  return new Set(text).size > 2;
}

function isBelgian(text: string): boolean {
  const digits = digitsOf(text);
  const check = modulo(digits.slice(-2), 100);
  return [digits.slice(0, 9), [2, ...digits.slice(0, 9)]].some((number) => 97 - modulo(number, 97) === check);
}

function isBrazilian(text: string): boolean {
  const digits = digitsOf(text);
  return [9, 10].every((length) => {
    const weights = Array.from({ length }, (_, place) => length + 1 - place);
    return ((weighted(digits, weights) * 10) % 11) % 10 === digits[length];
  });
}

function isChinese(text: string): boolean {
  const sum = weighted(digitsOf(text.slice(0, 17)), [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return "10X98765432"[sum % 11] === text.at(-1);
}

function isSpanish(text: string): boolean {
  const number = Number(text.slice(0, 8).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] === text.at(-1);
}

function isFinnish(text: string): boolean {
  return "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(text.slice(0, 6) + text.slice(7, 10)) % 31] === text.at(-1);
}

function isFrench(text: string): boolean {
  const plain = text.replaceAll(" ", "").replace("2A", "19").replace("2B", "18");
  return 97 - modulo(digitsOf(plain.slice(0, 13)), 97) === Number(plain.slice(13));
}

const ODD_PLACES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isItalian(text: string): boolean {
  const values = Array.from(text.slice(0, 15), (sign) => (/\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65));
  const sum = values.reduce((before, value, place) => before + (place % 2 === 0 ? (ODD_PLACES[value] ?? 0) : value), 0);
  return sum % 26 === text.charCodeAt(15) - 65;
}
