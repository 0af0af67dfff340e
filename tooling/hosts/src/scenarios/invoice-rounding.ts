import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const MONEY = `/** Amounts are numbers in units of the currency: 12.5 is twelve and a half. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

export function fromCents(cents: number): number {
  return cents / 100;
}
`;

const INVOICE = `import { fromCents, toCents } from "./money.ts";

export interface Line {
  readonly text: string;
  readonly quantity: number;
  readonly price: number;
}

export function total(lines: readonly Line[]): number {
  let cents = 0;
  for (const line of lines) {
    cents += toCents(line.quantity * line.price);
  }
  return fromCents(cents);
}
`;

const FORMAT = `export function formatTotal(amount: number, currency: string): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency, minimumFractionDigits: 2 }).format(amount);
}
`;

const ROUNDING_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/invoice.ts";

const line = (price: number, quantity = 1) => ({ text: "x", quantity, price });

test("rounds the sum once, not each line", () => {
  assert.equal(total([line(0.335), line(0.335), line(0.335)]), 1.01);
});

test("rounds half a cent up", () => {
  assert.equal(total([line(1.005)]), 1.01);
});
`;

const CURRENCY_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { fractionDigits } from "../src/currency.ts";
import { formatTotal } from "../src/format.ts";

test("knows that the yen has no smaller unit", () => {
  assert.equal(fractionDigits("JPY"), 0);
  assert.equal(fractionDigits("EUR"), 2);
});

test("prints yen without decimals", () => {
  assert.equal(formatTotal(1005, "JPY"), "\\u00a51,005");
});
`;

export const invoiceRounding: Scenario = {
  name: "invoice-rounding",
  about: "Bug fix in TypeScript; the first fix is wrong; a second prompt adds a currency. Terse.",
  hosts: ["claude-code", "codex"],
  files: {
    "package.json":
      '{\n  "name": "invoices",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test test/*.test.ts" }\n}\n',
    "README.md": "# invoices\n\nTotals and their text. `npm test` runs the tests.\n",
    "src/money.ts": MONEY,
    "src/invoice.ts": INVOICE,
    "src/format.ts": FORMAT,
    "src/legacy/export.ts": 'import { total } from "../invoice.ts";\n\nexport const exportTotal = total;\n',
    "test/invoice.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/invoice.ts";

test("adds lines", () => {
  assert.equal(total([{ text: "a", quantity: 2, price: 10 }, { text: "b", quantity: 1, price: 0.5 }]), 20.5);
});
`,
  },
  before: [
    {
      prompt:
        "Totals on invoices with three or more lines are sometimes off by a cent. Find out why and fix it. Don't touch src/legacy, the exporter is frozen until the audit in March.",
      turns: [
        planning("> Find where the cent is lost", "- Write a test that shows it", "- Fix the rounding", "- Check the exporter's numbers"),
        running("git log --oneline && ls src src/legacy test"),
        reading("src/invoice.ts", "src/money.ts"),
        running("npm test", "The present tests first."),
        writing(
          "test/rounding.test.ts",
          ROUNDING_TEST,
          "Each line is rounded on its own in `total`, so three lines of 0.335 become 1.02. Two tests for that:",
        ),
        running("npm test"),
        editing(
          "src/invoice.ts",
          {
            old: "  let cents = 0;\n  for (const line of lines) {\n    cents += toCents(line.quantity * line.price);\n  }\n  return fromCents(cents);",
            new: "  const sum = lines.reduce((so, line) => so + line.quantity * line.price, 0);\n  return fromCents(toCents(sum));",
          },
          "Sum first, round once.",
        ),
        running("npm test"),
        {
          text: "One is left, 1 !== 1.01: 1.005 * 100 is 100.49999999999999 in floating point. I decided to count in whole mills (thousandths), because prices have at most three decimals and integers add without error; a decimal library would be a dependency for one function.",
          calls: [
            {
              tool: "edit",
              path: "src/money.ts",
              old: "export function toCents(amount: number): number {\n  return Math.round(amount * 100);\n}",
              new: "export function toCents(amount: number): number {\n  return Math.round(toMills(amount) / 10);\n}\n\n/** Thousandths: prices have at most three decimals. */\nexport function toMills(amount: number): number {\n  return Math.round(amount * 1000);\n}",
            },
          ],
        },
        running("npm test"),
        planning("x Find where the cent is lost", "x Write a test that shows it", "x Fix the rounding", "> Check the exporter's numbers"),
        running(
          "node -e \"import('./src/legacy/export.ts').then((m) => console.log(m.exportTotal([{ text: 'a', quantity: 3, price: 0.335 }])))\"",
        ),
        saying(
          "Fixed. `total` in src/invoice.ts sums first and rounds once, and `toCents` goes through whole mills. The exporter gives the same number without a change in src/legacy. All tests pass.",
        ),
      ],
    },
    {
      prompt: "good. now yen: JPY has no cents, we print ¥1,005.00. keep the signature of formatTotal as it is, the mobile app calls it.",
      turns: [
        reading("src/format.ts"),
        writing(
          "src/currency.ts",
          'const WITHOUT_FRACTION = new Set(["JPY", "KRW"]);\n\n/** Decimals that a currency is written with. */\nexport function fractionDigits(currency: string): number {\n  return WITHOUT_FRACTION.has(currency) ? 0 : 2;\n}\n',
          "The digits get a place of their own.",
        ),
        writing("test/currency.test.ts", CURRENCY_TEST),
        running("npm test"),
        saying(
          "Not finished. src/currency.ts knows the digits, but test/currency.test.ts still fails in `prints yen without decimals`: formatTotal gives ¥1,005.00. Next step: use fractionDigits(currency) in src/format.ts for minimumFractionDigits, signature unchanged, then run npm test again.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "go on",
      turns: [
        reading("src/format.ts", "src/currency.ts"),
        editing("src/format.ts", {
          old: 'export function formatTotal(amount: number, currency: string): string {\n  return new Intl.NumberFormat("en-US", { style: "currency", currency, minimumFractionDigits: 2 }).format(amount);\n}',
          new: 'import { fractionDigits } from "./currency.ts";\n\nexport function formatTotal(amount: number, currency: string): string {\n  const digits = fractionDigits(currency);\n  return new Intl.NumberFormat("en-US", { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount);\n}',
        }),
        running("npm test"),
        running("git status --short"),
        saying("Done: yen are printed without decimals, all tests pass."),
      ],
    },
  ],
  questions: [
    { ask: "What was the first goal?", expect: /off by a cent/i },
    { ask: "Which folder must not be touched?", expect: "src/legacy" },
    { ask: "Why is it frozen?", expect: /audit in March/i },
    { ask: "What is asked now?", expect: /JPY|yen/i },
    { ask: "What must stay as it is in formatTotal?", expect: /signature/i },
    { ask: "Which test fails?", expect: /prints yen without decimals/ },
    { ask: "With which message or value?", expect: /1,005\.00/ },
    { ask: "How are the tests run?", expect: "npm test" },
    { ask: "In which unit are amounts counted, and why?", expect: /mills/i },
    { ask: "Which file is to be changed next?", expect: "src/format.ts" },
  ],
};
