import { editing, planning, reading, running, saying, type Scenario } from "../scenario.ts";

const OLD = `// 1.4.0: months from 0, tokens in capitals, null for what is no date
export function parse(text) {
  const [year, month, day] = text.split("-").map(Number);
  return Number.isInteger(day) ? { year, month: month - 1, day } : null;
}
export function format(date, pattern) {
  const two = (number) => String(number).padStart(2, "0");
  return pattern.replace("YYYY", date.year).replace("MM", two(date.month + 1)).replace("DD", two(date.day));
}
`;

const NEW = `// 2.0.0: months from 1, tokens as in Unicode TR35, throws for what is no date
export function parse(text) {
  const [year, month, day] = text.split("-").map(Number);
  if (!Number.isInteger(day)) throw new RangeError("tinydate: not a date: " + text);
  return { year, month, day };
}
export function format(date, pattern) {
  if (/YYYY|DD/.test(pattern)) throw new RangeError("tinydate: token YYYY is not known, did you mean yyyy?");
  const two = (number) => String(number).padStart(2, "0");
  return pattern.replace("yyyy", date.year).replace("MM", two(date.month)).replace("dd", two(date.day));
}
`;

const manifest = (version: string): string =>
  `{\n  "name": "tinydate",\n  "version": "${version}",\n  "type": "module",\n  "exports": "./index.js"\n}\n`;

