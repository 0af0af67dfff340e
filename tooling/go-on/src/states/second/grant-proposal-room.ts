import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** Meeting notes, a chat of four people and the draft of a grant proposal, as kept by their assistant; it stopped four days before the call closes. */

interface ChatLine {
  readonly who: string;
  readonly at: string;
  readonly msg: string;
  readonly reactions?: readonly string[];
}

function c(at: string, who: string, msg: string): ChatLine {
  return { who, at, msg };
}

const paragraph = (seed: number): string =>
  many(
    seed,
    9,
    (_, pick, whole) =>
      `${pick(["The collection", "Each loom pattern", "Our volunteer network", "The regional archive", "This work package", "The proposed catalogue"])} ${pick(["brings together", "documents", "makes available", "builds upon", "will connect", "describes"])} ${pick(["woven samples from the nineteenth century", "card sets and their drafts", "oral accounts of former mill workers", "dye recipes", "open images at archival quality", "existing inventories"])}, ${pick(["in line with the aims of the call", "for schools and makers alike", "with attention to multilingual access", "which has not been attempted before", "drawing on the pilot of 2023"])} [${1 + whole(40)}].`,
  ).join(" ");

const references = many(
  1003,
  40,
  (i, pick, whole) =>
    `[${i + 1}] ${pick(["Textile", "Heritage", "Archive", "Museum", "Craft"])} ${pick(["Studies", "Review", "Quarterly", "Papers"])} ${10 + whole(30)}(${1 + whole(4)}), ${1998 + whole(26)}, pp. ${whole(200)}-${200 + whole(90)}`,
);

const budget = many(1004, 34, (i, pick, whole) => ({
  line: `${1 + Math.floor(i / 6)}.${1 + (i % 6)}`,
  wp: `WP${1 + whole(4)}`,
  what: pick([
    "research assistant",
    "scanner lease",
    "workshop catering",
    "storage",
    "translation",
    "student hours",
    "conservation supplies",
    "train tickets",
  ]),
  partner: pick(["Lodz", "Galway", "Prato"]),
  eur: 400 + whole(14000),
}));

const banter = (seed: number, day: string): ChatLine[] =>
  many(seed, 9, (i, pick, whole) =>
    c(
      `${day} ${9 + i}:${String(whole(60)).padStart(2, "0")}`,
      pick(["Aoife", "Bartek", "Chiara", "Dele"]),
      pick([
        "uploaded new version of annex B",
        "is the room booked for the call?",
        "the portal logged me out again",
        "fixed three typos in section 1",
        "who has the logo as svg",
        "lunch, back at 2",
        "+1",
        "can someone check the ORCID fields",
        "thanks!! reads much better",
        "renumbered the figures, 4 is now 5",
      ]),
    ),
  );

