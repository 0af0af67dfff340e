import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

function plan(seed: number, count: number): string {
  return many(seed, count, (index, pick, whole) => {
    const node = pick([
      "Nested Loop",
      "Hash Join",
      "Index Scan using bookings_pkey on bookings b",
      "Seq Scan on rate_plans rp",
      "Bitmap Heap Scan on bookings b",
      "Materialize",
      "Sort",
      "Index Only Scan using rooms_hotel_idx on rooms r",
    ]);
    const cost = whole(90000) / 100;
    return `${" ".repeat((index % 9) * 2)}->  ${node}  (cost=${cost.toFixed(2)}..${(cost + whole(400000) / 100).toFixed(2)} rows=${1 + whole(48000)} width=${8 + whole(120)}) (actual time=${(whole(9000) / 1000).toFixed(3)}..${(9 + whole(1900000) / 1000).toFixed(3)} rows=${whole(51000)} loops=${1 + whole(30)})\n${" ".repeat((index % 9) * 2 + 6)}Buffers: shared hit=${whole(90000)} read=${whole(22000)}`;
  }).join("\n");
}

function statements(seed: number, count: number): string {
  return many(seed, count, (_i, pick, whole) => {
    const text = pick([
      "SELECT r.room_id FROM rooms r LEFT JOIN bookings b ON ...",
      "INSERT INTO bookings (hotel_id, room_id, stay) VALUES ($1,$2,$3)",
      "UPDATE housekeeping SET state = $1 WHERE room_id = $2",
      "SELECT count(*) FROM bookings WHERE hotel_id = $1 AND status <> $2",
      "SELECT * FROM rate_plans WHERE valid @> $1",
      "DELETE FROM holds WHERE expires < now()",
    ]);
    return ` ${String(whole(90000000)).padStart(9)} | ${String(1 + whole(400000)).padStart(7)} | ${(whole(2500000) / 1000).toFixed(3).padStart(9)} | ${text}`;
  }).join("\n");
}

function serverLog(seed: number, count: number): string {
  return many(
    seed,
    count,
    (_i, pick, whole) =>
      `2025-02-11 02:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}.${String(whole(1000)).padStart(3, "0")} CET [${20000 + whole(9000)}] ${pick(["LOG:  checkpoint complete: wrote", 'LOG:  automatic analyze of table "resv.public.holds": pages', "LOG:  duration: 1822.114 ms  execute S_4: SELECT", 'LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp.7", size'])} ${whole(200000)}`,
  ).join("\n");
}

