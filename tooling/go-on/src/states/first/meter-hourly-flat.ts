import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const day = (i: number): string => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);

const runs: Record<string, string> = Object.fromEntries(
  many(501, 66, (i, pick, whole) => {
    const read = 3_400_000 + whole(90_000);
    const rejected = whole(15_000);
    return [
      `r_${day(i).replaceAll("-", "")}`,
      `ok rows=${read} rej=${rejected} (${((100 * rejected) / read).toFixed(2)}%) sec=${300 + whole(220)} wrk=${pick([4, 4, 4, 6])}`,
    ];
  }),
);

const sqls: Record<string, string> = Object.fromEntries(
  many(502, 14, (i, pick, whole) => [
    `q${String(i + 1).padStart(2, "0")}_${pick(["chk", "agg", "tmp", "cmp"])}`,
    `select ${pick(["vendor", "region", "dso_area", "meter_type"])}, count(*) n, sum(kwh) s from ${pick(["stg_readings_raw", "mtr_hourly_new", "mtr_hourly", "ref_meter"])} where ts >= '${day(whole(89))}' and ts < '${day(whole(89))}' group by 1 order by ${1 + whole(3)} -- ${whole(900)} ms`,
  ]),
);

const logLines = many(
  503,
  170,
  (i, pick, whole) =>
    `${String(13 + Math.floor(i / 80)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} ${pick(["INFO", "INFO", "INFO", "WARN", "DEBUG"])} ${pick(["loader", "merge", "agg", "s3", "pool"])} ${pick(
      [
        `part ${day(whole(89))} chunk ${whole(64)}/64 done`,
        `fetched ${pick(["VA", "VB", "VC"])}_${day(whole(66)).replaceAll("-", "")}.csv.gz ${200 + whole(700)} MB`,
        `slow query ${1000 + whole(9000)} ms`,
        `reject meter=${100_000 + whole(800_000)} reason=${pick(["NEG", "GAP", "FUTURE", "NOREF"])}`,
        `pool in use ${whole(4)}/4`,
        "vacuum skipped, lock held",
      ],
    )}`,
);

