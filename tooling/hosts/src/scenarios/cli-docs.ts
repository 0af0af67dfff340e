import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const TOOL = `#!/usr/bin/env node
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", short: "w", default: "80" },
    keep: { type: "boolean", default: false },
    format: { type: "string", default: "text" },
  },
});
if (positionals.length === 0) {
  console.error("fold: nothing to fold, name a file");
  process.exit(2);
}
if (!["text", "html"].includes(values.format)) {
  console.error(\`fold: unknown format \${values.format}, use text or html\`);
  process.exit(3);
}
console.log(\`folded \${positionals.join(", ")} at \${values.width}\${values.keep ? ", kept" : ""} as \${values.format}\`);
`;

const OLD_DOC = `# fold

Folds long lines.

    fold --columns 72 letter.txt

| option | meaning |
| --- | --- |
| \`--columns\` | width of the lines, 72 unless given |
| \`--keep\` | keeps the file |
`;

const CHECK = `import { readFileSync } from "node:fs";

const program = readFileSync("bin/fold.mjs", "utf8");
const page = readFileSync("docs/fold.md", "utf8");
const options = [...program.matchAll(/^    (\\w+): \\{ type/gm)].map((match) => "--" + match[1]);
const codes = [...program.matchAll(/process\\.exit\\((\\d+)\\)/g)].map((match) => match[1]);
const problems = [
  ...options.filter((option) => !page.includes(option)).map((option) => \`docs/fold.md does not name \${option}\`),
  ...[...page.matchAll(/\`(--\\w+)/g)].map((match) => match[1]).filter((option) => !options.includes(option)).map((option) => \`docs/fold.md names \${option}, which does not exist\`),
  ...codes.filter((code) => !new RegExp(\`\\\\| \\\`?\${code}\\\`? \\\\|\`).test(page)).map((code) => \`docs/fold.md has no row for exit code \${code}\`),
];
console.log(problems.join("\\n") || "the page agrees with the program");
process.exit(problems.length > 0 ? 1 : 0);
`;

export const cliDocs: Scenario = {
  name: "cli-docs",
  about: "Documentation: a page that disagrees with its program. The agent may not change the program. Terse.",
  hosts: ["gemini", "claude-code"],
  files: {
    "bin/fold.mjs": TOOL,
    "docs/fold.md": OLD_DOC,
    "docs/style.md": "# Style\n\nThe task first, then the command, then its output. At most 60 lines a page. No exclamation marks.\n",
    "scripts/check-docs.mjs": CHECK,
  },
  before: [
    {
      prompt:
        "docs/fold.md is out of date. bring it in line with bin/fold.mjs. docs only, the program is released, don't change a byte of it. style: docs/style.md. check: node scripts/check-docs.mjs",
      turns: [
        reading("docs/fold.md", "docs/style.md", "bin/fold.mjs"),
        running("node scripts/check-docs.mjs"),
        planning("> Run each option to see what it does", "- Rewrite the table", "- Exit codes", "- Examples with real output"),
        running('node bin/fold.mjs letter.txt; node bin/fold.mjs -w 60 --keep a.txt b.txt; node bin/fold.mjs; echo "exit $?"'),
        running(
          'node bin/fold.mjs --format pdf a.txt; echo "exit $?"; node bin/fold.mjs --columns 72 a.txt; echo "exit $?"',
          "And what goes wrong:",
        ),
        planning("x Run each option to see what it does", "> Rewrite the table", "- Exit codes", "- Examples with real output"),
        writing(
          "docs/fold.md",
          `# fold

Fold long lines of a letter:

    fold -w 60 letter.txt
    folded letter.txt at 60 as text

| option | meaning |
| --- | --- |
| \`--width\`, \`-w\` | width of the lines, 80 unless given |
| \`--keep\` | keeps the file |
`,
          "The page promises --columns with 72, the program has --width with 80. I document what is, and do not mention --columns: it never was in a release (git log shows one commit), so nobody has to migrate.",
        ),
        running("node scripts/check-docs.mjs"),
        saying(
          "Options but --format are in. Exit codes are missing. Which formats shall I describe, html as well? It prints only a line of text.",
        ),
      ],
    },
    {
      prompt: "html is experimental: name it, but no example for it. and no screenshots",
      turns: [
        planning("x Run each option to see what it does", "x Rewrite the table", "> Exit codes", "- Examples with real output"),
        editing("docs/fold.md", {
          old: "| `--keep` | keeps the file |",
          new: "| `--keep` | keeps the file |\n| `--format` | `text`, or `html` (experimental) |\n\n| exit code | meaning |\n| --- | --- |\n| 2 | no file was named |",
        }),
        running("node scripts/check-docs.mjs && wc -l docs/fold.md"),
        saying(
          "One problem left: docs/fold.md has no row for exit code 3. Next: the row for 3 (unknown format), then an example with two files. An unknown option ends with 1 from Node itself; the check does not ask for it. Open: shall the page mention that 1? I would, people see it.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "mention it",
      turns: [
        reading("docs/fold.md"),
        editing("docs/fold.md", {
          old: "| 2 | no file was named |",
          new: "| 1 | unknown option |\n| 2 | no file was named |\n| 3 | unknown format |",
        }),
        running("node scripts/check-docs.mjs && wc -l docs/fold.md"),
        running("git diff --stat"),
        saying("The page agrees with the program; bin/fold.mjs is unchanged."),
      ],
    },
  ],
  questions: [
    { ask: "Which page is to be brought in line, with what?", expect: /docs\/fold\.md/ },
    { ask: "What may not be changed?", expect: /don't change a byte|the program is released/i },
    { ask: "Which file is the program?", expect: "bin/fold.mjs" },
    { ask: "Which style applies?", expect: "docs/style.md" },
    { ask: "How is it checked?", expect: "node scripts/check-docs.mjs" },
    { ask: "What does the check still say?", expect: /no row for exit code 3/ },
    { ask: "What is there to say of html?", expect: /experimental/i },
    { ask: "What may the page not have?", expect: /no screenshots|no example for it/i },
    { ask: "Why is --columns not mentioned?", expect: /never was in a release|nobody has to migrate/ },
    { ask: "What is open?", expect: /mention that 1|unknown option/i },
  ],
};
