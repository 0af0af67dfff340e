import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const FLAGS = `import type { Flag } from "./load.ts";

export interface Visitor {
  readonly userId: string;
  readonly accountId: string;
}

export function isEnabled(flags: readonly Flag[], name: string, _visitor: Visitor): boolean {
  return flags.find((flag) => flag.name === name)?.on ?? false;
}
`;

const LOAD = `import { readFileSync } from "node:fs";

export interface Flag {
  readonly name: string;
  readonly on: boolean;
}

export function loadFlags(path: string): readonly Flag[] {
  const { version, flags } = JSON.parse(readFileSync(path, "utf8"));
  if (version !== 1) throw new Error(\`flags: version \${version} is not known\`);
  return flags;
}
`;

const FLAGS_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnabled } from "../src/flags.ts";
import { loadFlags } from "../src/load.ts";

const visitor = { userId: "u1", accountId: "a1" };

test("reads version 1", () => {
  assert.equal(isEnabled(loadFlags("flags.json"), "banner", visitor), true);
  assert.equal(isEnabled(loadFlags("flags.json"), "new-plans", visitor), false);
});
`;

const ROLLOUT_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnabled } from "../src/flags.ts";

const visitors = Array.from({ length: 2000 }, (_, index) => ({ userId: "user-" + index, accountId: "account-" + Math.floor(index / 4) }));
const share = (percent: number, name = "x") => visitors.filter((visitor) => isEnabled([{ name, on: true, percent }], name, visitor)).length / visitors.length;

test("reaches about the share that was asked for", () => {
  for (const percent of [0, 10, 50, 90, 100]) {
    assert.ok(Math.abs(share(percent) * 100 - percent) < 4, percent + "% asked, " + (share(percent) * 100).toFixed(1) + "% reached");
  }
});

test("keeps who had it when the share grows", () => {
  const on = (percent: number) => new Set(visitors.filter((visitor) => isEnabled([{ name: "x", on: true, percent }], "x", visitor)).map(({ userId }) => userId));
  const few = on(10);
  const many = on(50);
  assert.ok([...few].every((user) => many.has(user)));
});
`;

const SIZE = `import { readFileSync } from "node:fs";
const size = ["src/flags.ts", "src/load.ts", "src/bucket.ts"].reduce((sum, path) => { try { return sum + readFileSync(path).length; } catch { return sum; } }, 0);
console.log(\`\${size} bytes of 1300\`);
if (size > 1300) { console.error(\`SIZE LIMIT: \${size - 1300} bytes too many, the edge worker refuses the upload\`); process.exit(1); }
`;

const OLD_PLAN = [
  "Tests for shares",
  "src/bucket.ts: a number from 0 to 99",
  "isEnabled asks the bucket",
  "loadFlags: version 2 with percent",
  "docs/flags.md",
];
const plan = (...states: readonly ("x" | ">" | "-")[]) => planning(...OLD_PLAN.map((text, index) => `${states[index] ?? "-"} ${text}`));

