import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Claim {
  readonly id: string;
  readonly text: string;
  readonly who: string;
  readonly verdict: string;
  readonly sources: readonly string[];
  readonly notes: string;
}

const minorClaims: Claim[] = many(501, 26, (i, pick, whole) => ({
  id: `C${i + 10}`,
  text: pick([
    `The quarry employs ${180 + whole(60)} people from the valley.`,
    `Trucks leave the gate every ${3 + whole(6)} minutes on weekdays.`,
    `The north face was opened in ${1988 + whole(12)}.`,
    `Water spraying uses ${20 + whole(50)} cubic metres a day.`,
    `The school moved its sports day indoors ${1 + whole(4)} times.`,
    `Royalties make up ${4 + whole(9)} per cent of the parish budget.`,
  ]),
  who: pick(["company brochure", "parish clerk", "draft v1", "letter to the editor", "reporter's notes"]),
  verdict: pick(["supported", "supported", "supported with rewording", "cut from draft", "trivial"]),
  sources: [`S${whole(9) + 10}`, `S${whole(9) + 20}`],
  notes: pick([
    "Two documents agree.",
    "Number rounded in the text, fine.",
    "Only one source, but nobody disputes it.",
    "Out of the piece since v2.",
    "Checked against the gate counter.",
  ]),
}));

const sourceList = many(502, 34, (i, pick, whole) => ({
  id: `S${i + 10}`,
  type: pick(["annual report", "council minutes", "interview", "dataset", "photograph", "court file"]),
  title: `${pick(["Minutes of the parish", "Dust monitoring return", "Planning consent", "Haulage contract summary", "Air quality bulletin"])} ${2012 + whole(12)}/${whole(40) + 1}`,
  got: `2025-${String(whole(5) + 5).padStart(2, "0")}-${String(whole(27) + 1).padStart(2, "0")}`,
  reliability: pick(["A", "A", "B", "B", "C"]),
  pages: whole(140) + 2,
}));

const readings = many(
  503,
  220,
  (i, _pick, whole) =>
    `${2016 + Math.floor(i / 24)}-${String((Math.floor(i / 2) % 12) + 1).padStart(2, "0")},${i % 2 === 0 ? "HOLT-1" : "HOLT-2"},${whole(60) + 12},${whole(9)},${whole(2) === 0 ? "ok" : "provisional"}`,
).join("\n");

const draftTwo = `THE QUIET QUARRY (v2, superseded)

${many(504, 14, (_i, pick) =>
  pick([
    "On a dry morning the washing in Upper Holt is taken in before eight, because at eight the first blast goes off and by nine the lines are grey. Residents have learned the timetable the way others learn the tides.",
    "The company says that it has spent more on water than on wages, which is not true, but it has spent a good deal on water. Sprinklers turn along the haul road from March to October.",
    "At the parish hall the monitoring returns are kept in eleven lever arch files. Nobody had asked to see them for four years, the clerk said, and fetched a chair.",
    "Asked about the readings, a spokesman pointed to the brochure. The brochure points to the annual report. The annual report points to a table.",
    "What the table does not say is where the instrument stood. For five years it stood by the school; since then it has stood upwind of the crusher, behind a row of poplars.",
  ]),
).join("\n\n")}`;

const draftThree = `THE QUIET QUARRY (v3)

1. On a dry morning the washing in Upper Holt is taken in before eight.

2. For two years Castane Aggregates has told anyone who asks that its dust is down. "Fine particles have fallen by 41 per cent since 2019," says the brochure handed out at the spring open day, in green type.

3. The figure is not invented. It can be found in table 4 of the company's own return to the county. But the instrument that produced it was moved in June 2021, from the school playground to a field upwind of the crusher.

${many(505, 5, (i, pick) => `${i + 4}. ${pick(["The county says it was informed of the move by letter and had no objection.", "Nobody told the parish. The clerk found out from the invoice for the concrete base.", "Two scientists who looked at the series for this paper say that the years before and after cannot be compared.", "The company has not published the readings of the second instrument, at the church."])}`).join("\n\n")}

9. [REWRITE] At the church the limit was exceeded for many hours in 2024. (desk: how many? see C7. Must read "at least 212 exceedance hours" and give the limit, 50 micrograms per cubic metre as a daily mean; do not turn it into days)

10. A former contractor who serviced the filters says the bags were changed half as often as the log states.`;

