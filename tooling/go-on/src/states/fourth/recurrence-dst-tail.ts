import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const files = [
  "expand.ts",
  "rule-parser.ts",
  "exdate.ts",
  "walltime.ts",
  "iso-week.ts",
  "export/csv.ts",
  "export/ics.ts",
  "index.ts",
] as const;
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Asia/Tokyo",
  "Australia/Sydney",
  "Africa/Casablanca",
  "Pacific/Auckland",
] as const;

function grepOutput(seed: number, count: number): string {
  return many(seed, count, (_i, pick, whole) => {
    const use = pick([
      "const next = addWallMinutes(cur, step);",
      "import { offsetAt } from '../generated/tzdata';",
      "// TODO(old): offsetAt is slow for far future years",
      "return offsetAt(zone, instant) / 60;",
      "if (isGap(zone, wall)) return shiftForward(zone, wall);",
      "expect(offsetAt('Europe/Berlin', t)).toBe(120);",
      "export function shiftForward(zone: Zone, wall: Wall): Instant {",
    ]);
    return `packages/recur/${pick(["src", "src", "test"])}/${pick(files)}:${20 + whole(380)}:  ${use}`;
  }).join("\n");
}

function vitestRun(seed: number, count: number, tail: string): string {
  const lines = many(seed, count, (_i, pick, whole) => {
    const what = pick([
      "keeps count with UNTIL",
      "skips EXDATE on a shifted day",
      "monthly BYDAY=-1SU",
      "yearly Feb 29",
      "interval 2 weekly",
      "RDATE merges in order",
      "all-day stays all-day",
    ]);
    return ` ✓ test/${pick(["expand", "exdate", "walltime", "ics"])}.spec.ts > ${pick(zones)} > ${what} #${whole(90)} ${1 + whole(40)}ms`;
  });
  return ["$ pnpm vitest run", " RUN  v1.6.0 /repo/packages/recur", "", ...lines, tail].join("\n");
}

function directory(seed: number, count: number): string {
  return many(
    seed,
    count,
    (_i, pick, whole) =>
      `-rw-r--r-- 1 dev dev ${String(400 + whole(90000)).padStart(7)} ${pick(["Feb", "Mar", "Apr"])} ${String(1 + whole(28)).padStart(2)} ${String(whole(24)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} fixtures/${pick(["sup", "qa", "fuzz"])}-${1000 + whole(1200)}.${pick(["ics", "ics", "json"])}`,
  ).join("\n");
}

const firstDiff = `diff --git a/packages/recur/src/expand.ts b/packages/recur/src/expand.ts
index 81c02fa..b2d9910 100644
--- a/packages/recur/src/expand.ts
+++ b/packages/recur/src/expand.ts
@@ -188,9 +188,9 @@ export function* expand(rule: Rule, zone: Zone): Generator<Instant> {
-  let cur = toWall(zone, rule.dtstart);
-  const last = toWall(zone, rule.until);
+  let cur = rule.dtstart;
+  const last = rule.until;
   while (cur <= last) {
-    yield toInstant(zone, cur);
-    cur = addWallMinutes(cur, step);
+    yield cur;
+    cur = addUtcMinutes(cur, step);
   }
 }`;

const secondDiff = `diff --git a/packages/recur/src/expand.ts b/packages/recur/src/expand.ts
index 81c02fa..f00c7d4 100644
--- a/packages/recur/src/expand.ts
+++ b/packages/recur/src/expand.ts
@@ -186,12 +186,17 @@ export function* expand(rule: Rule, zone: Zone): Generator<Instant> {
   let cur = toWall(zone, rule.dtstart);
-  const last = toWall(zone, rule.until);
-  while (cur <= last) {
-    yield toInstant(zone, cur);
+  for (;;) {
+    const at = toInstant(zone, cur);
+    if (at > rule.until) return;
+    yield at;
     cur = addWallMinutes(cur, step);
   }
 }
@@ -205,6 +210,10 @@ function resolveOverlap(zone: Zone, wall: Wall): Instant {
   const early = toInstant(zone, wall);
+  // the second pass through the hour
+  const late = early + 60 * MINUTE;
+  return rule.fold === 1 ? late : early;
 }`;