/** A data pipeline agent's flat notes on rebuilding hourly meter consumption, stopped by a duplicate key on one day in March. */
export const state: WorkingState = {
  name: "meter-hourly-flat",
  language: "en",
  kind: "data pipeline; flat keys with odd names",
  focus: "fix 8 March and continue the backfill",
  human:
    "Rebuild mtr_hourly for Jan to Mar 2026 from the raw meter readings, so that finance can close Q1 on 20 April. Never truncate stg_readings_raw, the originals on S3 have expired. Do not rerun 2026-02-17: already invoiced, frozen. DST day 29 March has 23 hours, don't interpolate. Vendor C (VC) sends Wh, not kWh, since 1 Feb: divide by 1000. A day with more than 0.5% rejects does not get published. Stopped at 2026-03-08: duplicate key (meter_id, ts), because vendor B resent the file as VB_20260308_r2.csv.gz. Next: dedupe keeping the highest seq_no, reload 03-08; then backfill 03-09 to 03-31 with at most 4 workers. Open: tariff for 31 meters with code ZZ, ask Oksana. Latest (Tomas, 16:40): read from wh-ro-3 port 6432, wh-ro-1 lags.",
  questions: [
    { q: "What is being rebuilt and until when?", kind: "goal", answer: ["mtr_hourly", "20 Apr"] },
    {
      q: "What must not happen to the staging table?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|NEVER|[Dd]o not|[Dd]ont|[Dd]on't)[\\s\\S]{0,60}?(?:truncate|TRUNCATE)[\\s\\S]{0,30}?stg_readings_raw|stg_readings_raw[\\s\\S]{0,60}?(?:never|not|NEVER)",
      ],
    },
    {
      q: "Which day must not be rerun?",
      kind: "prohibition",
      answer: ["(?:[Dd]o not|[Dd]ont|[Dd]on't|[Nn]ever|not)[\\s\\S]{0,40}?2026-02-17|2026-02-17[\\s\\S]{0,80}?(?:frozen|invoiced|not be)"],
    },
    { q: "What about the DST day?", kind: "decision", answer: ["23 h(?:ours|rs)?[\\s\\S]{0,80}?interpolat|interpolat[\\s\\S]{0,80}?23 h"] },
    { q: "What stopped the run?", kind: "error", answer: ["duplicate key", "VB_20260308_r2"] },
    { q: "How to dedupe?", kind: "next", answer: ["highest seq_no|seq_no[\\s\\S]{0,40}?highest"] },
    {
      q: "What after that and how many workers?",
      kind: "next",
      answer: ["03-31[\\s\\S]{0,60}?(?:4 workers|4 wrk|max 4)|(?:4 workers|4 wrk|max 4)[\\s\\S]{0,60}?03-31"],
    },
    { q: "What to ask Oksana?", kind: "todo", answer: ["Oksana[\\s\\S]{0,120}?ZZ|ZZ[\\s\\S]{0,120}?Oksana"] },
    { q: "Which host to read from now?", kind: "recent", answer: ["wh-ro-3", "6432"] },
    { q: "Which unit does vendor C send?", kind: "fact", answer: ["(?:[Vv]endor C|VC)[\\s\\S]{0,40}?Wh[\\s\\S]{0,80}?1000"] },
  ],
  context: {
    ver: 3,
    jobId: "mh-rebuild-26q1",
    wozu: "rebuild mtr_hourly (Jan-Mar 2026) out of raw readings, finance closes Q1 on 20 April and the old hourly table double counts vendor B",
    src_tbl: "stg_readings_raw",
    tgtTbl: "mtr_hourly_new -> swap to mtr_hourly at the end",
    n_parts: 90,
    n_ok: 66,
    n_left: 24,
    curPart: "2026-03-08",
    wrk: 4,
    wrk_old: 6,
    rejPctMax: 0.5,
    rejPctMax_txt: "over 0.5% rejects in a day = dont publish that day, tell Tomas",
    hst: "wh-ro-1",
    prt: 5432,
    DONT_1: "never TRUNCATE stg_readings_raw. S3 lifecycle already ate the originals, this is the only copy left",
    nb2: "2026-02-17 is frozen, already invoiced (correction run by hand). do not rerun it, skip flag is set in ref_day but loader ignores the flag when --from is given!!",
    ...Object.fromEntries(Object.entries(runs).slice(0, 31)),
    hinweis_3:
      "VC sends Wh instead of kWh since 2026-02-01 -> divide by 1000. not in their changelog, found because Gotland used more than Stockholm",
    dcsn_aggKey: "agg by (meter_id, date_trunc hour in UTC), local time only in the view",
    dcsn_dst: "29 March has 23 hours local. leave it at 23 hours, no interpolation, finance agreed (was: fill with mean, dropped)",
    dcsn_engine: "stay in SQL, no spark",
    ...Object.fromEntries(Object.entries(runs).slice(31)),
    ...sqls,
    lstErr:
      'ERROR: duplicate key value violates unique constraint "mtr_hourly_new_pk" DETAIL: Key (meter_id, ts)=(418822, 2026-03-08 04:00:00+00) already exists. CONTEXT: COPY mtr_hourly_new_p20260308, line 1193044',
    lstErr_why:
      "vendor B resent the whole day as VB_20260308_r2.csv.gz, both files are in staging. r2 has corrected values for 1 300 meters, rest identical",
    lstErr_n: 3,
    nxt1: "dedupe 03-08 in staging VIEW (not table): keep row with highest seq_no per meter_id+ts, then reload 03-08",
    nxt2: "backfill 03-09..03-31, max 4 workers (6 blocked the invoicing people)",
    nxt3_maybe: "swap tables in one transaction, keep old as mtr_hourly_bak_26q1",
    tbd7: "31 meters carry tariff code ZZ, not in ref_tariff. ask Oksana which tariff, w/o that their cost col stays null",
    tbd6_done: "region map for new DSO areas (Oksana sent it 2 Apr)",
    tbd5_done: "index on ref_meter(valid_from)",
    lg_tail: logLines,
    mv_spd: "3.4M rows / 5-8 min per day",
    msg_01: "Tomas 09:12: go ahead w 6 workers, nobody on it today",
    msg_02: "Tomas 11:05: pls 4 not 6, invoicing is crawling",
    msg_03: "Oksana 13:30: region map attached, rest later",
    msg_last: "Tomas 16:40: wh-ro-1 lags 40 min behind, read from wh-ro-3 instead, goes through the bouncer so port 6432 not 5432",
    zz_tmp: null,
    updAt: "2026-04-09T16:44:10Z",
  },
};