/** The state of a fact checking agent at a regional paper, stopped with one paragraph to rewrite and one number in doubt. */
export const state: WorkingState = {
  name: "ferry-dust-factcheck",
  language: "en",
  kind: "research notebook: claims, sources, contradictions, outline, drafts, desk thread; fact check",
  focus: "rewrite paragraph nine and close claims",
  human:
    "Fact check of The Quiet Quarry, on Castane Aggregates' claim that fine dust fell 41 per cent since 2019. Every sentence needs a document or two sources. Source S7 must never be named or described by job; so paragraph 10 ('former contractor who serviced the filters') has to be reworded. Do not contact the company before Hanneke (legal) has cleared the letter. Verdict decided: call it 'misleading', not 'false', because the figure exists but the station was moved in June 2021. Error found: table 4 of the return prints 48 for 2019, the scanned original says 84 (digits swapped in our transcript), so recompute C3. Next: rewrite paragraph 9 with 'at least 212 exceedance hours', then phone the Merrin laboratory for the calibration certificate of HOLT-2. To do: get a second source for the filter log (C5). Last word from Ruth: cut to 1,450 words, page closes Friday 17:00.",
  questions: [
    { kind: "goal", q: "Which claim is being checked?", answer: ["Castane", "41 per cent"] },
    {
      kind: "prohibition",
      q: "What must not be said of S7?",
      answer: ["S7[\\s\\S]{0,120}?(?:[Nn]ever|not|no )[\\s\\S]{0,80}?(?:job|work|named)|(?:[Nn]ever|[Nn]ot)\\b[\\s\\S]{0,80}?S7"],
    },
    {
      kind: "prohibition",
      q: "When may the company be contacted?",
      answer: [
        "(?:[Nn]ot|[Nn]o|[Nn]obody|[Nn]ever|[Dd]on't)\\b[\\s\\S]{0,100}?(?:company|Castane)[\\s\\S]{0,100}?Hanneke|Hanneke[\\s\\S]{0,120}?(?:not|no|before)\\b[\\s\\S]{0,80}?(?:company|Castane)",
      ],
    },
    {
      kind: "decision",
      q: "Misleading or false?",
      answer: ["misleading[\\s\\S]{0,60}?(?:not|instead of)[\\s\\S]{0,12}?false|not[\\s\\S]{0,12}?false[\\s\\S]{0,60}?misleading"],
    },
    { kind: "fact", q: "Why is the figure not comparable?", answer: ["moved[\\s\\S]{0,40}?June 2021|June 2021[\\s\\S]{0,60}?moved"] },
    {
      kind: "error",
      q: "Which number was transcribed wrongly?",
      answer: ["table 4", "\\b48\\b[\\s\\S]{0,120}?\\b84\\b|\\b84\\b[\\s\\S]{0,120}?\\b48\\b"],
    },
    { kind: "next", q: "What must paragraph 9 say?", answer: ["at least 212 exceedance hours"] },
    { kind: "next", q: "Who is to be phoned, for what?", answer: ["Merrin", "calibration certificate"] },
    {
      kind: "todo",
      q: "What is missing for C5?",
      answer: ["second source[\\s\\S]{0,80}?filter|filter[\\s\\S]{0,80}?second source|C5[\\s\\S]{0,160}?second source"],
    },
    { kind: "recent", q: "Length and closing time?", answer: ["1,450", "Friday[\\s\\S]{0,12}?17:00|17:00[\\s\\S]{0,12}?Friday"] },
  ],
  context: {
    notebook: "quiet-quarry",
    desk: { editor: "Ruth", legal: "Hanneke", reporter: "Ilse", checker: "assistant" },
    question:
      "Is it true, as Castane Aggregates says in its brochure, that fine dust at the quarry has fallen by 41 per cent since 2019? Check every sentence of the piece; each one needs a document or two independent people.",
    house_style: [
      "per cent, not %",
      "micrograms per cubic metre spelled out at first use",
      "numbers up to twelve in words",
      "no anonymous insults",
      "quotes are never tidied",
    ],
    claims: [
      {
        id: "C1",
        text: "Fine particles have fallen by 41 per cent since 2019.",
        who: "Castane brochure p. 3",
        verdict: "misleading",
        sources: ["S2", "S3"],
        notes:
          "Verdict agreed with Ruth on 11 Nov: we write misleading, not false. The figure does exist in the company's return; the comparison does not hold.",
      },
      {
        id: "C2",
        text: "The instrument was moved.",
        who: "parish clerk",
        verdict: "supported",
        sources: ["S4", "S5"],
        notes: "HOLT-1 moved in June 2021, invoice for concrete base plus letter to county.",
      },
      {
        id: "C3",
        text: "Annual mean 2019 to 2024.",
        who: "company return, table 4",
        verdict: "OPEN, recompute",
        sources: ["S2"],
        notes: "See contradiction X2.",
      },
      {
        id: "C5",
        text: "Filter bags were changed half as often as the log says.",
        who: "S7",
        verdict: "OPEN",
        sources: ["S7"],
        notes: "One person only. Needs a second source for the filter log, or it goes out. Try the bag supplier's delivery notes.",
      },
      {
        id: "C7",
        text: "Limit exceeded at the church in 2024.",
        who: "dataset S3",
        verdict: "supported",
        sources: ["S3"],
        notes: "Counted twice: at least 212 hours, provisional hours left out.",
      },
      {
        id: "C8",
        text: "The ferry carries 300,000 tonnes of stone a year.",
        who: "draft v1",
        verdict: "cut from draft",
        sources: ["S16"],
        notes: "The ferry angle is gone since v2; file name stayed.",
      },
      ...minorClaims,
    ],
    sources: [
      { id: "S2", type: "annual report", title: "Castane return to the county 2024, table 4", reliability: "A", pages: 61 },
      {
        id: "S3",
        type: "dataset",
        title: "HOLT-2 hourly, church",
        reliability: "B",
        note: "Reliability becomes A once the Merrin laboratory has confirmed the calibration certificate (phone, ask for the instrument desk; they answer before noon only).",
      },
      { id: "S4", type: "invoice", title: "Concrete base, field 12", reliability: "A" },
      { id: "S5", type: "letter", title: "Castane to county, 4 May 2021", reliability: "A" },
      {
        id: "S7",
        type: "interview",
        title: "conversation on 2 Nov, notes with Ilse",
        reliability: "B",
        protection: "S7 must never be named, nor described by job, age or village. Promise given by Ilse in person.",
      },
      ...sourceList,
    ],
    contradictions: [
      { id: "X1", between: ["S12", "S20"], about: "number of employees", settled: true, how: "one counts drivers, the other does not" },
      {
        id: "X2",
        between: ["S2 transcript", "S2 scan"],
        about: "2019 value in table 4",
        settled: false,
        how: "Our transcript has 48, the scanned page has 84. Digits swapped when it was typed in by us. With 84 the fall would be larger than 41 per cent, so somebody computed from something else; redo C3 from the scan.",
      },
      { id: "X3", between: ["S14", "S31"], about: "date of open day", settled: true, how: "15 March, poster was for the year before" },
    ],
    outline: ["washing lines", "the claim", "the instrument", "the county", "the church", "the filters", "reply of the company"],
    drafts: { v1: "withdrawn (ferry angle)", v2: draftTwo, v3: draftThree },
    tool_output: { call: "csv.head(holt_monthly.csv, 220)", text: `month,station,mean_ugm3,hours_missing,flag\n${readings}` },
    steps: [
      { n: 1, do: "collect returns 2016 to 2024", state: "done" },
      { n: 2, do: "count exceedance hours at the church", state: "done" },
      { n: 3, do: "rewrite paragraph 9", state: "doing" },
      { n: 4, do: "phone Merrin about the calibration certificate of HOLT-2", state: "next" },
      { n: 5, do: "paragraph 10: describes S7 by job, reword", state: "next" },
      { n: 6, do: "letter to company", state: "blocked by legal" },
    ],
    thread: [
      { from: "Ilse", at: "10 Nov 09:12", text: "S7 only talked because I promised. please please keep the job out of it" },
      {
        from: "Hanneke",
        at: "11 Nov 15:40",
        text: "Letter of questions is with me. Nobody is to contact the company, not even for a photo, before I have cleared it. Hanneke",
      },
      { from: "assistant", at: "12 Nov 10:05", text: "v3 is in the notebook. C3 and C5 are open." },
      {
        from: "Ruth",
        at: "12 Nov 16:48",
        text: "Good. It's too long: cut to 1,450 words, I lost half a column to the council. Page closes Friday 17:00, not later, printers are strict this week.",
      },
    ],
  },
};