/** A coding agent that fixes a recurrence bug around daylight saving time and stopped at one red test. */
export const state: WorkingState = {
  name: "recurrence-dst-tail",
  language: "en",
  kind: "OpenAI chat messages of a coding agent, tool outputs with diffs and test runs",
  focus: "make the Lord Howe test pass, then the PR",
  human:
    "Branch fix/dst-tail: weekly export drops the last occurrence when DST ends; to ship as 4.8.1, green on node 20 and 22. Never edit src/generated/tzdata.ts by hand (regenerated). No push to main, no force push; draft PR against release/4.x, reviewer Mirjam. Decided: step in wall clock time and compare instants; UTC stepping reverted because all-day events moved. Red: Australia/Lord_Howe overlap test, expected 01:30, received 02:00; expand.ts:212 adds a fixed 60 minutes, Lord Howe shifts by 30. Next: replace it by offsetAt(before) - offsetAt(after), then run both node versions with --pool=forks (node 20 hangs otherwise). Then add fixtures/sup-2291.ics as regression test (user, last). Changelog entry waits for Ben's wording. Todo still open: exdate.ts has the same comparison with UNTIL.",
  questions: [
    { q: "What is to be fixed, and in which version does it ship?", answer: ["last occurrence", "4\\.8\\.1"], kind: "goal" },
    {
      q: "Which file must not be edited by hand?",
      answer: ["(?:[Nn]ever|[Dd]on'?t|[Dd]o not|no hand)[\\s\\S]{0,80}?tzdata|tzdata[\\s\\S]{0,80}?(?:never|by hand|not edit)"],
      kind: "prohibition",
    },
    {
      q: "What must not be done with git?",
      answer: ["(?:[Nn]o|[Nn]ever|[Dd]on'?t) push(?:es)? to main", "(?:no|never|nor|or)[\\s\\S]{0,12}?force[ -]?push"],
      kind: "prohibition",
    },
    {
      q: "How does the expansion step, and what was given up?",
      answer: [
        "(?:wall[- ]clock|wall time)",
        "UTC stepping[\\s\\S]{0,120}?(?:revert|all-day)|(?:revert|all-day)[\\s\\S]{0,120}?UTC stepping",
      ],
      kind: "decision",
    },
    {
      q: "Which test is red, and with what?",
      answer: ["Lord_Howe", "01:30[\\s\\S]{0,120}?02:00|02:00[\\s\\S]{0,120}?01:30"],
      kind: "error",
    },
    {
      q: "What replaces the fixed hour, and where?",
      answer: ["expand\\.ts:212", "offsetAt\\(before\\) ?- ?offsetAt\\(after\\)"],
      kind: "next",
    },
    { q: "With which option must the tests run on node 20?", answer: ["--pool=forks"], kind: "fact" },
    { q: "Which fixture did the user ask for last?", answer: ["sup-2291"], kind: "recent" },
    {
      q: "Against which branch, and what sort of PR?",
      answer: ["draft[\\s\\S]{0,60}?release/4\\.x|release/4\\.x[\\s\\S]{0,60}?draft"],
      kind: "next",
    },
    {
      q: "Which other file has the same fault and is still open?",
      answer: ["exdate\\.ts[\\s\\S]{0,120}?(?:same|UNTIL)|(?:same|UNTIL)[\\s\\S]{0,120}?exdate\\.ts"],
      kind: "todo",
    },
  ],
  context: {
    id: "run_7f3c1b",
    model: "gpt-large-code",
    temperature: 0.2,
    max_turns: 60,
    turn: 23,
    workspace: "/repo/packages/recur",
    usage: { prompt_tokens: 181220, completion_tokens: 9120, cached_tokens: 150200 },
    messages: [
      {
        role: "system",
        content:
          "You are a coding agent in a monorepo. You have the tools shell, apply_patch and read_file. Keep patches small, run the tests after each patch, explain in two sentences what you did. Answer in the language of the user.",
      },
      {
        role: "user",
        content:
          "hi. weekly export drops the last occurrence of a series when DST ends inside the series. fix it on branch fix/dst-tail, has to be green on node 20 AND 22, ships as 4.8.1 in the 4.x line (customers are on that, not on 5 yet)\n\ntwo things before you start\n- src/generated/tzdata.ts is regenerated every night from the iana files, so never edit it by hand even if it looks like the place\n- no push to main, no force push anywhere. we had that in january",
      },
      {
        role: "assistant",
        content: "Understood. I look for every place that compares an occurrence with UNTIL.",
        tool_calls: [
          {
            id: "call_01",
            type: "function",
            function: {
              name: "shell",
              arguments: '{"cmd":"git switch -c fix/dst-tail && rg -n \'offsetAt|addWallMinutes|isGap\' packages/recur"}',
            },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_01", content: grepOutput(811, 74) },
      {
        role: "assistant",
        content:
          "The loop in expand() compares wall times, and at the end of DST the last wall time is one hour 'later' than UNTIL. I try stepping in UTC.",
        tool_calls: [
          { id: "call_02", type: "function", function: { name: "apply_patch", arguments: JSON.stringify({ patch: firstDiff }) } },
        ],
      },
      { role: "tool", tool_call_id: "call_02", content: "Done. 1 file changed, 5 insertions(+), 5 deletions(-)" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_03", type: "function", function: { name: "shell", arguments: '{"cmd":"pnpm vitest run"}' } }],
      },
      {
        role: "tool",
        tool_call_id: "call_03",
        content: vitestRun(
          812,
          60,
          " ❯ test/expand.spec.ts > Europe/Berlin > all-day stays all-day\n   AssertionError: expected '2023-10-30T23:00Z' to be '2023-10-31T00:00+01:00'\n\n Test Files  1 failed | 3 passed (4)\n      Tests  6 failed | 214 passed (220)",
        ),
      },
      { role: "user", content: "nope, thats the thing we had in 3.x, every all-day event is on the wrong day in winter then" },
      {
        role: "assistant",
        content:
          "Right. I have reverted UTC stepping because all-day events moved. Instead: step in wall clock time as before, convert each occurrence to an instant, and compare instants with UNTIL.",
        tool_calls: [
          { id: "call_04", type: "function", function: { name: "apply_patch", arguments: JSON.stringify({ patch: secondDiff }) } },
        ],
      },
      { role: "tool", tool_call_id: "call_04", content: "Done. 1 file changed, 9 insertions(+), 4 deletions(-)" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_05", type: "function", function: { name: "shell", arguments: '{"cmd":"fnm use 20 && pnpm vitest run"}' } },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_05",
        content: "$ pnpm vitest run\n RUN  v1.6.0 /repo/packages/recur\n\n(no output for 300 s)\nkilled: timeout",
      },
      {
        role: "user",
        content: "ah yes node 20 hangs with the thread pool since the icu update. always pass --pool=forks there, ci does it too",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_06",
            type: "function",
            function: { name: "shell", arguments: '{"cmd":"fnm use 20 && pnpm vitest run --pool=forks"}' },
          },
          { id: "call_07", type: "function", function: { name: "shell", arguments: '{"cmd":"ls -l fixtures | sort -k9"}' } },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_06",
        content: vitestRun(
          813,
          95,
          " ❯ test/walltime.spec.ts > Africa/Casablanca > Ramadan pair\n   AssertionError: expected 29 to be 30\n\n Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 219 passed (220)",
        ),
      },
      { role: "tool", tool_call_id: "call_07", content: directory(814, 120) },
      {
        role: "assistant",
        content:
          "Casablanca was a stale snapshot (count 29 had been recorded with the bug); I updated the snapshot after checking the dates by hand. While reading I saw that exdate.ts does the same comparison with UNTIL in wall time; I noted it as open and did not touch it yet. I also added a test for Australia/Lord_Howe, since this is the only zone with a shift of half an hour.",
        tool_calls: [
          {
            id: "call_08",
            type: "function",
            function: {
              name: "shell",
              arguments:
                '{"cmd":"git commit -qam \'compare instants with UNTIL\' && pnpm vitest run --pool=forks && git log --oneline | head -40"}',
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_08",
        content:
          vitestRun(
            815,
            110,
            " ❯ test/expand.spec.ts > Australia/Lord_Howe > overlap, second pass\n   AssertionError: expected '2024-04-07T02:00+10:30' to be '2024-04-07T01:30+10:30'\n     ❯ resolveOverlap src/expand.ts:212:24\n     ❯ expand src/expand.ts:192:16\n\n Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 220 passed (221)\n\n",
          ) +
          many(
            816,
            40,
            (_i, pick, whole) =>
              `${(0x1000000 + whole(0xefffff)).toString(16)} ${pick(["chore", "fix", "docs", "test"])}: ${pick(["bump vitest", "escape commas in csv", "faster iso week", "typo in readme", "drop node 18", "rule parser accepts lower case"])}`,
          ).join("\n"),
      },
      {
        role: "assistant",
        content:
          "One red test left. expand.ts:212 adds a fixed 60 minutes for the second pass, but Lord Howe shifts by 30 only. I would replace the constant by offsetAt(before) - offsetAt(after) at the transition, then run both node versions again.",
      },
      {
        role: "user",
        content:
          "yes do that. and support (Ines) sent a file of a real customer, its in fixtures/sup-2291.ics, please make that a regression test too before the pr. pr as draft against release/4.x, reviewer mirjam. leave the changelog alone, ben has to give the wording first",
      },
    ],
    tool_choice: "auto",
    parallel_tool_calls: true,
    metadata: { repo: "cal-kit", ticket: "CAL-1906", started: "2024-05-14T08:12:09Z", last_saved: "2024-05-14T10:47:55Z" },
  },
};
