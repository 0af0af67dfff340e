import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const STORE = `export interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly joined: string;
  readonly notes: string;
}

export const members: readonly Member[] = [
  { id: 1, name: "Ada Quist", email: "ada@example.org", joined: "2024-03-01", notes: "" },
  { id: 2, name: "Bo, the younger", email: "bo@example.org", joined: "2025-01-15", notes: 'says "hi"' },
  { id: 3, name: "Cem Ü.", email: "cem@example.org", joined: "2025-11-30", notes: "=SUM(A1:A9)" },
];
`;

const SERVER = `import { createServer, type Server } from "node:http";
import { members } from "./store.ts";

export function startServer(): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/members") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(members));
      return;
    }
    response.writeHead(404).end();
  });
}
`;

const CSV_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv } from "../src/csv.ts";

test("writes a head and a line for each row", () => {
  assert.equal(toCsv(["id", "name"], [{ id: 1, name: "Ada" }]), "id,name\\r\\n1,Ada\\r\\n");
});

test("quotes commas, quotes and line breaks", () => {
  assert.equal(toCsv(["name"], [{ name: 'a, "b"\\nc' }]), 'name\\r\\n"a, ""b""\\nc"\\r\\n');
});
`;

const SERVER_TEST = `import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { startServer } from "../src/server.ts";

const server = startServer();
let url = "";
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = "http://127.0.0.1:" + (server.address() as AddressInfo).port;
});
after(() => server.close());

test("offers the members as a file", async () => {
  const response = await fetch(url + "/members.csv");
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-disposition") ?? "", /attachment; filename="members.csv"/);
});

test("keeps formulas from being run by a spreadsheet", async () => {
  const text = await (await fetch(url + "/members.csv")).text();
  assert.ok(text.includes("'=SUM(A1:A9)"), "formula is not defused: " + text.split("\\r\\n")[3]);
});
`;

export const csvExport: Scenario = {
  name: "csv-export",
  about: "A feature in TypeScript over four prompts that change what is wanted; the person corrects the agent. Chatty.",
  hosts: ["claude-code"],
  files: {
    "package.json":
      '{\n  "name": "members",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test test/*.test.ts" }\n}\n',
    "src/store.ts": STORE,
    "src/server.ts": SERVER,
    "docs/api.md": "# API\n\n- `GET /members`: all members as JSON\n",
  },
  before: [
    {
      prompt: `Hey, our treasurer wants to open the list of members in her spreadsheet. Could you add GET /members.csv to the server? Semicolons as separators please, she has a German Excel.

