import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Item = Readonly<Record<string, unknown>>;

const TOTAL = 640;
const CURSOR = 418;
const FAILED = 310;
const SKIPPED = new Set([57, 58, 121, 203, 264, 377]);

const number = (i: number): string => `TX-${1880 + Math.floor(i / 13)}-${String((i * 7) % 1000).padStart(4, "0")}`;

const done: Item[] = many(1001, CURSOR + 1, (i, pick, whole): Item => {
  const base = { i, inv_no: number(i), part: pick(["a", "a", "a", "b", null]), batch: Math.floor(i / 50) };
  if (i === FAILED)
    return {
      ...base,
      inv_no: "TX-1904-0311",
      status: "failed",
      attempts: 3,
      http: 422,
      error: {
        code: "E_DIM_UNIT",
        path: "/dimensions/0/unit",
        message: "unit must be one of cm, mm; got 'Zoll'",
        source_value: "L 31 1/2 Zoll, B 12 Zoll",
      },
    };
  if (SKIPPED.has(i)) return { ...base, status: "skipped", reason: "on loan, loan_contract_no empty" };
  return {
    ...base,
    status: "ok",
    ms: 240 + whole(2_600),
    title: `${pick(["Damask napkin", "Sample book", "Lace collar", "Christening gown", "Silk ribbon", "Printed cotton", "Sampler", "Shawl", "Tapestry fragment", "Felt hat", "Guild banner", "Linen press cloth"])}${pick([", fragment", "", "", ", pair", ", restored"])}`,
    target_id: `kst_${(whole(0x7fffff) + 0x800000).toString(16)}${(i * 31).toString(36)}`,
    fields: { mapped: 28 + whole(9), dropped: whole(4), defaulted: whole(3) },
    images: many(2000 + i, 1 + whole(3), (k, p, w) => ({
      f: `${number(i).toLowerCase()}_${k + 1}.tif`,
      kb: 8_000 + w(40_000),
      sha: (w(0x7fffffff) + 0x10000000).toString(16),
      host: p(["img1", "img1", "img1"]),
    })),
    warnings: pick([
      [],
      [],
      [],
      ["date 'um 1890' mapped to 1885-1895"],
      ["maker not in authority file"],
      ["material 'Halbseide' mapped to silk/cotton"],
      ["location code obsolete, mapped by table"],
    ]),
  };
});

const waiting: Item[] = Array.from({ length: TOTAL - CURSOR - 1 }, (_, k) => ({
  i: CURSOR + 1 + k,
  inv_no: number(CURSOR + 1 + k),
  status: "pending",
}));

const trace = many(
  1003,
  48,
  (i, pick, whole) =>
    `2025-11-19T${String(9 + Math.floor(i / 12)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}Z ${pick(["INFO", "INFO", "WARN"])} ${pick(["mapper", "uploader", "client", "auth"])} ${pick(["token refreshed", `batch of 50 posted in ${20 + whole(60)} s`, `301 from img1, followed (${1 + whole(3)} hops)`, "retry 1 of 3", `rate limit ${whole(60)} left`, "authority lookup from cache"])}`,
);

