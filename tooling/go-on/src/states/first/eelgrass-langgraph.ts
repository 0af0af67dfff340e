import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Obj = Readonly<Record<string, unknown>>;

const lc = (cls: string, id: string, { content, ...more }: Obj): Obj => ({
  lc: 1,
  type: "constructor",
  id: ["langchain", "schema", "messages", cls],
  kwargs: { content, type: cls.replace("Message", "").toLowerCase(), id, additional_kwargs: {}, response_metadata: {}, ...more },
});

const abstracts = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `[${i + 1}] ${pick(["Shoot density", "Sediment carbon", "Transplant survival", "Wave exposure", "Epiphyte load", "Genetic diversity", "Bioturbation", "Turbidity"])} in ${pick(["Zostera marina", "eelgrass meadows", "restored seagrass", "sparse eelgrass beds"])} ${pick(["of the Skagerrak coast", "in Danish fjords", "along the Swedish west coast", "in the outer Oslofjord", "of the western Baltic"])} (${2004 + whole(20)}). ${pick(["Journal of Coastal Restoration", "Nordic Marine Notes", "Estuary and Shelf", "Technical report, county laboratory"])}, pp. ${10 + whole(300)}. ${pick(
        [
          "Plots were sampled by divers at four depths over two growing seasons.",
          "A before-after design with six reference sites was used.",
          "Cores of 50 cm were sliced at 2 cm and dated with lead-210.",
          "Single shoots were anchored with bamboo staples.",
        ],
      )} ${pick([
        "Density recovered to 60 per cent of the reference.",
        "No difference from bare sediment was found after a year.",
        "Crab damage explained most of the loss.",
        "Light at the bed was the best predictor.",
      ])} score=${(0.4 + whole(60) / 100).toFixed(2)}`,
  ).join("\n");

const table = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `plot ${String(i + 1).padStart(2, "0")} | ${pick(["Kosterfjord", "Lyngør", "Hvaler", "Gullmar"])} | depth ${(1 + whole(50) / 10).toFixed(1)} m | shoots planted ${200 + whole(900)} | alive yr1 ${30 + whole(60)}% | note ${pick(["-", "crabs", "algae mat", "anchor scar", "lost marker"])}`,
  ).join("\n");