Please don't install a csv library for it, and the JSON endpoint has to stay exactly as it is - the website depends on it.`,
      turns: [
        {
          text: "Sure! I look at the server first.",
          calls: [
            { tool: "read", path: "src/server.ts" },
            { tool: "read", path: "src/store.ts" },
          ],
        },
        planning("> src/csv.ts with tests", "- GET /members.csv in src/server.ts", "- docs/api.md"),
        writing("test/csv.test.ts", CSV_TEST, "Test first, for quoting above all."),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        writing(
          "src/csv.ts",
          `/** RFC 4180: fields with commas, quotes or line breaks are quoted. */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  return lines.map((line) => line.map(quoted).join(",") + "\\r\\n").join("");
}

function quoted(field: string): string {
  return /[",\\r\\n]/.test(field) ? '"' + field.replaceAll('"', '""') + '"' : field;
}
`,
        ),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        saying(
          "toCsv in src/csv.ts works and is tested, with RFC 4180 quoting. I used commas as the RFC has it. Should I go on with the endpoint?",
        ),
      ],
    },
    {
      prompt: "Wait, I said semicolons! Not commas. Please fix that before you go on. (And yes, then the endpoint.)",
      turns: [
        {
          text: "Right, sorry. Semicolons it is, in the tests as well.",
          calls: [
            {
              tool: "edit",
              path: "src/csv.ts",
              old: '  return lines.map((line) => line.map(quoted).join(",") + "\\r\\n").join("");',
              new: '  return lines.map((line) => line.map(quoted).join(";") + "\\r\\n").join("");',
            },
            {
              tool: "edit",
              path: "src/csv.ts",
              old: "  return /[\",\\r\\n]/.test(field) ? '\"' + field.replaceAll('\"', '\"\"') + '\"' : field;",
              new: "  return /[\";\\r\\n]/.test(field) ? '\"' + field.replaceAll('\"', '\"\"') + '\"' : field;",
            },
          ],
        },
        running("npm test 2>&1 | grep -E '✖|✔|Error|expected|actual|[+-]  ' | sort -u"),
        editing("test/csv.test.ts", {
          old: '  assert.equal(toCsv(["id", "name"], [{ id: 1, name: "Ada" }]), "id,name\\r\\n1,Ada\\r\\n");',
          new: '  assert.equal(toCsv(["id", "name"], [{ id: 1, name: "Ada" }]), "id;name\\r\\n1;Ada\\r\\n");',
        }),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        planning("x src/csv.ts with tests", "> GET /members.csv in src/server.ts", "- docs/api.md"),
        editing("src/server.ts", {
          old: "    response.writeHead(404).end();",
          new: '    if (pathname === "/members.csv") {\n      const csv = toCsv(["id", "name", "email", "joined", "notes"], members as unknown as Record<string, unknown>[]);\n      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" }).end(csv);\n      return;\n    }\n    response.writeHead(404).end();',
        }),
        editing("src/server.ts", {
          old: 'import { members } from "./store.ts";',
          new: 'import { toCsv } from "./csv.ts";\nimport { members } from "./store.ts";',
        }),
        running(
          "node -e \"import('./src/server.ts').then(async (m) => { const s = m.startServer().listen(0); await new Promise((r) => s.once('listening', r)); console.log(await (await fetch('http://127.0.0.1:' + s.address().port + '/members.csv')).text()); s.close(); })\"",
        ),
        saying("GET /members.csv answers with semicolons. It opens inline for now."),
      ],
    },
    {
      prompt:
        "Great! She asks for two more things: it should download as a file named members.csv, and leave the email column out - privacy, only the board may see these. Never put emails into any export, please keep that in mind for later ones as well.",
      turns: [
        writing(
          "test/server.test.ts",
          SERVER_TEST,
          "A test for the download. Since the field notes is free text I also test that a formula is not run by the spreadsheet (CSV injection).",
        ),
        editing("src/server.ts", {
          old: '      const csv = toCsv(["id", "name", "email", "joined", "notes"], members as unknown as Record<string, unknown>[]);\n      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" }).end(csv);',
          new: '      const csv = toCsv(["id", "name", "joined", "notes"], members as unknown as Record<string, unknown>[]);\n      const head = { "content-type": "text/csv; charset=utf-8", "content-disposition": \'attachment; filename="members.csv"\' };\n      response.writeHead(200, head).end(csv);',
        }),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        {
          text: "The download works, the formula test fails as it should. I decided to defuse with a leading apostrophe rather than to drop the field, because the treasurer needs the notes, and Excel hides the apostrophe.",
          calls: [{ tool: "read", path: "docs/api.md" }],
        },
        editing("docs/api.md", {
          old: "- `GET /members`: all members as JSON",
          new: "- `GET /members`: all members as JSON\n- `GET /members.csv`: the same without emails, as a download, separated by semicolons",
        }),
        planning("x src/csv.ts with tests", "x GET /members.csv in src/server.ts", "x docs/api.md", "> Defuse formulas in quoted()"),
        saying(
          "Where it stands: download and columns are done, docs/api.md is updated. `keeps formulas from being run by a spreadsheet` fails: formula is not defused: 3;Cem Ü.;2025-11-30;=SUM(A1:A9). Next I put an apostrophe before fields that begin with = + - @ in quoted() of src/csv.ts. One thing I could not find out: does her Excel need a byte order mark for the Ü? Please ask her to open the file once.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "She says the Ü looks broken, so yes, a byte order mark. Carry on!",
      turns: [
        reading("src/csv.ts"),
        editing("src/csv.ts", {
          old: "function quoted(field: string): string {\n  return /[\";\\r\\n]/.test(field) ? '\"' + field.replaceAll('\"', '\"\"') + '\"' : field;\n}",
          new: "function quoted(field: string): string {\n  const safe = /^[=+\\-@]/.test(field) ? \"'\" + field : field;\n  return /[\";\\r\\n]/.test(safe) ? '\"' + safe.replaceAll('\"', '\"\"') + '\"' : safe;\n}",
        }),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        reading("src/server.ts"),
        editing("src/server.ts", {
          old: "      response.writeHead(200, head).end(csv);",
          new: '      response.writeHead(200, head).end("\\ufeff" + csv);',
        }),
        running("npm test 2>&1 | grep -E '✖|✔|Error' | sort -u"),
        reading("docs/api.md"),
        saying("Formulas are defused, the file begins with a byte order mark, all tests pass."),
      ],
    },
  ],
  questions: [
    { ask: "What is to be added?", expect: "/members.csv" },
    { ask: "Which separator?", expect: /semicolons/i },
    { ask: "What must not be installed?", expect: /csv library/i },
    { ask: "What must stay exactly as it is?", expect: /JSON endpoint/i },
    { ask: "What may never be in an export?", expect: /never put emails/i },
    { ask: "Which test fails?", expect: /keeps formulas from being run by a spreadsheet/ },
    { ask: "With which message?", expect: /formula is not defused/ },
    { ask: "What is the next step, in which file?", expect: /apostrophe[^\n]*src\/csv\.ts/ },
    { ask: "Why an apostrophe and not dropping the field?", expect: /treasurer needs the notes|Excel hides the apostrophe/ },
    { ask: "Which question is open?", expect: /byte order mark/i },
  ],
};
