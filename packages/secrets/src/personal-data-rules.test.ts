import { describe, expect, it } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import type { PersonalData } from "./personal-data-rules.ts";
import { ruleScanner } from "./rule-scanner.ts";

const found = (text: string, personalData: PersonalData): string[] =>
  [...ruleScanner({ personalData }).find([text])].flat().map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`);

const CONTACTS = [
  "email: jo.doe+x@mail.acme-shop.co.uk",
  "phone: +49 170 1234567",
  "phone: (212) 736-5000",
  "phone: 212-736-5000",
] as const;

/** Published examples of their formats, or made up with valid check digits: nobody's data. */
const IDENTIFIERS = [
  "payment-card: 4012888888881881",
  "payment-card: 5105-1051-0510-5100",
  "payment-card: 3714 496353 98431",
  "iban: DE89 3704 0044 0532 0130 00",
  "iban: GB82WEST12345698765432",
  "iban: NO93 8601 1117 947",
  "us-ssn: 536-90-4399",
  "national-id: 85.07.30-033.28",
  "national-id: 111.444.777-35",
  "national-id: 130-692-544",
  "national-id: 756.9217.0769.85",
  "national-id: 11010519491231002X",
  "national-id: 12345678Z",
  "national-id: X1234567L",
  "national-id: 131052-308T",
  "national-id: 2 55 08 14 168 025 38",
  "national-id: AB 12 34 56 C",
  "national-id: 2341 2341 2346",
  "national-id: RSSMRA85T10A562S",
] as const;

describe("personal data", () => {
  it.each(CONTACTS)("is found with all: %s", (expected) => {
    const text = expected.slice(expected.indexOf(": ") + 2);
    expect(found(`Their own: ${text}.`, "all")).toEqual([expected]);
    expect(found(text, "identifiers")).toEqual([]);
    expect(findSecrets(text)).toEqual([]);
  });

  it.each(IDENTIFIERS)("is found with identifiers, and with all: %s", (expected) => {
    const text = expected.slice(expected.indexOf(": ") + 2);
    expect(found(`Their own: ${text}.`, "identifiers")).toEqual([expected]);
    expect(found(`Their own: ${text}.`, "all")).toEqual([expected]);
    expect(findSecrets(text)).toEqual([]);
  });

  it.each([
    ["BSN: 111222333", "111222333"],
    ["IdNr. 86095742719", "86095742719"],
    ["Steuer-ID: 86 095 742 719", "86 095 742 719"],
    ['{"PESEL":"44051401359"}', "44051401359"],
    ["Personnummer: 811218-9876", "811218-9876"],
    ["NINO: AB123456C", "AB123456C"],
  ])("is found under its name: %s", (text, id) => {
    expect(found(text, "identifiers")).toEqual([`named-national-id: ${id}`]);
    expect(found(id, "identifiers")).toEqual([]);
  });

  it.each(["+", "-", ">", "|", "*", "`", '"', "'", "=", ":", "+ ", "\u001b[32m+"])("is found behind %j", (mark) => {
    for (const expected of [...CONTACTS, ...IDENTIFIERS]) {
      const value = expected.slice(expected.indexOf(": ") + 2);
      const text = JSON.stringify({ diff: `@@\n${mark}${value}\n` });
      const [first, ...others] = [...ruleScanner({ personalData: "all" }).find([text])].flat();
      // A + before digits may be part of a telephone number.
      const least = text.indexOf(value) - (mark.endsWith("+") ? 1 : 0);
      expect([first?.end, others], text).toEqual([text.indexOf(value) + value.length, []]);
      expect(first?.start).toBeGreaterThanOrEqual(least);
      expect(first?.start).toBeLessThanOrEqual(text.indexOf(value));
    }
  });

  it("is found in numbers of JSON", () => {
    expect(found('{"card":4012888888881881}', "identifiers")).toEqual(["payment-card: 4012888888881881"]);
  });

  it.each([
    "card 4012888888881882, whose check digit is wrong",
    "GB83WEST12345698765432 and XX82WEST12345698765432 and DE8937040044053201300",
    "npm i left-pad@1.3.0 and git@github.com:a/b.git, me@example.com",
    "2026-03-01 12:00:00, 10.0.0.1, 1234567890123, 550e8400-e29b-41d4-a716-446655440000",
    "000-12-3456 and 123-45-6789",
    "v1.2.3-4 +1 -1 3.14159265358979",
    "111.444.777-36, 756.9217.0769.86, 110105194912310021, 12345678A, 131052-308U, 2341 2341 2347, RSSMRA85T10A562T",
    "20240115Z and 20240115-1432 and 240115-1432 and 123 456 789 bytes",
    "BSN: 111222334, PESEL 44051401358, IdNr. 86095742718",
  ])("is not taken from %s", (text) => {
    expect(found(text, "all")).toEqual([]);
  });
});
