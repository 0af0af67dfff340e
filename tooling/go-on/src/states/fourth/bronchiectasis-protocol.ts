import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

function comments(seed: number, count: number): string {
  return many(seed, count, (index, pick, whole) => {
    const section = `${1 + whole(12)}.${1 + whole(6)}`;
    return [
      `- **C-${String(index + 1).padStart(3, "0")}** (section ${section}, ${pick(["regulatory affairs", "medical monitor", "site Leeds", "site Porto", "data management", "pharmacovigilance"])})`,
      `    - said: ${pick(["Please define the term at first use.", "Is the diary on paper or on the device?", "Timing of the blood sample relative to dosing is unclear.", "Sentence repeated from the synopsis, shorten.", "Reference is from 2009, newer guideline exists.", "Who signs when the investigator is away?", "Add the abbreviation to the list."])}`,
      `    - answer: ${pick(["accepted", "accepted", "accepted, wording changed", "rejected, template text of the sponsor", "moved to the lab manual", "already covered in the pharmacy manual"])}`,
      `    - state: ${pick(["closed", "closed", "closed", "closed in v0.7", "closed in v0.8"])}`,
    ].join("\n");
  }).join("\n");
}

function literature(seed: number, count: number): string {
  return many(
    seed,
    count,
    (index, pick, whole) =>
      `    ${index + 1}. ${pick(["Registry cohort", "Randomised trial", "Meta-analysis", "Post hoc analysis", "Guideline"])}, ${2004 + whole(20)}, n = ${40 + whole(1900)}: ${pick(["exacerbations per year", "time to first exacerbation", "sputum volume", "quality of life score", "lung clearance index", "bacterial load"])}; ${pick(["supports a 24 week treatment", "too short to be of use", "shows large variance between countries", "used for the assumption on drop-outs", "different population, cite in the background only"])}`,
  ).join("\n");
}

function schedule(seed: number, rows: number): string {
  return [
    "| Procedure | V1 | V2 | V3 | V4 | V5 | V6 | V7 |",
    "|---|---|---|---|---|---|---|---|",
    ...many(seed, rows, (index, pick) => {
      const name =
        [
          "Informed consent",
          "Medical history",
          "Vital signs",
          "ECG",
          "Spirometry",
          "Sputum sample",
          "Haematology",
          "Liver panel",
          "Urinalysis",
          "Pregnancy test",
          "Diary check",
          "Quality of life score",
          "Drug dispensing",
          "Drug return",
          "Adverse events",
          "Concomitant drugs",
          "Sweat test",
          "CT of the chest",
        ][index % 18] ?? "";
      return `| ${name} | ${Array.from({ length: 7 }, () => pick(["x", "x", "", "(x)"])).join(" | ")} |`;
    }),
  ].join("\n");
}

const notes = `# BX-114-202 protocol, working notes

Phase II, inhaled, adults with bronchiectasis, 24 weeks, placebo controlled, 31 sites in 7 countries.

## What this is for

- Deliver protocol **v0.9 to the ethics committee by 14 March** (portal closes at 17:00, Central European Time)
    - synopsis, body, appendices A to F
    - the informed consent form is *not* ours, the agency in Dublin writes it
- Everything else (investigator brochure, lab manual, pharmacy manual) comes later
    - old plan said 28 February, this date is void since the committee moved its sitting

## House rules

- British spelling, sections numbered to the third level
- Synopsis is written last and copied from the body, not the other way round
- Section 9 (statistics) belongs to Ilse
    - it is locked, she is still simulating
    - **do not edit Section 9 until Ilse unlocks it**, not even commas; send her a comment instead
- Sponsor's legal department, letter of 11 January:
    - in every version which leaves the house the substance is called "study drug" or BX-114
    - the mechanism of action must never be mentioned in the protocol, patent is filed in April only
    - the two figures of the mouse study have been taken out for the same reason
- Files: one per section, naming \`s05_2_exclusion.md\`

## Decision log

- **D-01** (9 Jan) 24 weeks rather than 48
    - because of the budget, and 48 goes into phase III
- **D-02** (9 Jan) two arms rather than three
    - the 5 mg arm is dropped, 10 mg twice daily against placebo
- **D-03** (16 Jan) primary endpoint: change of FEV1 at week 24
    - *superseded by D-07, see there*
- **D-04** (16 Jan) electronic diary on the patient's own phone
    - loan device where there is none
- **D-05** (23 Jan) central reading of sputum cultures, laboratory in Utrecht
- **D-06** (30 Jan) inclusion needs at least two exacerbations in the last 12 months
    - FEV1 at screening at least 35 % of predicted (was 30 %, changed after the call with the site in Porto)
- **D-07** (6 Feb) primary endpoint is time to first exacerbation
    - replaces D-03; FEV1 becomes the first secondary endpoint
    - reason: agency advice of 4 February, change of FEV1 is not accepted as clinically relevant
- **D-08** (13 Feb) no interim analysis for efficacy, only the safety board looks at unblinded data
- **D-09** (20 Feb) visits at home allowed for V3 and V5

## State of sections

- 1 Background
    - done, 2 pages shortened
- 2 Rationale
    - done; dose rationale rewritten after legal's letter
- 3 Objectives and endpoints
    - done, agrees with D-07
- 4 Design
    - done
- 5 Population
    - 5.1 inclusion: done
    - 5.2 exclusion: **half written**
        - written: pregnancy, smoking, cystic fibrosis, oxygen at home, macrolides started within 3 months
        - missing: QTcF above 470 ms, and treatment with another inhaled antibiotic
    - 5.3 withdrawal: done
- 6 Procedures
    - 6.1 to 6.3 done
    - 6.4 visit windows: done, but see the error below
    - 6.5 home visits: done
- 7 Study drug: done, pharmacy in Ghent has read it
- 8 Safety
    - 8.1, 8.2 done
    - 8.3 stopping rules: empty
- 9 Statistics: Ilse
- 10 Data: done
- 11 Ethics: done
- 12 Publication: template text

### Schedule of assessments (Table 2)

${schedule(401, 54)}

## Comments of the second review

${comments(402, 84)}

## Things found while reading everything in one go (25 Feb)

- Abbreviations: SGRQ is used, but not in the list. Fixed
- Page 41: "subject" against "participant". Fixed everywhere
- **Visit windows contradict each other**: Table 2 has V4 on day 28 ± 3, section 6.4 says day 30 ± 2
    - asked Henrike (operations): 28 ± 3 is right, the contracts with the sites have it
    - so section 6.4 is wrong and has to be changed, Table 2 stays
    - not yet done, I had the file locked by mistake
- Appendix C and D are swapped in the table of contents. Fixed

## Literature

- used for the assumptions
${literature(403, 62)}

## Call of 27 February (Ilse, Henrike, Kofi, me)

- Kofi: insurance confirmed for 7 countries
- Ilse: simulations nearly through
    - drop-out is assumed at 15 % now instead of 5 %
    - so the sample size goes from 144 to **162 participants**, please carry that into the synopsis and 4.1, she does it in 9 herself
    - unlocks presumably on 5 March
- Kofi on stopping rules, for 8.3
    - dosing is halted when two participants have a liver event of grade 3 or higher
    - the board then has 7 days to meet
    - wording from the 201 study can be taken, there it was one participant
- Henrike: translation agency needs the final text of 5.2 first of all, by 3 March

## Next, in this order

1. finish 5.2
2. correct 6.4
3. write 8.3 after what Kofi said
4. sample size into synopsis and 4.1
5. comments to Ilse, wait for the unlock
6. assemble, check numbering, upload
`;