/** A database agent that speeds up the availability query of a hotel group and stopped after a failed index build. */
export const state: WorkingState = {
  name: "availability-query-tuning",
  language: "en",
  kind: "Anthropic messages with thinking and todo calls under conversation, beside todos and memory",
  focus: "rebuild the failed index on bookings and measure again",
  human:
    "Goal: p95 of /availability from 2.4 s to below 300 ms by Thursday 18:00, cluster resv. Front desks write all day: never take an exclusive lock on bookings (no VACUUM FULL, no plain CREATE INDEX). work_mem must not be changed globally, payroll shares the cluster: only ALTER ROLE avail_ro. Decided: partial index on status = 'live'; BRIN dropped (correlation 0.11). Error: CREATE INDEX CONCURRENTLY was killed by a deadlock with pg_dump at 02:14 and left an INVALID idx_bookings_live2. Next: DROP INDEX CONCURRENTLY idx_bookings_live2, build again after 03:40 when the dump has ended. Then ANALYZE with statistics target 1000 on room_class. In progress: extended statistics on (hotel_id, room_class). All indexes together at most 6 GB. Accept with bench/avail.sh -c 24 -T 300. Last from Priya: migration file is V212, Tomas has V211.",
  questions: [
    { q: "What is to be reached, by when?", answer: ["300 ms", "Thursday[\\s\\S]{0,12}?18:00"], kind: "goal" },
    {
      q: "Which lock is forbidden on bookings?",
      answer: [
        "(?:[Nn]ever|[Nn]o|must not)[\\s\\S]{0,60}?exclusive lock|exclusive lock[\\s\\S]{0,60}?(?:never|not|forbidden)",
        "VACUUM FULL",
      ],
      kind: "prohibition",
    },
    {
      q: "How may work_mem be changed, and how not?",
      answer: ["work_mem[\\s\\S]{0,100}?(?:not|never)|(?:not|[Nn]ever)[\\s\\S]{0,100}?work_mem", "avail_ro"],
      kind: "prohibition",
    },
    {
      q: "Which index was chosen, and which was dropped?",
      answer: ["[Pp]artial index", "BRIN[\\s\\S]{0,100}?(?:drop|0\\.11|correlation)|(?:drop|0\\.11|correlation)[\\s\\S]{0,100}?BRIN"],
      kind: "decision",
    },
    { q: "Why did the build fail?", answer: ["deadlock[\\s\\S]{0,160}?pg_dump|pg_dump[\\s\\S]{0,160}?deadlock"], kind: "error" },
    { q: "What has to be removed first, and how?", answer: ["DROP INDEX CONCURRENTLY[\\s\\S]{0,40}?idx_bookings_live2"], kind: "next" },
    { q: "When may the index be built again?", answer: ["(?:after|start at) 03:40"], kind: "next" },
    { q: "What is in progress?", answer: ["[Ee]xtended statistics[\\s\\S]{0,60}?room_class"], kind: "todo" },
    { q: "Which number has the migration?", answer: ["V212"], kind: "recent" },
    { q: "How is it accepted?", answer: ["avail\\.sh -c 24 -T 300"], kind: "fact" },
  ],
  context: {
    agent: "dba-assist",
    schema_version: 3,
    conversation: [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "Good morning! Priya here, from the reservations platform. Our /availability endpoint is at a p95 of 2.4 s and the new booking engine partner will only go live with us if it is below 300 ms. They test on Thursday at 18:00, so by Thursday 18:00 it has to be there. Cluster is resv, you have psql on the primary and on replica r2. One thing upfront, because the last consultant did it: front desks write round the clock, so never take an exclusive lock on bookings. That means no VACUUM FULL, no plain CREATE INDEX, no ALTER TABLE that rewrites.",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "thinking",
            thinking:
              "The usual order: find the statement, look at the plan, look at the statistics. She gave a hard limit on locking. I should put this into memory. Let me first see pg_stat_statements.",
            signature: "c2ln",
          },
          { type: "text", text: "I start with pg_stat_statements and the plan on r2." },
          {
            type: "tool_use",
            id: "toolu_a1",
            name: "psql",
            input: {
              host: "r2",
              sql: "select total_exec_time, calls, mean_exec_time, query from pg_stat_statements order by 1 desc limit 60",
            },
          },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a1", content: statements(901, 60) }] },
      {
        role: "assistant",
        content: [
          {
            type: "thinking",
            thinking:
              "The LEFT JOIN on bookings dominates. Let me get the plan. Only 4 % of the rows are live; the rest is history. So a partial index would be small. BRIN might be even smaller, if physical order follows the date.",
            signature: "c2ln",
          },
          {
            type: "tool_use",
            id: "toolu_a2",
            name: "psql",
            input: { host: "r2", sql: "explain (analyze, buffers) select r.room_id from rooms r left join bookings b on ..." },
          },
          {
            type: "tool_use",
            id: "toolu_a3",
            name: "TodoWrite",
            input: {
              todos: [
                { content: "Find statement", status: "completed" },
                { content: "Plan on r2", status: "in_progress" },
                { content: "Try BRIN on stay", status: "pending" },
                { content: "Benchmark", status: "pending" },
              ],
            },
          },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_a2", content: plan(902, 70) },
          { type: "tool_result", tool_use_id: "toolu_a3", content: "Todos have been modified successfully." },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "I built a BRIN index on a copy. It is tiny but useless: the planner reads 71 % of the heap, correlation of stay is only 0.11. Raising work_mem to 256MB takes the sort out of temp files, should I set that in postgresql.conf?",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "Please don't! Payroll shares the cluster and ran out of memory last year because of exactly that. work_mem must not be changed globally. If you need it, ALTER ROLE avail_ro SET work_mem, that role is only used by the endpoint. And disk is tight as well, all new indexes together may take 6 GB at most.",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "thinking",
            thinking:
              "So BRIN is out. Partial index on status = 'live' with (hotel_id, room_class, stay). Estimated 1.9 GB. And role-level work_mem. Build concurrently at night.",
            signature: "c2ln",
          },
          {
            type: "text",
            text: "Agreed. BRIN dropped because of the correlation of 0.11. I go for a partial index on bookings (hotel_id, room_class, stay) where status = 'live', about 1.9 GB, built concurrently tonight at 02:05, and work_mem 128MB for avail_ro only.",
          },
          {
            type: "tool_use",
            id: "toolu_a4",
            name: "psql",
            input: {
              host: "primary",
              sql: "alter role avail_ro set work_mem = '128MB'; create index concurrently idx_bookings_live2 on bookings (hotel_id, room_class, stay) where status = 'live'",
            },
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_a4",
            is_error: true,
            content: `ALTER ROLE\n${serverLog(903, 120)}\n2025-02-11 02:14:37.402 CET [21877] ERROR:  deadlock detected\n2025-02-11 02:14:37.402 CET [21877] DETAIL:  Process 21877 waits for ShareLock on virtual transaction 14/99120; blocked by process 21403 (pg_dump --jobs=4 resv).\n2025-02-11 02:14:37.402 CET [21877] STATEMENT:  create index concurrently idx_bookings_live2 ...\n${serverLog(904, 50)}\nINVALID: "idx_bookings_live2" btree (hotel_id, room_class, stay) WHERE status = 'live'`,
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "thinking",
            thinking:
              "The concurrent build waited for the snapshot of the nightly dump. An invalid index remains, it costs writes and is not used. I must drop it concurrently, not with a plain DROP INDEX, since that takes the forbidden lock. From cron: the dump starts 02:00 and according to the history of four weeks it has always ended before 03:35. So start at 03:40.",
            signature: "c2ln",
          },
          {
            type: "text",
            text: "The build deadlocked with the nightly pg_dump and left an invalid index. Plan: DROP INDEX CONCURRENTLY idx_bookings_live2, then build again after 03:40, when the dump has ended. Meanwhile I prepare the statistics, because the planner believes hotel and room class to be independent.",
          },
          {
            type: "tool_use",
            id: "toolu_a5",
            name: "psql",
            input: { host: "r2", sql: "select start, stop from ops.dump_history order by 1 desc limit 28" },
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_a5",
            content: many(
              905,
              28,
              (index, _pick, whole) =>
                `2025-02-${String(28 - index).padStart(2, "0")} 02:00:0${whole(10)} | 03:${String(10 + whole(25)).padStart(2, "0")}:${String(10 + whole(49))}`,
            ).join("\n"),
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "Ok, sounds good, go ahead tonight. Two small things. Put everything into a migration, the file must be V212, because V211 is taken by Tomas. And the acceptance run of the partner is our own script, bench/avail.sh -c 24 -T 300, so please measure with exactly that and not with 8 clients like yesterday.",
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Will do: V212, and bench/avail.sh -c 24 -T 300." }] },
    ],
    todos: [
      { id: 1, content: "Find statement", status: "completed", notes: "LEFT JOIN rooms/bookings, 83 % of all time" },
      { id: 2, content: "Plan on r2", status: "completed", notes: "" },
      { id: 3, content: "Try BRIN on stay", status: "completed", notes: "useless, see talk" },
      { id: 4, content: "work_mem for avail_ro", status: "completed", notes: "128MB, done 02:05" },
      {
        id: 5,
        content: "Extended statistics on (hotel_id, room_class)",
        status: "in_progress",
        notes: "CREATE STATISTICS written, not yet run; afterwards ANALYZE bookings with statistics target 1000 on room_class",
      },
      { id: 6, content: "Partial index, second attempt", status: "pending", notes: "" },
      { id: 7, content: "Benchmark and hand over", status: "pending", notes: "" },
    ],
    memory: {
      facts: [
        "bookings 212 M rows, 4 % live",
        "primary 16 cores, 128 GB",
        "r2 lags up to 40 s during the dump",
        "autovacuum on bookings: scale factor 0.02",
      ],
      benchmarks: many(906, 90, (index, pick, whole) => ({
        run: index + 1,
        clients: pick([4, 8, 8, 16]),
        p50_ms: 300 + whole(500),
        p95_ms: 1900 + whole(800),
        tps: 20 + whole(60),
        variant: pick(["baseline", "baseline", "brin", "work_mem 64MB", "work_mem 128MB", "jit off"]),
      })),
      settings: many(
        907,
        60,
        (_i, pick, whole) =>
          `${pick(["autovacuum", "checkpoint", "effective", "max", "wal", "bgwriter", "random"])}_${pick(["timeout", "cost", "workers", "cache_size", "limit", "delay", "level"])} = ${whole(5000)}`,
      ),
    },
    last_saved: "2025-02-11T16:20:41+01:00",
  },
};
