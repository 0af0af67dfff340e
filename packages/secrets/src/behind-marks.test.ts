import { describe, expect, it } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { ruleScanner } from "./rule-scanner.ts";
import { BLIND_SAMPLES } from "./testing/blind-samples.ts";
import { harmlessText } from "./testing/harmless-text.ts";
import { KNOWN_SAMPLES } from "./testing/known-samples.ts";
import { RandomText } from "./testing/random-text.ts";

const KINDS = { ...KNOWN_SAMPLES, ...BLIND_SAMPLES };
/** Marks that diffs, quotations, tables, lists, code and tools put before a line. */
const MARKS = [
  "+",
  "-",
  ">",
  "|",
  "*",
  "`",
  '"',
  "'",
  "=",
  ":",
  "+ ",
  "- ",
  "++",
  "--",
  "# ",
  "// ",
  "    12\t",
  "12:",
  "  7→",
  "\u001b[32m+",
];

/** Prefixes each line of a text with a mark. */
const marked = (text: string, mark: string): string => mark + text.replaceAll("\n", `\n${mark}`);

describe("secrets behind the marks of lines", () => {
  it.each(MARKS)("all kinds are found after %j, at the start of a text, of a line, and in nested JSON", (mark) => {
    const missed = Object.entries(KINDS).flatMap(([kind, make]) => {
      const { secret, before = "", after = "" } = make(new RandomText(kind.length));
      const written = `${marked(before + secret, mark)}${after}\n end`;
      const last = marked(before + secret, mark).slice(marked(before, mark).length);
      return [
        JSON.stringify({ diff: written }),
        JSON.stringify({ diff: `a line before\n${written}` }),
        JSON.stringify({ result: JSON.stringify({ diff: `@@ -1 +1 @@\n${written}` }) }),
      ]
        .filter((text, depth) => !isFound(text, depth === 2 ? inJson(inJson(last)) : inJson(last)))
        .map(() => kind);
    });
    expect(missed).toEqual([]);
    expect(Object.keys(KINDS).length).toBeGreaterThan(100);
  });

  it("are not found in hyphenated words, options and base64", () => {
    const random = new RandomText(11);
    const [key, hex] = [random.alnum(40), random.hex(32)];
    for (const text of [
      `task-sk-${key}`,
      `a+sk-${key}`,
      `donkey-${hex}`,
      `--mon-key-${hex}`,
      `x_-sk-${key}`,
      `sha512-${random.base64(20)}+AKIA${random.upper(16)}`,
    ]) {
      expect(findSecrets(text), text).toEqual([]);
    }
  });

  it("cause at most one false positive in 2 MB of harmless text, after + and -", () => {
    const lines = harmlessText(new RandomText(5), 1_000_000).split("\n");
    const text = JSON.stringify({ diff: lines.map((line) => `+${line}\n-${line}`).join("\n") });
    expect(text.length).toBeGreaterThan(2_000_000);
    expect(
      findSecrets(text)
        .map(({ rule, start, end }) => [rule, text.slice(start - 20, end)])
        .slice(1),
    ).toEqual([]);
  });
});

describe("a private key whose lines are the strings of a list", () => {
  const lines = KNOWN_SAMPLES["rsa private key"]?.(new RandomText(4)).secret.split("\n") ?? [];

  it.each([
    ["as a value", JSON.stringify({ key: lines, next: "stays" })],
    ["in JSON within JSON", JSON.stringify({ body: JSON.stringify({ key: lines, next: "stays" }) })],
    ["laid out in JSON within JSON", JSON.stringify({ body: JSON.stringify({ key: lines, next: "stays" }, null, 2) })],
    ["as code that joins them", JSON.stringify({ code: lines.map((line) => `"${line}\\n"`).join(" +\n  ") + ' + "stays"' })],
  ])("is found whole %s, and counts once", (_, text) => {
    const found = findSecrets(text);
    expect(found.filter(({ continues }) => continues !== true).map(({ rule }) => rule)).toEqual(["private-key"]);
    const rest = found.toReversed().reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
    for (const line of lines.slice(1, -1)) expect(rest).not.toContain(line);
    expect(rest).toContain("stays");
  });

  it("leaves valid JSON when it is replaced, each line within its string", () => {
    for (const value of [
      { key: lines },
      { [lines[0] ?? ""]: lines[1], [lines[2] ?? ""]: 5 },
      [lines[0], { [lines[1] ?? ""]: [lines[2]] }],
      { a: lines[0], [lines[1] ?? ""]: 1 },
    ]) {
      const text = JSON.stringify(value);
      const replaced = findSecrets(text)
        .toReversed()
        .reduce((left, { start, end }) => `${left.slice(0, start)}[X]${left.slice(end)}`, text);
      expect(() => JSON.parse(replaced), replaced).not.toThrow();
    }
  });
});

describe("texts of 500 KB designed to be slow", () => {
  const scanner = ruleScanner({ personalData: "all" });
  const SIZE = 500_000;
  /** A quadratic rule takes minutes for this much text. */
  const MOST_MS = 3_000;

  it.each([
    "+",
    "-",
    "+-",
    "\\n+",
    "\u001b[32m+",
    "%2B+",
    "+sk-",
    "+ghp_",
    "--pass",
    "--a-pass ",
    " -p",
    "mysql ",
    "mysql -p",
    "curl -u ",
    "curl -u a:",
    "sshpass -p ",
    "mongo -p ",
    ":5432:",
    "a:5432:b:c:",
    ":*:",
    "pgpass",
    "pgpass:1",
    "&password=",
    "password=&",
    "?pass",
    "/a?b[",
    "password%5d=a&b",
    "-----BEGIN PRIVATE KEY-----\n",
    `-----BEGIN PRIVATE KEY-----","${"A".repeat(20)}`,
    `-----BEGIN PRIVATE KEY-----\n+`,
    `1:A\n`,
    "1|",
    '\\\\\\\\"',
    `\\\\\\","`,
    "4",
    "4012 ",
    "40128888",
    "DE89",
    "DE89 3704 ",
    "1 ",
    "123-45-",
    "123.456.",
    "+49 17 ",
    "a@b.",
    "a@",
    "@",
    "BSN ",
    "AB 12 34 ",
    "X1234567",
  ])(
    "%j over and over takes time in proportion to its length",
    (piece) => {
      const time = (characters: number): number => {
        const text = piece.repeat(Math.ceil(characters / piece.length));
        const started = performance.now();
        for (const batch of scanner.find([text])) expect(batch.length).toBeLessThan(characters);
        return performance.now() - started;
      };
      time(100_000);
      expect(time(SIZE)).toBeLessThan(MOST_MS);
    },
    120_000,
  );

  it.each([
    ["one line of a key", () => `-----BEGIN PRIVATE KEY-----\n${"A".repeat(SIZE)}`],
    ["the lines of a key", () => `-----BEGIN PRIVATE KEY-----\n${`+${"A".repeat(64)}\n`.repeat(SIZE / 66)}`],
    ["only marks behind the beginning of a key", () => `-----BEGIN PRIVATE KEY-----\n${"+".repeat(SIZE)}`],
  ])(
    "so do %s",
    (_, make) => {
      const started = performance.now();
      expect([...scanner.find([make()])].flat().length).toBeGreaterThan(0);
      expect(performance.now() - started).toBeLessThan(MOST_MS);
    },
    120_000,
  );
});

function isFound(text: string, secret: string): boolean {
  const start = text.indexOf(secret);
  if (start < 0) throw new Error(`The secret is not in the text: ${secret}`);
  return findSecrets(text).some((found) => found.start <= start && found.end >= start + secret.length);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