/** A medical writer's working notes on a phase II trial protocol, stopped after the call with the statistician. */
export const state: WorkingState = {
  name: "bronchiectasis-protocol",
  language: "en",
  kind: "one long Markdown under notes, nested lists and a decision log",
  focus: "finish the open protocol sections for the ethics committee",
  human:
    "Protocol BX-114-202: v0.9 to the ethics committee by 14 March, 17:00. Do not edit Section 9 until Ilse unlocks it (about 5 March). The mechanism of action must never be mentioned (legal, patent in April). Primary endpoint since D-07: time to first exacerbation; D-03 (FEV1) superseded. In work: 5.2 exclusion half written, missing QTcF above 470 ms and another inhaled antibiotic; the translation agency needs it by 3 March. Then correct section 6.4: it says day 30 ± 2 for V4, but Table 2 with day 28 ± 3 is right. Then write 8.3 stopping rules: dosing is halted when two participants have a liver event of grade 3 or higher; board meets within 7 days. Ilse in the call of 27 February: sample size from 144 to 162, into synopsis and 4.1. Inclusion: FEV1 at least 35 % of predicted.",
  questions: [
    { q: "What must be delivered to whom, by when?", answer: ["v0\\.9[\\s\\S]{0,60}?ethics committee", "14 March"], kind: "goal" },
    {
      q: "Which section must not be edited?",
      answer: ["(?:[Dd]o not|[Dd]on'?t|never)[\\s\\S]{0,20}?edit Section 9|Section 9[\\s\\S]{0,80}?(?:not|never|locked)"],
      kind: "prohibition",
    },
    {
      q: "What must the protocol never mention?",
      answer: ["mechanism of action[\\s\\S]{0,40}?(?:never|not)|(?:never|not)[\\s\\S]{0,40}?mechanism of action"],
      kind: "prohibition",
    },
    {
      q: "Which primary endpoint holds?",
      answer: ["D-07[\\s\\S]{0,60}?time to first exacerbation|primary endpoint is time to first exacerbation"],
      kind: "decision",
    },
    { q: "What is half written, what is missing in it?", answer: ["5\\.2", "QTcF above 470|QTcF > ?470"], kind: "todo" },
    { q: "Which visit windows contradict, which is right?", answer: ["30 ± 2", "28 ± 3[\\s\\S]{0,20}?is right"], kind: "error" },
    { q: "Which section is to be corrected next?", answer: ["[Cc]orrect[\\s\\S]{0,20}?6\\.4|section 6\\.4 is wrong"], kind: "next" },
    { q: "Which stopping rule goes into 8.3?", answer: ["two participants[\\s\\S]{0,60}?grade 3"], kind: "next" },
    { q: "Which sample size was given in the last call?", answer: ["144 to (?:\\*\\*)?162"], kind: "recent" },
    { q: "Lowest FEV1 for inclusion?", answer: ["35 % of predicted"], kind: "fact" },
  ],
  context: {
    project: "BX-114-202",
    role: "medical writing",
    updated: "2025-02-27T19:02:00+01:00",
    notes,
    open_files: ["s05_2_exclusion.md", "s06_4_windows.md"],
    word_count: 31842,
  },
};