/** A migration agent's loop over textile records of a museum, stopped after the only failed record with a third still to go. */
export const state: WorkingState = {
  name: "textile-records-loop",
  language: "en",
  kind: "batch migration; a loop over items with counters and a result per item",
  focus: "redo the failed record and continue the loop",
  human:
    "Museum textiles: migrate all 640 records from Vitrine 4 into Kestrel before Vitrine goes read-only on 30 November, 17:00. Position: 0 to 418 handled, 1 failed, 6 skipped; continue at index 419. Never set publish=true on a record flagged restitution_claim. Not more than 3 attempts per record: the fourth failure locks the import account for 24 hours. Failed: TX-1904-0311, 422 because the unit is Zoll. Anneke (registrar) decided: Rhenish Zoll, 1 Zoll = 2.615 cm, rounded to the millimetre, original text kept in the note (2.54 is dropped). Next: with that override rerun TX-1904-0311, attempts set back to 0; then go on from 419 with batch size 25 instead of 50. To do: get the loan contract numbers for the 6 skipped records from the loans office. Match key is inv_no plus part. Latest from the operator: upload images to img2.kestrel.test, img1 is switched off tonight.",
  questions: [
    { q: "What is to be migrated and until when?", kind: "goal", answer: ["Kestrel", "30 Nov"] },
    {
      q: "Which records must not be published?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|[Dd]o not|[Dd]on't|must not|not)[\\s\\S]{0,60}?publish[\\s\\S]{0,80}?restitution_claim|restitution_claim[\\s\\S]{0,80}?(?:never|not|no )[\\s\\S]{0,40}?publish",
      ],
    },
    {
      q: "How many attempts are allowed and why?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|[Nn]ot|[Nn]o) more than (?:3|three)[\\s\\S]{0,160}?lock|lock[\\s\\S]{0,160}?(?:never|not|no) more than (?:3|three)",
      ],
    },
    { q: "How is Zoll converted?", kind: "decision", answer: ["2\\.615"] },
    { q: "Which record failed and why?", kind: "error", answer: ["TX-1904-0311", "Zoll"] },
    {
      q: "What to rerun first?",
      kind: "next",
      answer: ["(?:rerun|redo|again)[\\s\\S]{0,80}?TX-1904-0311|TX-1904-0311[\\s\\S]{0,80}?(?:rerun|redo|again)"],
    },
    {
      q: "Where does the loop go on, with which batch size?",
      kind: "next",
      answer: ["(?<!\\d)419[\\s\\S]{0,40}?batch size 25|batch size 25[\\s\\S]{0,40}?(?<!\\d)419"],
    },
    { q: "What about the skipped records?", kind: "todo", answer: ["loans office"] },
    { q: "Where do images go from now on?", kind: "recent", answer: ["img2\\.kestrel\\.test"] },
    { q: "What identifies a record?", kind: "fact", answer: ["inv_no (?:\\+|plus|and) part"] },
  ],
  context: {
    run: {
      id: "mig-textiles-07",
      started: "2025-11-18T07:55:00Z",
      previous_runs: ["mig-textiles-05 (aborted, wrong key)", "mig-textiles-06 (dry)"],
    },
    task: "Migrate the 640 records of the textile collection from Vitrine 4 to Kestrel, with images. Vitrine goes read-only on 30 November at 17:00, nothing can be exported after that.",
    cfg: {
      batch_size: 50,
      max_attempts: 3,
      token_refresh_min: 55,
      image_host: "img1.kestrel.test",
      key: ["inv_no", "part"],
      locale: "de-DE",
      publish_default: true,
    },
    counters: { total: TOTAL, ok: CURSOR + 1 - 1 - SKIPPED.size, failed: 1, skipped: SKIPPED.size, pending: TOTAL - CURSOR - 1 },
    cursor: { last_index: CURSOR, next_index: CURSOR + 1 },
    decisions: [
      { n: 1, what: "Match key is inv_no + part, not inv_no alone (run 05 merged pairs into one)", by: "Anneke", at: "2025-11-17" },
      { n: 2, what: "Unknown makers go in as text, no new authority records", by: "Anneke", at: "2025-11-17" },
      { n: 3, what: "Zoll is 2.54 cm", by: "agent", at: "2025-11-19", status: "superseded by 4" },
      {
        n: 4,
        what: "Zoll in records before 1914 is Rhenish: 1 Zoll = 2.615 cm, rounded to the millimetre, the original wording goes into the note",
        by: "Anneke (registrar)",
        at: "2025-11-19",
      },
    ],
    rules_from_kickoff: [
      "Records keep their inventory number exactly, blanks included",
      "publish stays true by default, but never set publish on a record flagged restitution_claim, whatever the mapping says; the legal department checks these by hand",
      "No more than 3 attempts per record: after the fourth failed call the server locks the import account for 24 hours",
      "Keep the TIFFs, no JPEG derivatives",
    ],
    items: [...done, ...waiting],
    log_tail: trace,
    last_failure: {
      inv_no: "TX-1904-0311",
      request_id: "req_77b1e0",
      stack: [
        "ImportError: 422 E_DIM_UNIT",
        "    at Client.post (client.ts:118:13)",
        "    at async Mapper.push (mapper.ts:74:5)",
        "    at async loop (run.ts:41:7)",
      ],
      outcome: "loop went on to 418 and paused at the end of the shift",
    },
    plan: [
      { step: "dry run", state: "done" },
      { step: "records 0 to 418", state: "done" },
      { step: "add unit override for Zoll (decision 4), set attempts back to 0 and rerun TX-1904-0311", state: "next" },
      { step: "continue at 419 with batch size 25, 50 ran into the gateway timeout twice", state: "then" },
      { step: "ask the loans office for the contract numbers of the 6 skipped records, then redo these", state: "open" },
      { step: "compare counts with Vitrine, report to Anneke", state: "open" },
    ],
    operator_inbox: [
      { at: "2025-11-18T08:10:00Z", from: "Ruben", text: "account is ready, quota 5000 calls a day" },
      { at: "2025-11-19T09:40:00Z", from: "Anneke", text: "please not 2.54, that is the English inch. See decision list." },
      {
        at: "2025-11-19T12:58:00Z",
        from: "Ruben",
        text: "img1 is switched off tonight, the redirects too. From now on upload to img2.kestrel.test, same credentials, and files already on img1 are copied by us.",
      },
    ],
  },
};
