import { readFileSync } from "node:fs";
import { read, run } from "./actions.mjs";
import { questions } from "./initial.mjs";

const phase = "understand";
const oddTags = JSON.parse(readFileSync(new URL("../base/test/fixtures/odd-tags.json.txt", import.meta.url), "utf8"));

export const understand = [
  {
    phase,
    thought:
      "Two features and one bug report. The report (twice or never while something is added) is what offset paging does by construction: a row inserted on top shifts every later page by one. So cursors are the fix and not only an improvement. Before designing anything I want to see how rows are ordered today and what else reads the table.",
    action: run("git log --oneline && git status -sb && git ls-files && wc -l src/*.ts src/*/*.ts test/*.ts | tail -1", {
      output: "01-repository",
      ms: 210,
    }),
  },
  {
    phase,
    thought:
      "Small: fifteen or so source files. I can read all of it. The README and the contribution rules first, they tell what is not negotiable.",
    action: read("README.md", "CONTRIBUTING.md"),
    append: {
      findings: [
        {
          id: "F1",
          text: "Another program (weekly reading report) reads the bookmarks table directly. Decision 0002 has the details; read it if timestamps or columns change.",
          source: "README.md",
        },
        { id: "F2", text: "Commit subject: emoji, imperative, at most 60 characters; the body says why.", source: "CONTRIBUTING.md" },
      ],
    },
  },
  {
    phase,
    thought: "How it is run and checked, and how strict the compiler is.",
    action: read("package.json", "tsconfig.json", ".gitignore"),
    append: {
      findings: [
        {
          id: "F3",
          text: "exactOptionalPropertyTypes and noUncheckedIndexedAccess are on: optional fields must be left out, not set to undefined.",
          source: "tsconfig.json",
        },
      ],
    },
  },
  {
    phase,
    thought: "Baseline before I touch anything. If something is red already I need to know now.",
    action: run("npm run check", { output: "02-baseline-check", ms: 4_120 }),
    set: { testResults: { command: "npm run check", passed: 31, failed: 0, typeErrors: 0 } },
  },
  {
    phase,
    thought: "All green, 31 tests. Now the contract with the clients, because that is what I am going to change.",
    action: read("docs/api.md"),
    append: {
      findings: [
        {
          id: "F4",
          text: "Documented answer of GET /bookmarks is exactly { items, total }. nextCursor is an addition; total must not disappear for requests that 0.7 clients make.",
          source: "docs/api.md",
        },
        { id: "F5", text: "The list of problem types is part of the contract; 429 needs a new one.", source: "docs/api.md" },
      ],
    },
  },
  {
    phase,
    thought:
      "The request path from the top: app, then router and what is sent back. I am looking for the place where a limiter would go and for how errors get their headers.",
    action: read("src/app.ts", "src/http/router.ts"),
    append: {
      findings: [
        {
          id: "F6",
          text: "Authentication happens after routing, in answer(). open routes (only /health) skip it. ownerId is the empty string there, so a limiter keyed by ownerId alone would throw all open calls into one bucket.",
          source: "src/app.ts",
        },
      ],
    },
  },
  {
    phase,
    thought: "How failures are answered: 429 must carry Retry-After, and it seems that sendProblem has no way to add a header.",
    action: read("src/http/errors.ts", "src/http/respond.ts", "src/http/body.ts"),
    append: {
      findings: [
        {
          id: "F7",
          text: "HttpError has no headers; sendProblem writes a fixed set. Needs a small extension for Retry-After.",
          source: "src/http/errors.ts, src/http/respond.ts",
        },
      ],
    },
  },
  {
    phase,
    thought: "Now the list itself: the route, its parameters.",
    action: read("src/bookmarks/routes.ts", "src/bookmarks/query.ts"),
  },
  {
    phase,
    thought: "And the store, the heart of it.",
    action: read("src/bookmarks/store.ts"),
    append: {
      findings: [
        {
          id: "F8",
          text: "ORDER BY created_at DESC without a second column: the order of rows with the same time is undefined, even within offset paging.",
          source: "src/bookmarks/store.ts list()",
        },
        {
          id: "F9",
          text: "countTags counts into a plain object literal. A tag named constructor or __proto__ will not come out right. Not part of the task, but GET /tags is affected.",
          source: "src/bookmarks/store.ts countTags()",
        },
        {
          id: "F10",
          text: "list() prepares two statements per call; the count scans everything that matches.",
          source: "src/bookmarks/store.ts list()",
        },
      ],
    },
    set: {
      openQuestions: questions(
        {},
        {
          id: "Q1",
          text: "GET /tags is wrong for tags that are names of Object.prototype members. Fix in this branch as its own commit, or leave it?",
          status: "open",
        },
      ),
    },
  },
  {
    phase,
    thought: "The model: what an id is, and what kind of value createdAt is. If ids were time-ordered I could page by id alone.",
    action: read("src/bookmarks/model.ts", "src/clock.ts"),
    append: {
      findings: [
        {
          id: "F11",
          text: "Ids are random on purpose (they must not tell when somebody reads), so they give no order. They are unique, which is enough for a tie-break.",
          source: "src/bookmarks/model.ts",
        },
      ],
    },
  },
  {
    phase,
    thought: "Schema and migrations. I expect that a new index is needed.",
    action: read("src/db/migrations.ts", "src/db/open.ts"),
    append: {
      findings: [
        {
          id: "F12",
          text: "The only index that starts with owner_id is the unique one on (owner_id, url_key). Nothing supports ORDER BY created_at.",
          source: "src/db/migrations.ts",
        },
      ],
    },
  },
  {
    phase,
    thought: "Decision 0001 is the source of requirement R8. What precisely does it demand?",
    action: read("docs/decisions/0001-one-sqlite-file.md"),
    append: {
      findings: [
        {
          id: "F13",
          text: "Budget: a list query above 5 ms at 21,000 bookmarks needs a second look; sorting the whole collection is ruled out, not only slow.",
          source: "docs/decisions/0001-one-sqlite-file.md",
        },
      ],
    },
  },
  {
    phase,
    thought: "The remaining parts that a limiter touches: configuration, tokens, log, start-up.",
    action: read("src/config.ts", "src/auth/tokens.ts", "src/log.ts", "src/main.ts"),
    append: {
      findings: [
        {
          id: "F14",
          text: "readConfig has an integer() helper with min and max; two more settings fit in naturally. test/config.test.ts compares the whole object and must be extended.",
          source: "src/config.ts",
        },
      ],
    },
  },
  {
    phase,
    thought: "How tests are written here. The fake clock is good news for the limiter.",
    action: read("test/helpers.ts", "test/bookmarks.test.ts", "test/config.test.ts"),
    append: {
      findings: [
        {
          id: "F15",
          text: "addAll() advances the clock by a second between bookmarks, so no existing test has two rows with the same time.",
          source: "test/bookmarks.test.ts",
        },
      ],
    },
  },
  {
    phase,
    thought:
      "Existing tests always have distinct times, so the undefined order never shows. Imports are the case where many rows share a time. Let me see what the importer writes.",
    action: read("src/import/netscape.ts", "src/import/routes.ts", "test/import.test.ts"),
    append: {
      findings: [
        {
          id: "F16",
          text: "Imports keep ADD_DATE, which has whole seconds, so rows with equal times are the normal case after an import.",
          source: "src/import/netscape.ts",
        },
      ],
    },
  },
  {
    phase,
    thought:
      "The fixtures: I want to reuse them for the pagination tests instead of inventing bland ones. The odd tags I keep parsed at hand, including the key __proto__ as an own key and the strings with half a surrogate pair.",
    action: read("test/fixtures/export.html", "test/fixtures/samples.json", "test/fixtures/odd-tags.json"),
    put: { scratch: { "test/fixtures/odd-tags.json (parsed)": oddTags } },
    append: {
      findings: [
        {
          id: "F17",
          text: "export.html has runs of up to five entries with one ADD_DATE and one entry without any; good material for ties. The entity &#55358; in it is half a surrogate pair.",
          source: "test/fixtures/export.html",
        },
      ],
    },
  },
  {
    phase,
    thought: "Who else uses offset or total? Also whether odd-tags.json is used by any test, I have not seen it imported.",
    action: run(
      "grep -rnE 'offset|total' src test docs scripts --include='*' | grep -v fixtures; echo '--- odd-tags:'; grep -rn 'odd-tags' src test scripts || echo 'not referenced'",
      { output: "03-grep-offset", ms: 60 },
    ),
    append: {
      findings: [
        {
          id: "F18",
          text: "test/fixtures/odd-tags.json is not used by any test. It looks like somebody meant to test GET /tags with it.",
          source: "grep",
        },
      ],
    },
  },
  {
    phase,
    thought: "The seed script gives me a collection of realistic size. Read it before running it.",
    action: read("scripts/seed.ts"),
  },
  {
    phase,
    thought:
      "Measure the present state at 20,000 rows: the plan of the list query and the time of the first and of a deep page. These are the numbers to beat.",
    action: run(
      'rm -f /tmp/big.db* && SHELFMARK_DB=/tmp/big.db npm run --silent seed -- 20000 && node --disable-warning=ExperimentalWarning -e \'\nconst { DatabaseSync } = require("node:sqlite");\nconst db = new DatabaseSync("/tmp/big.db");\nconst sql = "SELECT * FROM bookmarks WHERE owner_id = ? ORDER BY created_at DESC LIMIT ? OFFSET ?";\nfor (const row of db.prepare("EXPLAIN QUERY PLAN " + sql).all("home", 20, 0)) console.log(row.detail);\nfor (const offset of [0, 1000, 10000, 19980]) {\n  const s = db.prepare(sql);\n  const times = Array.from({ length: 30 }, () => { const t = performance.now(); s.all("home", 20, offset); return performance.now() - t; }).sort((a, b) => a - b);\n  console.log("offset", offset, "median ms", times[15].toFixed(2));\n}\nconst t = performance.now(); db.prepare("SELECT count(*) FROM bookmarks WHERE owner_id = ?").get("home"); console.log("count ms", (performance.now() - t).toFixed(2));\'',
      { output: "04-baseline-plan", ms: 2_900 },
    ),
  },
];