export const percentRollout: Scenario = {
  name: "percent-rollout",
  about: "A long day on one feature: five prompts, a sub-agent, a change of mind, a limit of size that is hit at the end.",
  hosts: ["claude-code"],
  files: {
    "package.json":
      '{\n  "name": "flags",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test test/*.test.ts", "size": "node scripts/size.mjs" }\n}\n',
    "flags.json":
      '{\n  "version": 1,\n  "flags": [\n    { "name": "banner", "on": true },\n    { "name": "new-plans", "on": false }\n  ]\n}\n',
    "src/flags.ts": FLAGS,
    "src/load.ts": LOAD,
    "src/server.ts":
      'import { isEnabled } from "./flags.ts";\nimport { loadFlags } from "./load.ts";\n\nexport const showsBanner = (userId: string, accountId: string): boolean => isEnabled(loadFlags("flags.json"), "banner", { userId, accountId });\n',
    "src/billing/plans.ts":
      'import { isEnabled } from "../flags.ts";\nimport { loadFlags } from "../load.ts";\n\nexport const plansFor = (accountId: string): string[] =>\n  isEnabled(loadFlags("flags.json"), "new-plans", { userId: "", accountId }) ? ["s", "m", "l"] : ["basic"];\n',
    "src/sdk/client.ts":
      "// Generated from openapi.yaml. Do not edit.\nexport const flagUrl = (name: string): string => `/flags/${name}`;\n",
    "scripts/size.mjs": SIZE,
    "test/flags.test.ts": FLAGS_TEST,
    "docs/flags.md": "# Flags\n\n`flags.json` lists flags by name; `on` turns one on for everybody.\n",
  },
  before: [
    {
      prompt: `Let's add percentage rollouts to the feature flags: { "name": "banner", "on": true, "percent": 10 } should turn it on for ten percent.

Ground rules:
1. flags.json in version 1 must still load, two customers host their own.
2. No dependencies.
3. src/sdk is generated, never edit it by hand.
4. User ids must not show up in any log.

Have a look around first, tell me what you'd do, then do it.`,
      turns: [
        {
          text: "I let a helper look for all callers while I read the core.",
          calls: [
            {
              tool: "agent",
              about: "Find callers of isEnabled",
              prompt: "List every caller of isEnabled and say which ids each of them passes. Change nothing.",
              turns: [
                running("grep -rn isEnabled src --include='*.ts' | grep -v 'export function'"),
                reading("src/billing/plans.ts", "src/server.ts"),
                saying(
                  "Two callers: src/server.ts passes userId and accountId, src/billing/plans.ts passes an empty userId and only accountId. A bucket by userId would put all of billing into one bucket.",
                ),
              ],
            },
          ],
        },
        reading("src/flags.ts", "src/load.ts", "flags.json", "test/flags.test.ts"),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u; npm run -s size"),
        plan(">"),
        writing("test/rollout.test.ts", ROLLOUT_TEST, "Shares and stability are what matters, so these two first."),
        running("npm test 2>&1 | grep -E '✖|✔|reached|Error' | sort -u"),
        plan("x", ">"),
        writing(
          "src/bucket.ts",
          `/** A number from 0 to 99 that stays the same for the same flag and id. */
export function bucket(flag: string, id: string): number {
  let sum = 0;
  for (const char of flag + id) sum += char.charCodeAt(0);
  return sum % 100;
}
`,
          "A sum of characters would be the shortest hash. I try it before anything cleverer.",
        ),
        editing("src/flags.ts", {
          old: "export function isEnabled(flags: readonly Flag[], name: string, _visitor: Visitor): boolean {\n  return flags.find((flag) => flag.name === name)?.on ?? false;\n}",
          new: "export function isEnabled(flags: readonly Flag[], name: string, visitor: Visitor): boolean {\n  const flag = flags.find((each) => each.name === name);\n  if (flag === undefined || !flag.on) return false;\n  return bucket(name, visitor.userId) < (flag.percent ?? 100);\n}",
        }),
        editing("src/flags.ts", {
          old: 'import type { Flag } from "./load.ts";',
          new: 'import { bucket } from "./bucket.ts";\nimport type { Flag } from "./load.ts";',
        }),
        editing("src/load.ts", {
          old: "  readonly on: boolean;",
          new: "  readonly on: boolean;\n  /** From 0 to 100; everybody without it. */\n  readonly percent?: number;",
        }),
        running("npm test 2>&1 | grep -E '✖|✔|reached|Error' | sort -u"),
        {
          text: "As I half expected: ids that differ in their last digits land side by side. FNV-1a, 32 bits: five lines, spreads well, and unlike md5 from node:crypto it also runs in the edge worker, which has no node modules.",
          calls: [
            {
              tool: "edit",
              path: "src/bucket.ts",
              old: "  let sum = 0;\n  for (const char of flag + id) sum += char.charCodeAt(0);\n  return sum % 100;",
              new: "  let hash = 0x811c9dc5;\n  for (const char of `${flag}:${id}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);\n  return (hash >>> 0) % 100;",
            },
          ],
        },
        running("npm test 2>&1 | grep -E '✖|✔|reached|Error' | sort -u"),
        plan("x", "x", "x", ">"),
        saying(
          "Rollouts work: src/bucket.ts gives each id a number by FNV-1a, isEnabled compares it with percent. Files in version 1 load as before. I noticed that src/billing/plans.ts passes an empty userId, so all accounts share one bucket there. Before I go on with version 2 of the file: by what should the bucket be chosen?",
        ),
      ],
    },
    {
      prompt:
        "By account. One account must never see two variants, that was a support nightmare last year. If there is no account (visitors), take the user.",
      turns: [
        writing(
          "test/account.test.ts",
          `import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnabled } from "../src/flags.ts";

const flags = [{ name: "x", on: true, percent: 50 }];

test("shows one variant to all users of an account", () => {
  for (let account = 0; account < 50; account += 1) {
    const seen = new Set(["a", "b", "c", "d"].map((userId) => isEnabled(flags, "x", { userId, accountId: "account-" + account })));
    assert.equal(seen.size, 1, "account-" + account + " sees two variants");
  }
});

test("falls back to the user without an account", () => {
  const seen = new Set(Array.from({ length: 40 }, (_, index) => isEnabled(flags, "x", { userId: "u" + index, accountId: "" })));
  assert.equal(seen.size, 2);
});
`,
        ),
        running("npm test 2>&1 | grep -E '✖|✔|variants|Error' | sort -u"),
        editing("src/flags.ts", {
          old: "  return bucket(name, visitor.userId) < (flag.percent ?? 100);",
          new: "  return bucket(name, visitor.accountId || visitor.userId) < (flag.percent ?? 100);",
        }),
        running("npm test 2>&1 | grep -E '✖|✔|variants|reached|Error' | sort -u"),
        saying(
          "Accounts see one variant now. With 500 accounts the shares are coarser, the test still holds its 4 points. Next: version 2 of the file.",
        ),
      ],
    },
    {
      prompt:
        "Good. About the file: don't introduce a version 2! I changed my mind, percent is just an optional field of version 1. But values outside 0..100 have to be refused when loading, with the flag's name in the message.",
      turns: [
        planning(
          "x Tests for shares",
          "x src/bucket.ts: a number from 0 to 99",
          "x isEnabled asks the bucket",
          "x loadFlags: version 2 with percent",
          "> loadFlags: refuse percent outside 0..100 (still version 1)",
          "- docs/flags.md",
        ),
        writing(
          "test/load.test.ts",
          `import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadFlags } from "../src/load.ts";

const file = (percent: unknown) => {
  const path = join(mkdtempSync(join(tmpdir(), "flags-")), "flags.json");
  writeFileSync(path, JSON.stringify({ version: 1, flags: [{ name: "banner", on: true, percent }] }));
  return path;
};

for (const wrong of [-1, 101, 0.5, "10", null]) {
  test("refuses " + JSON.stringify(wrong), () => assert.throws(() => loadFlags(file(wrong)), /flags: banner: percent/));
}

test("takes 0 and 100", () => {
  assert.equal(loadFlags(file(0))[0]?.percent, 0);
  assert.equal(loadFlags(file(100))[0]?.percent, 100);
});
`,
        ),
        running("npm test 2>&1 | grep -E '✖|Error|pass' | sort -u"),
        editing("src/load.ts", {
          old: "  return flags;\n}",
          new: "  for (const flag of flags) checkPercent(flag);\n  return flags;\n}\n\nfunction checkPercent({ name, percent }: Flag): void {\n  if (percent === undefined) return;\n  if (!Number.isInteger(percent) || percent < 0 || percent > 100) {\n    throw new Error(`flags: ${name}: percent must be a whole number from 0 to 100, not ${JSON.stringify(percent)}`);\n  }\n}",
        }),
        running("npm test 2>&1 | grep -E '✖|Error|pass' | sort -u"),
        saying(
          "Refused with the name, for example `flags: banner: percent must be a whole number from 0 to 100, not 101`. I decided for whole numbers only: with a hundred buckets 0.5 would silently be 1.",
        ),
      ],
    },
    {
      prompt: "fine. docs now, please. and check that it still fits the edge worker (npm run size)",
      turns: [
        reading("docs/flags.md"),
        writing(
          "docs/flags.md",
          `# Flags

\`flags.json\` lists flags by name; \`on\` turns one on for everybody.

## Percentages

\`percent\` turns a flag on for a share of accounts:

    { "name": "banner", "on": true, "percent": 10 }

An account always sees one variant. Visitors without an account count one by one. A share that grows keeps those who had it.
`,
        ),
        running("npm run size"),
        {
          text: "Too big. I look at where the bytes are before I cut anything.",
          calls: [{ tool: "shell", command: "wc -c src/flags.ts src/load.ts src/bucket.ts" }],
        },
        editing(
          "src/load.ts",
          {
            old: "    throw new Error(`flags: ${name}: percent must be a whole number from 0 to 100, not ${JSON.stringify(percent)}`);",
            new: "    throw new Error(`flags: ${name}: percent must be 0 to 100, not ${percent}`);",
          },
          "The longest line is the message; the name stays in it, as you asked.",
        ),
        running("npm run size; npm test 2>&1 | grep -E '✖|fail' | sort -u"),
        saying(
          "docs/flags.md is written. The size is not there yet: SIZE LIMIT: 152 bytes too many, the edge worker refuses the upload. What I would not do is drop checkPercent.",
        ),
      ],
    },
    {
      prompt:
        "I have to catch a train. Write down where you are, I read it tomorrow. Don't deploy anything, and leave flags.json as it is until Petra has agreed.",
      turns: [
        running("git status --short && npm run -s size"),
        {
          calls: [
            {
              tool: "plan",
              items: [
                { text: "docs/flags.md", status: "completed" },
                { text: "loadFlags: refuse percent outside 0..100 (still version 1)", status: "completed" },
                { text: "Get below 1300 bytes: npm run size", status: "in_progress" },
              ],
            },
          ],
        },
        saying(
          "State for tomorrow: percent works by account (src/flags.ts, src/bucket.ts), src/load.ts refuses wrong values, docs/flags.md is done, all tests pass. `npm run size` still fails with SIZE LIMIT: 152 bytes too many. Next step: move checkPercent into src/check-flags.ts, called by the build and not by the worker, so that src/load.ts shrinks; then npm run size and npm test again. Nothing is deployed, flags.json is unchanged until Petra agrees. Open question: may the worker trust flags.json unchecked? If not, the limit of 1300 has to be raised, and only the platform team can do that.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "Good morning! The worker may trust the file, it comes from our build. Go on.",
      turns: [
        reading("src/load.ts"),
        writing(
          "src/check-flags.ts",
          'import type { Flag } from "./load.ts";\n\n/** Throws for a percentage that is none. */\nexport function checkFlags(flags: readonly Flag[]): void {\n  for (const { name, percent } of flags) {\n    if (percent === undefined || (Number.isInteger(percent) && percent >= 0 && percent <= 100)) continue;\n    throw new Error(`flags: ${name}: percent must be a whole number from 0 to 100, not ${JSON.stringify(percent)}`);\n  }\n}\n',
        ),
        running("sed -i '/checkPercent(flag)/d; /^function checkPercent/,/^}/d' src/load.ts && cat src/load.ts"),
        running("npm run size"),
        reading("test/load.test.ts"),
        running(
          "sed -i 's/import { loadFlags } from/import { checkFlags } from \"..\\/src\\/check-flags.ts\";\\nimport { loadFlags } from/; s/loadFlags(file(wrong))/checkFlags(loadFlags(file(wrong)))/' test/load.test.ts && npm test 2>&1 | grep -E '✖|pass|fail' | sort -u",
        ),
        reading("docs/flags.md", "src/bucket.ts"),
        saying("It fits. All tests pass, nothing is deployed, flags.json is unchanged."),
      ],
    },
  ],
  questions: [
    { ask: "What is the goal?", expect: /percentage rollouts/i },
    { ask: "Which folder must never be edited by hand?", expect: "src/sdk" },
    { ask: "What must not show up in logs?", expect: /user ids/i },
    { ask: "By what is the bucket chosen?", expect: /by account|one account must never see two variants/i },
    { ask: "What became of version 2?", expect: /don't introduce a version 2|still version 1/i },
    { ask: "What may not be changed until when?", expect: /flags\.json[^\n]*Petra/ },
    { ask: "Why FNV and not md5?", expect: /edge worker, which has no node modules|unlike md5/i },
    { ask: "What fails, with which message?", expect: /SIZE LIMIT/ },
    { ask: "What is the next step?", expect: "src/check-flags.ts" },
    { ask: "Which question is open?", expect: /worker trust flags\.json/i },
  ],
};