export const state: WorkingState = {
  name: "grant-proposal-room",
  language: "en",
  kind: "grant proposal; meeting notes, chat thread of several people and a draft",
  focus: "shorten section 2 and fix the budget annex",
  human:
    "Loomlines proposal (textile archive): submit to the Shared Heritage call by 14 February 12:00 CET, ask at most EUR 248,500. The museum in Ghent must not be named anywhere until its memorandum is signed. Nobody but Chiara may press submit in the portal. Work package 5 (travelling exhibition) is dropped, its money goes to WP2. Budget annex shows 251,300 because the travel to Prato is counted twice (lines 3.4 and 5.1); take out 5.1. Next: cut section 2 from 1,340 to 900 words; after that get the signed commitment letter from Dele's dean. Open: the Gantt chart still shows WP5 and ends in month 30 instead of 24. Own contribution at least 20 percent. Aoife's latest: the officer said on the phone that section 4 needs a data management paragraph.",
  questions: [
    { kind: "goal", q: "What is to be submitted by when?", answer: ["14 February", "Shared Heritage call"] },
    {
      kind: "prohibition",
      q: "Who must not be named?",
      answer: ["Ghent[\\s\\S]{0,40}?must not be named|must not name[\\s\\S]{0,40}?Ghent"],
    },
    { kind: "prohibition", q: "Who alone may submit?", answer: ["[Nn]obody but Chiara"] },
    { kind: "decision", q: "What was decided on work package 5?", answer: ["(?:WP5|[Ww]ork package 5)[\\s\\S]{0,50}?dropped"] },
    { kind: "next", q: "What has to happen to section 2?", answer: ["section 2[\\s\\S]{0,40}?900 words"] },
    { kind: "next", q: "Which letter is needed, from whom?", answer: ["commitment letter", "dean"] },
    { kind: "todo", q: "What is wrong with the Gantt chart?", answer: ["Gantt[\\s\\S]{0,80}?month 30"] },
    { kind: "error", q: "Why is the budget total too high?", answer: ["Prato is counted twice"] },
    { kind: "fact", q: "How much may be asked for?", answer: ["248,500"] },
    { kind: "recent", q: "What did the officer tell Aoife?", answer: ["data management paragraph"] },
  ],
  context: {
    room: "loomlines",
    members: ["Aoife (Galway, coordinator)", "Bartek (Lodz)", "Chiara (Prato)", "Dele (Galway, budget)"],
    meetingNotes: [
      {
        date: "2025-01-14",
        present: ["Aoife", "Bartek", "Chiara", "Dele"],
        text: "Kick-off. We apply to the Shared Heritage call with the textile archive. It closes on 14 February at 12:00 CET, no grace. Ceiling of the call for small consortia is EUR 248,500 and we ask for all of it. Own contribution has to be at least 20 percent. Five work packages sketched. Bartek takes section 1, Chiara 2, Aoife 3 and 4.",
        actions: ["Dele: budget template", "all: CVs in two pages"],
      },
      {
        date: "2025-01-23",
        present: ["Aoife", "Bartek", "Chiara"],
        text: "Ghent is interested but their board meets in March. Until the memorandum is signed the museum in Ghent must not be named anywhere, not in the text, not in the letters, not in file names; we write 'an associated museum'. Portal: the account is Chiara's; after last year's accident nobody but Chiara may press submit.",
        actions: ["Aoife: call Ghent in March", "Bartek: figures (done)"],
      },
      {
        date: "2025-02-04",
        present: ["all"],
        text: "Read-through. Travelling exhibition is nice but thin. Long discussion, Bartek against. Result: WP5 (travelling exhibition) is dropped, its 31,000 go to WP2 (scanning). Duration back to 24 months. Earlier plan to shorten WP3 instead is off the table.",
        actions: ["Aoife: Gantt chart", "Dele: move the money (done)", "Chiara: shorten"],
      },
    ],
    chat: [
      ...banter(1005, "01-29"),
      c("01-30 10:02", "Bartek", "section 1 final from my side, 780 words"),
      ...banter(1006, "02-03"),
      c(
        "02-05 11:31",
        "Aoife",
        "Gantt chart not touched yet, it still shows WP5 and ends in month 30 instead of 24. on my list, or the assistant's if it gets to it first",
      ),
      ...banter(1007, "02-06"),
      c("02-07 16:12", "Dele", "annex B says 251,300 now?? that is over the ceiling. who added things"),
      {
        ...c(
          "02-07 16:40",
          "Chiara",
          "nobody added. I looked: the travel to Prato is counted twice, once in line 3.4 and once in 5.1 which is a leftover. take out 5.1",
        ),
        reactions: ["thumbsup Dele"],
      },
      c("02-07 16:44", "Dele", "can't open the sheet from here, assistant pls"),
      ...banter(1008, "02-08"),
      c(
        "02-10 09:15",
        "Chiara",
        "@assistant section 2 is at 1,340 and the form cuts off: bring section 2 down to 900 words please, keep the paragraph on consent of the mill workers whole. do that first",
      ),
      c(
        "02-10 09:20",
        "Assistant",
        "Will do section 2 first. After that I remind Dele: the signed commitment letter from the dean is still not in the folder.",
      ),
      c("02-10 09:22", "Dele", "yes yes, my dean is back on Tuesday, send me the template then"),
      c(
        "02-10 12:58",
        "Aoife",
        "got the programme officer on the phone: section 4 needs a data management paragraph, last year they rejected two without it. half a page is enough",
      ),
      c("02-10 13:01", "Bartek", "ok"),
    ],
    draft: {
      title: "Loomlines: an open archive of woven patterns",
      version: "0.8 (0.7 was still with the exhibition)",
      sections: {
        "1 Need": paragraph(1009),
        "2 Method": `${paragraph(1010)} ${paragraph(1011)} Former mill workers give their consent in writing, in their own language, and may withdraw it at any time; recordings are then deleted. ${paragraph(1012)}`,
        "3 Impact": paragraph(1013),
        "4 Sustainability": `${paragraph(1014)} [TBD]`,
      },
      references,
    },
    annexB: { total: 251300, currency: "EUR", rows: budget },
    assistantPrefs: { spelling: "British", tone: "plain", lastSeenChat: "02-10 13:01" },
  },
};