/** A plan-and-execute research agent's checkpoint for a foundation memo on eelgrass, stopped before it takes the survival rates out of the trials. */
export const state: WorkingState = {
  name: "eelgrass-langgraph",
  language: "en",
  kind: "research; LangGraph checkpoint with channel values",
  focus: "extract survival rates and draft section 4",
  human:
    'Memo of six pages for the Halden Foundation board (9 June): fund eelgrass (Zostera marina) transplanting in the Skagerrak, or replace swing moorings instead? Never cite the Lindqvist preprint, it was withdrawn. No carbon credit revenue anywhere in the memo: the board has ruled it out. Burial rate: 27 g C per m2 and year (Nordic cores), not the global 138. Median cost NOK 1.9 million per hectare (11 projects). Leave out sites shallower than 1.5 m (ice scour). OCR of the Kosterfjord report is wrong: the site is 0.8 ha, not 8 ha. Next: year-two survival rates from table 4 of the Kosterfjord, Lyngør and Hvaler trials, then draft section 4 (risks) with a one-page decision tree. Open: county governor has not answered on the permit lead time, ask again. Latest from Sunniva: amounts in NOK with EUR in brackets at 11.6; scenario C becomes "do nothing".',
  questions: [
    { q: "What is to be written, for whom?", kind: "goal", answer: ["Halden", "moorings", "9 June"] },
    {
      q: "Which source must not be cited?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|[Dd]o not|[Dd]on't|not)[\\s\\S]{0,60}?(?:cite|use)[\\s\\S]{0,60}?Lindqvist|Lindqvist[\\s\\S]{0,120}?(?:withdrawn|not be cited|do not cite|never)",
      ],
    },
    {
      q: "What is not allowed in the memo?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]o|[Nn]ot|[Nn]ever|without)[\\s\\S]{0,50}?(?:carbon )?credit revenue|credit revenue[\\s\\S]{0,80}?(?:ruled|not|never|no )",
      ],
    },
    { q: "Which burial rate?", kind: "decision", answer: ["27 g C"] },
    {
      q: "Which number did the OCR get wrong?",
      kind: "error",
      answer: ["0\\.8 ha[\\s\\S]{0,120}?(?:OCR|not 8)|OCR[\\s\\S]{0,120}?0\\.8 ha"],
    },
    { q: "What is the very next step?", kind: "next", answer: ["survival[\\s\\S]{0,100}?[Tt]able 4|[Tt]able 4[\\s\\S]{0,100}?survival"] },
    { q: "And then?", kind: "next", answer: ["section 4[\\s\\S]{0,120}?decision tree|decision tree[\\s\\S]{0,120}?section 4"] },
    {
      q: "Which answer is still missing?",
      kind: "todo",
      answer: ["county governor[\\s\\S]{0,160}?permit|permit[\\s\\S]{0,160}?county governor"],
    },
    { q: "Currency and scenario C?", kind: "recent", answer: ["11\\.6", "[Dd]o nothing"] },
    { q: "Which sites are left out?", kind: "fact", answer: ["1\\.5 m[\\s\\S]{0,100}?ice|ice[\\s\\S]{0,100}?1\\.5 m"] },
  ],
  context: {
    v: 4,
    id: "1f09c2aa-6b1e-6d40-8011-5b0c0de7a901",
    ts: "2025-05-27T14:22:09.104+00:00",
    channel_values: {
      input:
        "Please prepare a memo of six pages for the board of the Halden Foundation (meeting on 9 June): should they fund eelgrass (Zostera marina) transplanting on the Skagerrak coast, or spend the same money on replacing swing moorings? Neutral tone, every number with its source.",
      messages: [
        lc("HumanMessage", "m-01", {
          content:
            "Please prepare a memo of six pages for the board of the Halden Foundation (meeting on 9 June): should they fund eelgrass (Zostera marina) transplanting on the Skagerrak coast, or spend the same money on replacing swing moorings? Neutral tone, every number with its source.",
        }),
        lc("AIMessage", "m-02", {
          content: "I'll begin with a literature search and a list of projects with published costs.",
          tool_calls: [{ name: "search_papers", args: { q: "eelgrass restoration cost survival Skagerrak", k: 40 }, id: "tc-1" }],
          usage_metadata: { input_tokens: 1204, output_tokens: 96, total_tokens: 1300 },
        }),
        lc("ToolMessage", "m-03", { content: abstracts(301, 40), tool_call_id: "tc-1", name: "search_papers", status: "success" }),
        lc("HumanMessage", "m-04", {
          content:
            "Two remarks from Sunniva (programme lead). The board has ruled out offsets on principle, so no carbon credit revenue in the memo, not even in a footnote. And she would like to see the cost per hectare early on, since that's what they will remember.",
        }),
        lc("AIMessage", "m-05", {
          content: "Noted. For carbon burial I'd start from the global mean of 138 g C per m2 and year.",
          tool_calls: [{ name: "search_papers", args: { q: "carbon burial rate eelgrass Nordic cores lead-210", k: 30 }, id: "tc-2" }],
        }),
        lc("ToolMessage", "m-06", { content: abstracts(302, 30), tool_call_id: "tc-2", name: "search_papers", status: "success" }),
        lc("AIMessage", "m-07", {
          content:
            "Correction of my own earlier choice: the Nordic cores give far less than the global mean. I'll use 27 g C per m2 and year (median of nine cores from cold, exposed beds) in all scenarios and mention the 138 once, as what not to expect.",
          usage_metadata: { input_tokens: 9120, output_tokens: 241, total_tokens: 9361 },
        }),
        lc("HumanMessage", "m-08", {
          content:
            "Agreed. One thing I found while checking your list: the Lindqvist preprint on unassisted recovery was withdrawn in March because of a data error. Never cite it, also not via the two reviews that lean on it.",
        }),
        lc("AIMessage", "m-09", {
          content: "Fetching the Kosterfjord report.",
          tool_calls: [{ name: "fetch_pdf", args: { url: "https://reports.example/kosterfjord-2023.pdf", ocr: true }, id: "tc-3" }],
        }),
        lc("ToolMessage", "m-10", {
          content: `page 31\nTable 3. Plots of the transplant trials\n${table(303, 66)}\npage 33\nSite area (Kosterfjord): 8 ha\n`,
          tool_call_id: "tc-3",
          name: "fetch_pdf",
          status: "success",
        }),
        lc("AIMessage", "m-11", {
          content:
            "The site area looked too large for 3,400 shoots, so I opened the scanned page as an image: it says 0.8 ha. The OCR dropped the zero. All per-hectare figures from this report have to be computed with 0.8 ha.",
          tool_calls: [{ name: "project_costs", args: { region: "nordic" }, id: "tc-4" }],
        }),
        lc("ToolMessage", "m-12", {
          content:
            many(
              304,
              11,
              (i, pick, whole) =>
                `project ${i + 1}: ${pick(["Oslofjord", "Bohuslän", "Limfjorden", "Agder", "Kalmar"])}, ${(0.1 + whole(14) / 10).toFixed(1)} ha, NOK ${(0.9 + whole(26) / 10).toFixed(1)} million per ha, ${pick(["divers", "volunteers and divers", "seed bags"])}`,
            ).join("\n") + "\nmedian: NOK 1.9 million per ha (n=11)",
          tool_call_id: "tc-4",
          name: "project_costs",
          status: "success",
        }),
        lc("HumanMessage", "m-13", {
          content:
            "Good catch. Last wishes from Sunniva before I'm on leave: amounts in NOK with EUR in brackets, rate 11.6 fixed. And scenario C (seed bags) is out; make scenario C \"do nothing\" instead. She'd rather compare with the empty case.",
        }),
      ],
      plan: [
        "Extract year-two survival rates from Table 4 of the Kosterfjord, Lyngør and Hvaler trials (reports are in files/)",
        "Draft section 4 (risks) and the one-page decision tree that goes with it",
        "Recompute scenarios A, B, C with the fixed exchange rate",
        "Cut to six pages, source list, send to Sunniva",
      ],
      past_steps: [
        ["Search the literature on cost and survival", "40 hits, 17 kept, list in files/kept.csv"],
        ["Collect costs per hectare", "11 Nordic projects, median NOK 1.9 million per ha"],
        ["Choose a burial rate", "27 g C per m2 and year, Nordic; global 138 rejected"],
        [
          "Ask about permits",
          "Wrote to the county governor on 19 May about the lead time for a permit to plant; no answer so far, ask again before the section on timing is written",
        ],
        [
          "Choose candidate sites",
          "7 of 19 kept. Sites shallower than 1.5 m are left out because of ice scour in hard winters (1987, 2010); sites above 6 m depth kept only when Secchi depth > 5 m",
        ],
        ["Draft sections 1 to 3", "2.5 pages, files/draft-v3.md; v1 and v2 are superseded"],
      ],
      response: null,
      files: {
        "draft-v3.md": `# Eelgrass or moorings?\n\n## 1 The question\n\nThe board asked whether a grant of the size of the last round does more good as planted eelgrass or as moorings that no longer scrape the bed.\n\n## 2 What planting costs\n\n${many(305, 14, (_i, pick, whole) => `${pick(["Most projects", "The larger trials", "Two volunteer groups", "The county's own project"])} ${pick(["report", "publish", "estimate"])} ${pick(["diver hours", "boat days", "donor meadow surveys", "monitoring"])} as the largest item, at ${20 + whole(50)} per cent of the total, with ${pick(["little", "considerable", "unexplained"])} spread between years.`).join(" ")}\n\n## 3 What moorings do\n\n${many(306, 14, (_i, pick, whole) => `A swing mooring ${pick(["clears", "keeps bare", "scars"])} a circle of ${40 + whole(300)} m2 ${pick(["in soft mud", "in sand", "on shell gravel"])}, and recovery after removal took ${2 + whole(9)} years ${pick(["in Hvaler", "near Grimstad", "at the reference harbour"])}.`).join(" ")}`,
      },
      remaining_steps: 18,
      "branch:to:replan": null,
      __start__: null,
    },
    channel_versions: { __start__: 2, input: 2, messages: 27, plan: 19, past_steps: 18, files: 14, response: 1, "branch:to:replan": 20 },
    versions_seen: {
      __input__: {},
      __start__: { __start__: 1 },
      planner: { "branch:to:planner": 2 },
      agent: { "branch:to:agent": 18 },
      replan: { "branch:to:replan": 20 },
    },
    updated_channels: ["messages", "plan"],
    pending_sends: [],
  },
};