export const dateLibrary: Scenario = {
  name: "date-library",
  about: "Upgrade of a dependency with breaking changes; several files, one after the other. Matter-of-fact.",
  hosts: ["claude-code", "codex"],
  files: {
    "package.json": `{
  "name": "bookings",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test test/*.test.js" },
  "dependencies": { "tinydate": "file:vendor/tinydate-1.4.0" }
}
`,
    ".gitignore": "node_modules/\n",
    "vendor/tinydate-1.4.0/package.json": manifest("1.4.0"),
    "vendor/tinydate-1.4.0/index.js": OLD,
    "vendor/tinydate-2.0.0/package.json": manifest("2.0.0"),
    "vendor/tinydate-2.0.0/index.js": NEW,
    "vendor/tinydate-2.0.0/CHANGES.md":
      "# 2.0.0\n\n- months count from 1\n- tokens follow Unicode TR35: `yyyy-MM-dd`\n- `parse` throws a RangeError instead of returning null\n",
    "src/booking.js": `import { format, parse } from "tinydate";

export function bookingDay(text) {
  const date = parse(text);
  if (date === null) return "unknown";
  return format(date, "DD.MM.YYYY");
}
`,
    "src/season.js": `import { parse } from "tinydate";

/** High season is June to August. */
export function isHighSeason(text) {
  const { month } = parse(text);
  return month >= 5 && month <= 7;
}
`,
    "src/export/ical.js": `import { format, parse } from "tinydate";

export const icalDay = (text) => format(parse(text), "YYYYMMDD");
`,
    "test/booking.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { bookingDay } from "../src/booking.js";
import { icalDay } from "../src/export/ical.js";
import { isHighSeason } from "../src/season.js";

test("prints the day of a booking", () => assert.equal(bookingDay("2026-08-02"), "02.08.2026"));
test("prints unknown for what is no date", () => assert.equal(bookingDay("soon"), "unknown"));
test("knows the high season", () => {
  assert.equal(isHighSeason("2026-08-31"), true);
  assert.equal(isHighSeason("2026-05-31"), false);
});
test("writes days for calendars", () => assert.equal(icalDay("2026-08-02"), "20260802"));
`,
  },
  before: [
    {
      prompt:
        "Upgrade tinydate from 1.4.0 to 2.0.0. It is vendored, see vendor/. Conditions: nothing under vendor/ may be edited, no compatibility wrapper around the library, and the tests in test/booking.test.js describe the behaviour that customers see, so they stay unchanged.",
      turns: [
        running("npm install --offline --no-audit --no-fund && npm test 2>&1 | tail -9"),
        reading("vendor/tinydate-2.0.0/CHANGES.md", "package.json"),
        running("grep -rn tinydate src test"),
        planning(
          "> package.json to vendor/tinydate-2.0.0",
          "- src/booking.js: tokens, RangeError instead of null",
          "- src/season.js: months from 1",
          "- src/export/ical.js: tokens",
          "- remove vendor/tinydate-1.4.0 once nothing needs it",
        ),
        editing("package.json", {
          old: '  "dependencies": { "tinydate": "file:vendor/tinydate-1.4.0" }',
          new: '  "dependencies": { "tinydate": "file:vendor/tinydate-2.0.0" }',
        }),
        running("npm install --offline --no-audit --no-fund && npm test 2>&1 | grep -E '✖|✔|RangeError|!==' | sort -u"),
        reading("src/booking.js", "src/season.js", "src/export/ical.js"),
        {
          text: "I catch RangeError alone in bookingDay and let everything else through: a plain catch would hide the wrong token that we have right now.",
          calls: [
            {
              tool: "edit",
              path: "src/booking.js",
              old: '  const date = parse(text);\n  if (date === null) return "unknown";\n  return format(date, "DD.MM.YYYY");\n}',
              new: '  const date = parseOrUndefined(text);\n  return date === undefined ? "unknown" : format(date, "dd.MM.yyyy");\n}\n\nfunction parseOrUndefined(text) {\n  try {\n    return parse(text);\n  } catch (error) {\n    if (error instanceof RangeError) return undefined;\n    throw error;\n  }\n}',
            },
          ],
        },
        running("npm test 2>&1 | grep -E '✖|✔|RangeError|!==' | sort -u"),
        planning(
          "x package.json to vendor/tinydate-2.0.0",
          "x src/booking.js: tokens, RangeError instead of null",
          "> src/season.js: months from 1",
          "- src/export/ical.js: tokens",
          "- remove vendor/tinydate-1.4.0 once nothing needs it",
        ),
        editing("src/season.js", { old: "  return month >= 5 && month <= 7;", new: "  return month >= 6 && month <= 8;" }),
        running("npm test 2>&1 | grep -E '✖|✔|RangeError|!==' | sort -u"),
        saying(
          "package.json, src/booking.js and src/season.js are on 2.0.0. `writes days for calendars` still fails with RangeError: tinydate: token YYYY is not known, did you mean yyyy? That is src/export/ical.js, the next step. After it vendor/tinydate-1.4.0 can go; removing is not editing, but say so if you want to keep it.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "keep the folder for now, finish ical",
      turns: [
        reading("src/export/ical.js"),
        editing("src/export/ical.js", {
          old: 'export const icalDay = (text) => format(parse(text), "YYYYMMDD");',
          new: 'export const icalDay = (text) => format(parse(text), "yyyyMMdd");',
        }),
        running("npm test 2>&1 | grep -E '✖|✔|RangeError|!==' | sort -u"),
        running("git status --short vendor test"),
        saying("Upgraded; all four tests pass, vendor/ and the tests are unchanged."),
      ],
    },
  ],
  questions: [
    { ask: "What is the goal?", expect: /tinydate from 1\.4\.0 to 2\.0\.0/ },
    { ask: "What may not be edited?", expect: /vendor\// },
    { ask: "What is not allowed around the library?", expect: /compatibility wrapper/i },
    { ask: "Which tests stay unchanged?", expect: "test/booking.test.js" },
    { ask: "Which files were changed?", expect: "src/season.js" },
    { ask: "Which test still fails?", expect: /writes days for calendars/ },
    { ask: "With which message?", expect: /token YYYY is not known/ },
    { ask: "What is the next step?", expect: "src/export/ical.js" },
    { ask: "Why is only RangeError caught?", expect: /plain catch would hide|RangeError alone/ },
    { ask: "How are the tests run?", expect: /npm test/ },
  ],
};
