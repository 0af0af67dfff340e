import { create, edit, read, run } from "./actions.mjs";
import { plan, questions } from "./initial.mjs";

const build = "implement-pagination";
const limit = "rate-limit";
const testOf = (...names) =>
  `node --disable-warning=ExperimentalWarning --test --test-reporter=spec ${names.map((name) => `test/${name}.test.ts`).join(" ")}`;

export const limits = [
  {
    phase: build,
    thought:
      "First page 2.58 ms (with the count, and cold) instead of 7.5, median 0.18 ms, the slowest of 1,000 pages is the first one. All 20,000 visited exactly once. Before I commit: repeat the mutation, now that the test checks its set-up. It has to fail.",
    action: run(
      "sed -i 's/return isoTime(Number(text) \\* 1_000);/return isoTime(Number(text) * 1_000).replace(\".000Z\", \"Z\");/' src/import/netscape.ts && node --disable-warning=ExperimentalWarning --test --test-reporter=spec --test-name-pattern='imported and added' test/pagination.test.ts 2>&1 | grep -E '^ℹ (pass|fail)|AssertionError' | sort | uniq -c; cp /tmp/netscape.keep src/import/netscape.ts && git diff --stat",
      { output: "20-mutation-2", ms: 1_250 },
    ),
    set: {
      plan: plan({
        P3: { status: "in-progress", notes: "works; documents and commit missing" },
        P5: { status: "in-progress", notes: "pagination measured" },
      }),
    },
    append: {
      findings: [
        {
          id: "F25",
          text: "At 20,000 rows with index: first page 2.58 ms, median 0.18 ms, p99 0.68 ms over a walk of 1,000 pages.",
          source: "/tmp/measure.ts",
        },
      ],
    },
    put: {
      scratch: {
        afterIndex: { rows: 20_000, pages: 1_000, distinct: 20_000, firstPageMs: 2.58, medianMs: 0.18, p99Ms: 0.68, maxMs: 2.58 },
      },
    },
  },
  {
    phase: build,
    set: { plan: plan({ P6: { status: "in-progress" } }) },
    thought:
      "Now the records. 0004 for cursors, 0005 for the one shape of time; 0005 says why integers were considered and rejected, so that nobody after me falls for them.",
    action: create("docs/decisions/0004-cursors.md", "docs/decisions/0005-one-shape-of-time.md"),
  },
  { phase: build, thought: "The contract and the changelog, in the same commit as the behaviour.", action: edit("14-docs-pagination") },
  {
    phase: build,
    thought: "Read my own diff of the source once, as a reviewer would.",
    action: run("git diff -- src", { output: "21-diff-src", ms: 40 }),
  },
  {
    phase: build,
    thought:
      "Two things for a reviewer. The dates in routes.ts are right (15 October 2025, 15 April 2026). And the cursor still passes through a Date; that is fine now because the triggers guarantee that the text is what isoTime would write, and 0005 says so. Two commits: the bug first, on its own, then the feature.",
    action: run(
      "git add src/import src/db/migrations.ts test/import.test.ts test/migrations.test.ts docs/decisions/0005-one-shape-of-time.md && git commit -q -F - <<'EOF'\n🐛 give every stored time the same shape\n\nThe importer wrote 2024-02-29T23:59:59Z, the API ….000Z. As text \"Z\" is\ngreater than \".\", so imported bookmarks sorted behind everything of the\nsame second. Migration 4 rewrites the short times and refuses any other\nshape from now on. Migration 5 is the index that lists are read from.\nEOF\ngit add -A && git commit -q -F - <<'EOF'\n✨ page through bookmarks by cursor\n\nWith offset a bookmark added meanwhile moved every later row by one, so\nclients saw one twice. A page now starts behind the last row of the page\nbefore it, in the order (created_at, id). offset goes in April 2026.\nEOF\ngit log --oneline | head -3 && git show --stat --format='%h %s' HEAD~1 HEAD",
      { output: "22-commit-pagination", ms: 120 },
    ),
    set: { plan: plan({ P3: { status: "done", notes: "committed" }, P4: { status: "in-progress" } }) },
    put: { scratch: { commits: { pagination: ["🐛 give every stored time the same shape", "✨ page through bookmarks by cursor"] } } },
  },
  {
    phase: limit,
    thought:
      "Rate limiting. A token bucket is the smallest thing that knows both a burst and a long-run rate, and it is computed when asked, so no timers. Keyed by owner. In memory: the store is one process, and after a restart a full bucket harms nobody. I write the limiter as a pure class with a clock, and a test that is strict about the promises in R5: Retry-After never 0, and after waiting exactly that long the request must be allowed.",
    action: create("src/http/rate-limit.ts", "test/rate-limit.test.ts"),
    append: {
      decisions: [
        {
          id: "D10",
          title: "Token bucket per owner, in memory",
          choice: "RateLimiter { take(key) } computed lazily from an injected clock.",
          reasons: ["Burst and rate in two numbers", "No timers, tests own the clock", "A table would cost a write per request"],
          rejected: [
            { option: "Fixed windows", because: "twice the budget around the boundary" },
            { option: "Sliding log", because: "memory per request" },
          ],
        },
      ],
    },
  },
  {
    phase: limit,
    thought: "Run.",
    action: run(testOf("rate-limit"), { output: "23-limiter-test-1", exitCode: 1, ms: 1_900 }),
    set: { testResults: { command: "node --test test/rate-limit.test.ts", passed: 4, failed: 4 } },
  },
  {
    phase: limit,
    thought:
      "Four failures, three plain faults. Math.round promises 7 s where 7.5 are needed, and 0 for anything under half a second: must be ceil. A clock that was set back yields a negative gain, which locks a user out for an hour: no time passed is the right reading. And nothing is ever forgotten, 5,000 keys. For ceil to be exact I also do not want fractions of tokens: perMinute / 60000 is not exact in binary. Counting in parts, 60,000 to a request, makes every step a whole number. For forgetting: a full bucket equals no bucket, so full ones can go, and if the map is kept in order of last use a few per request from the front are enough. The fourth, the long-run count, I expect to disappear with whole numbers.",
    action: edit("16-whole-numbers"),
    append: {
      decisions: [
        {
          id: "D11",
          title: "Count in whole parts, forget full buckets",
          choice:
            "60,000 parts per request, perMinute parts come back per millisecond; up to 4 full buckets forgotten per take, stalest first.",
          reasons: ["Retry-After is exact", "Memory is bounded without a timer (R7)"],
        },
      ],
    },
  },
  {
    phase: limit,
    thought: "Again.",
    action: run(testOf("rate-limit"), { output: "24-limiter-test-2", exitCode: 1, ms: 1_850 }),
    set: { testResults: { command: "node --test test/rate-limit.test.ts", passed: 7, failed: 1 } },
  },
  {
    phase: limit,
    thought:
      "448 instead of 450 at 45 a minute, so rounding was not the reason. What is? One request per 1,333.3 ms, the test looks every 10 ms, so a request goes at 1,340 and the 6.7 ms beyond full are lost, because with burst 1 the bucket cannot hold more than one. That is what a burst of 1 means, not a fault: the expectation is wrong. With room for two nothing overflows and the count has to be exact, plus the two that were there at the start. I change the test and say why in it, and do not loosen the tolerance.",
    action: edit("26-long-run-test"),
    append: {
      findings: [
        {
          id: "F26",
          text: "With burst 1 a client that polls loses what flows over between two looks. Documented default is 30, so it matters only for very small settings.",
          source: "test/rate-limit.test.ts",
        },
      ],
    },
  },
  {
    phase: limit,
    thought: "And again.",
    action: run(testOf("rate-limit"), { output: "24-limiter-test-3", ms: 1_800 }),
    set: { testResults: { command: "node --test test/rate-limit.test.ts", passed: 8, failed: 0 } },
  },
  {
    phase: limit,
    thought: "The way for Retry-After through errors and answers (F7): HttpError may carry headers, sendProblem writes them.",
    action: edit("17-problem-headers"),
  },
  { phase: limit, thought: "The two settings, with the config test.", action: edit("18-limit-settings") },
  {
    phase: limit,
    thought:
      "Wire it into the app, at the very beginning of answer(), before any work is done for the request: cheapest place to refuse. The authorization header is the key, so that the token need not be looked up first.",
    action: edit("19-limit-first-try"),
    append: {
      decisions: [
        {
          id: "D12",
          title: "Limit before anything else, keyed by the authorization header",
          choice: "limit(request) as the first line of answer().",
          reasons: ["A refused request costs nothing"],
        },
      ],
    },
  },
  {
    phase: limit,
    thought: "Check.",
    action: run("set -o pipefail; npm run check 2>&1 | grep -vE '^  ✔' | sed -n '1,95p'", { output: "25-check-3", exitCode: 1, ms: 5_100 }),
    set: { testResults: { command: "npm run check", passed: 82, failed: 4, typeErrors: 0 } },
  },
  {
    phase: limit,
    thought:
      "The walks make more than thirty calls while the fake clock stands still, so the default budget is used up: correct behaviour, wrong test set-up. The helper turns the limit off unless a test asks for it. I should not raise the default to make tests pass.",
    action: edit("20-tests-without-limit"),
  },
  {
    phase: limit,
    thought:
      "Now tests over HTTP, straight from the requirements R5 to R7: budget per owner and not per token, health never limited, guesses limited by address and without harm to the owner, unknown routes charged, off at 0. Writing them I already doubt D12: the key is the raw header, so each token has its own budget, each guess gets a fresh bucket, and health without a header shares one bucket with every anonymous caller.",
    action: create("test/limits.test.ts"),
  },
  {
    phase: limit,
    thought: "See how wrong it is.",
    action: run(testOf("limits"), { output: "26-limits-test-1", exitCode: 1, ms: 820 }),
    set: { testResults: { command: "node --test test/limits.test.ts", passed: 5, failed: 4 } },
  },
  {
    phase: limit,
    thought:
      "As feared: D12 violates R5, R6 and R7 at once. In order: open routes pass first; then authentication; then the owner's budget. Failed authentication is charged to the address, in a second limiter. That is enough logic for a module of its own, limits.ts, which leaves app.ts with two calls. Looking a token up costs one indexed read, some ten microseconds; not a reason to key by the header.",
    action: create("src/http/limits.ts"),
    append: {
      decisions: [
        {
          id: "D13",
          title: "Charge owners after authentication, addresses for failures",
          supersedes: "D12",
          choice: "limits.guard(address, authenticate) and limits.charge(ownerId); open routes before both.",
          reasons: [
            "R5: a budget per owner, whatever the number of tokens",
            "R6: health before everything",
            "R7: guesses share the address's bucket, full buckets are forgotten",
          ],
          rejected: [
            {
              option: "Also refuse good tokens from an address that guesses",
              because: "one forgotten script would lock out a household behind one address",
            },
          ],
        },
      ],
    },
    put: {
      scratch: {
        mistakes: [
          {
            decision: "D7",
            what: "Wrote a migration that changes a column's type before reading the decision record about that column",
            lesson: "A finding that says 'read X before changing Y' is a gate, not a note",
          },
          {
            decision: "D12",
            what: "Chose the key of the limiter for its cost and not for its meaning",
            lesson: "Write the tests from the requirements before wiring",
          },
        ],
      },
    },
  },
  { phase: limit, thought: "And the app uses it.", action: edit("21-limit-by-owner") },
  {
    phase: limit,
    thought: "Types and the limit tests.",
    action: run(`npm run typecheck && ${testOf("limits", "rate-limit", "bookmarks")}`, { output: "27-limits-test-2", ms: 3_900 }),
    set: { testResults: { command: "limits, rate-limit, bookmarks", passed: 27, failed: 0, typeErrors: 0 } },
  },
  {
    phase: limit,
    thought: "Read app.ts as it is now, from top to bottom: I changed the order of things in it and edits hide that.",
    action: read("src/app.ts", "src/http/limits.ts"),
  },
  {
    phase: limit,
    thought:
      "The code is right but the comment of guard() is not: it says that nothing more is tried for an address that failed too often, while authentication is tried first and only a failure is refused. That is deliberate (a good token still works from that address), so the comment has to say it. One more point: remoteAddress behind a proxy is the proxy. I leave that as a question for the owner of the service and do not invent a trust setting.",
    action: edit("22-honest-comment"),
    set: {
      openQuestions: questions(
        {},
        {
          id: "Q3",
          text: "Behind a reverse proxy all guesses come from one address. Should X-Forwarded-For be trusted from configured proxies? Not needed for the present deployment (README: one machine, 127.0.0.1).",
          status: "open, for the owner",
        },
      ),
    },
  },
  {
    phase: limit,
    thought:
      "Try the real thing with curl: a real clock, a real process, small limits. I want to see the headers and the supervisor's health call.",
    action: run(
      'export SHELFMARK_DB=:memory: SHELFMARK_PORT=4981 SHELFMARK_RATE_PER_MINUTE=30 SHELFMARK_RATE_BURST=3 SHELFMARK_LOG=warn\nnode --disable-warning=ExperimentalWarning src/main.ts > /tmp/out.txt & pid=$!\nfor n in 1 2 3 4 5 6 7 8 9 10; do curl -sf http://127.0.0.1:4981/health > /dev/null && break; sleep 0.2; done\ntoken=$(sed -n \'s/^token for owner home: //p\' /tmp/out.txt)\ncurl -s -o /dev/null -w \'%{http_code} \' -H "authorization: Bearer $token" --json \'{"url":"https://example.test/味噌汁","title":"味噌汁の作り方"}\' http://127.0.0.1:4981/bookmarks\nfor n in 1 2 3; do curl -s -o /dev/null -w \'%{http_code} \' -H "authorization: Bearer $token" http://127.0.0.1:4981/bookmarks; done; echo\ncurl -si -H "authorization: Bearer $token" http://127.0.0.1:4981/bookmarks | grep -vi \'^\\(date\\|x-request-id\\|connection\\|keep-alive\\)\'; echo\ncurl -s -w \' %{http_code}\\n\' http://127.0.0.1:4981/health\nsleep 2.1; curl -s -o /dev/null -w \'%{http_code} after waiting\\n\' -H "authorization: Bearer $token" http://127.0.0.1:4981/tags\nkill -TERM $pid; wait $pid; echo "exit $?"',
      { output: "28-curl", ms: 3_400 },
    ),
  },
  {
    phase: limit,
    thought: "Works outside the tests too, Retry-After: 2 at 30 a minute is right. Records and documents.",
    action: create("docs/decisions/0006-request-budgets.md"),
  },
  { phase: limit, thought: "The API document, README and changelog.", action: edit("23-docs-limits") },
  {
    phase: limit,
    thought: "Everything, then commit.",
    action: run(
      "npm run check 2>&1 | grep -vE '^  ✔' && git add -A && git commit -q -F - <<'EOF'\n✨ give every owner a request budget\n\nThe store is synchronous, so one script in a loop made the service slow\nfor everybody. A token bucket per owner, charged after authentication,\nand one per address for failed authentication. Health is never limited:\nthe supervisor would restart us. 🪣\nEOF\ngit show --stat --format='%h %s' HEAD",
      { output: "29-commit-limits", ms: 5_600 },
    ),
    set: {
      testResults: { command: "npm run check", passed: 95, failed: 0, typeErrors: 0 },
      plan: plan({ P4: { status: "done", notes: "committed" }, P5: { status: "in-progress", notes: "measure again with limits on" } }),
    },
    put: {
      scratch: {
        commits: {
          pagination: ["🐛 give every stored time the same shape", "✨ page through bookmarks by cursor"],
          limits: ["✨ give every owner a request budget"],
        },
      },
    },
  },
];
