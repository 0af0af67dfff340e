/** Returns the digits of a number, without separators. */
export function digitsOf(text: string): readonly number[] {
  return Array.from(text.replaceAll(/\D/g, ""), Number);
}

/** Returns the sum of the digits multiplied by their weights. */
export function weighted(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * (digits[place] ?? 0), 0);
}

/** Checks a number with the Luhn algorithm (ISO/IEC 7812). */
export function isLuhn(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((before, digit, place) => before + (place % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return sum % 10 === 0;
}

/** Returns the remainder of a long number. */
export function modulo(digits: readonly number[], by: number): number {
  return digits.reduce((rest, digit) => (rest * 10 + digit) % by, 0);
}

/** Checks a number by ISO 7064, MOD 11,10. */
export function isIso7064(digits: readonly number[]): boolean {
  const product = digits.slice(0, -1).reduce((before, digit) => {
    const sum = (before + digit) % 10;
    return ((sum === 0 ? 10 : sum) * 2) % 11;
  }, 10);
  return (11 - product) % 10 === digits.at(-1);
}

const DIHEDRAL = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const PERMUTED = ["0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"];

/** Checks a number with the Verhoeff algorithm. */
export function isVerhoeff(digits: readonly number[]): boolean {
  return digits.toReversed().reduce((sum, digit, place) => Number(DIHEDRAL[sum]?.[Number(PERMUTED[place % 8]?.[digit])]), 0) === 0;
}

/** Country code and length of each account number format in the IBAN registry. */
const IBAN_LENGTHS =
  "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28" +
  "HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29" +
  "PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

/** Checks an IBAN (ISO 13616): known country, length and check digits. */
export function isIban(text: string): boolean {
  const plain = text.replaceAll(" ", "");
  const at = IBAN_LENGTHS.indexOf(plain.slice(0, 2));
  if (at % 4 !== 0 || IBAN_LENGTHS.slice(at + 2, at + 4) !== String(plain.length)) return false;
  const digits = digitsOf(Array.from(plain.slice(4) + plain.slice(0, 4), (sign) => Number.parseInt(sign, 36)).join(""));
  return modulo(digits, 97) === 1;
}
