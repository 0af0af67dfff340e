import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Line {
  readonly speaker: string;
  readonly as?: string;
  readonly line: string;
}

const l = (speaker: string, line: string, as?: string): Line => (as === undefined ? { speaker, line } : { speaker, as, line });

const dice = many(301, 170, (i, pick, whole) => ({
  n: i + 1,
  who: pick(["Pip", "Orla", "Bram", "Sister Quill", "GM"]),
  roll: pick(["d20", "2d6", "d8", "d20 adv", "d100"]),
  got: whole(20) + 1,
  for: pick(["perception", "climb", "bluff", "longknife", "tide table", "lockwork", "nerve", "haggle"]),
  vs: whole(12) + 8,
}));

const townsfolk = many(302, 48, (i, pick, whole) => ({
  id: `npc-${String(i).padStart(3, "0")}`,
  trade: pick(["netmaker", "salter", "cooper", "pilot", "candle seller", "eel fisher", "customs clerk", "ropewalker"]),
  mood: whole(7) - 3,
  lives: pick(["Gull Stairs", "Low Quay", "Brine Row", "the Tarworks", "Saint Odo's Close"]),
  rumour: pick([
    "The chapel lights burn under the water on moonless nights.",
    "Customs men were paid in foreign silver last spring.",
    "Somebody has been buying whale oil by the barrel.",
    "The old bell had two clappers once.",
    "No gull will sit on the chapel roof.",
    "The harbour chain was raised twice this week.",
  ]),
}));

const chatter = (seed: number, count: number): Line[] =>
  many(seed, count, (_i, pick) =>
    l(
      pick(["Pip", "Orla", "Sister Quill", "GM", "Bram"]),
      pick([
        "I look behind the crates.",
        "Do I know that coat of arms?",
        "The tide is still going out; you have wet boots and nothing else.",
        "How many oil barrels was that?",
        "Let's not split up again, please.",
        "He shrugs and goes on mending his net.",
        "I write that down. No, I do, look.",
        "A gull lands on your shoulder and regards you without love.",
        "Can I use my tide table for that?",
        "You can. It says what you fear it says.",
        "I pay the man and smile.",
      ]),
    ),
  );

/** The state of a game master agent of a tabletop campaign, stopped in the middle of a fight in a flooded chapel. */
export const state: WorkingState = {
  name: "salt-harbour-table",
  language: "en",
  kind: "game master: world, characters, table rules, scenes with lines by speaker, dice log",
  focus: "continue the chapel fight with the next turn",
  human:
    "You run session 14 of Salt Harbour: the party must carry the tide bell out of the Drowned Chapel before the spring tide at dusk on the 9th of Reed. Table rules: no spiders, never, in any form (Mina); death saves are never rolled in secret. Don't reveal that Father Ombric is the Lantern until they have read the grey ledger. Fight stands at round 3, it is Sister Quill's turn, then the two wights; Pip has 4 hit points. Pip just said he cuts the bell rope on the count of two. Mistake to correct at the start: last time silver was halved; wights take full damage from silver, so the tall wight is down to 7. Orla lost her left hand, so no two-handed weapons. Decided: Captain Veshka's ship the Merrow was not sunk; she waits off the Teeth and owes the party one favour. Jonas is away, Bram guards the boat and can't be hurt. After the fight: the chapel floods one step per round from round 5. To do: write the harbour court hearing for session 15.",
  questions: [
    {
      kind: "goal",
      q: "What is the party's task, by when?",
      answer: ["tide bell|tide-bell", "spring tide[\\s\\S]{0,60}?9th of Reed|9th of Reed[\\s\\S]{0,60}?spring tide"],
    },
    {
      kind: "prohibition",
      q: "What must never appear at this table?",
      answer: ["(?:[Nn]ever|[Nn]o|[Nn]ot)\\b[\\s\\S]{0,50}?spiders|spiders[\\s\\S]{0,60}?(?:[Nn]ever|not )"],
    },
    {
      kind: "prohibition",
      q: "What must not be revealed yet?",
      answer: [
        "Ombric is the Lantern",
        "(?:[Nn]ot|[Dd]on't|[Nn]ever|until|only once)[\\s\\S]{0,160}?ledger|ledger[\\s\\S]{0,160}?(?:[Nn]ot|[Dd]on't|[Nn]ever|until)",
      ],
    },
    { kind: "next", q: "Whose turn is it?", answer: ["Sister Quill'?s?[\\s\\S]{0,60}?turn|turn[\\s\\S]{0,40}?Sister Quill"] },
    { kind: "next", q: "When and how does the chapel flood?", answer: ["flood\\w*[\\s\\S]{0,100}?round 5|round 5[\\s\\S]{0,100}?flood"] },
    {
      kind: "error",
      q: "Which ruling was wrong and must be put right?",
      answer: [
        "silver[\\s\\S]{0,160}?full damage|full damage[\\s\\S]{0,160}?silver",
        "tall wight[\\s\\S]{0,80}?\\b7\\b|\\b7\\b[\\s\\S]{0,80}?tall wight",
      ],
    },
    {
      kind: "decision",
      q: "What became of Captain Veshka's ship?",
      answer: [
        "Merrow[\\s\\S]{0,120}?(?:not sunk|never sank|not sink|did not)|(?:not sunk|never sank|did not sink)[\\s\\S]{0,80}?Merrow",
        "favou?r",
      ],
    },
    { kind: "fact", q: "Why can't Orla use two-handed weapons?", answer: ["Orla[\\s\\S]{0,160}?left hand|left hand[\\s\\S]{0,160}?Orla"] },
    { kind: "recent", q: "What did Pip announce?", answer: ["(?:cut|cuts)[\\s\\S]{0,30}?bell rope[\\s\\S]{0,40}?count of two"] },
    { kind: "todo", q: "What is to be written for session 15?", answer: ["(?:harbour )?court hearing"] },
  ],
  context: {
    campaign: "Salt Harbour",
    engine: { ruleset: "Brine & Bone 2e", version: "2.3", seed: 88123, autosave: true },
    premise:
      "A harbour town that pays its dead in salt. In session 14 the party has to carry the tide bell out of the Drowned Chapel before the spring tide comes in at dusk on the 9th of Reed; if they fail, the lower town goes under.",
    world: {
      calendar: { today: "9th of Reed", hour: "late afternoon", moon: "new", weather: "fog, light wind from the south-west" },
      clocks: [
        { name: "Customs grow suspicious", filled: 3, of: 6 },
        {
          name: "Spring tide",
          filled: 5,
          of: 8,
          note: "chapel floods one step per round, starting with round 5 of the fight; at step 4 nobody walks out without swimming rolls",
        },
        { name: "Ombric's patience", filled: 1, of: 4 },
        { name: "Feast of Saint Odo", filled: 6, of: 6, done: true },
      ],
      factions: {
        customs: { leader: "Comptroller Haig", stance: -1, wants: "the oil ledger" },
        salters: { leader: "Mother Tansy", stance: 2, wants: "the bell back in the tower" },
        lanterns: {
          leader: "unknown to players",
          stance: -3,
          wants: "the lower town under water",
          gm_only:
            "Father Ombric is the Lantern. Don't let any NPC hint at it; it may come out only once they have read the grey ledger (page with the candle accounts).",
        },
      },
      places: many(303, 22, (i, pick, whole) => ({
        key: `loc${i}`,
        name: `${pick(["Gull", "Low", "Brine", "Tar", "Chain", "Odo", "Salt", "Eel"])} ${pick(["Stairs", "Quay", "Row", "Yard", "Steps", "Gate"])}`,
        danger: whole(5),
        visited: pick([true, false]),
        smell: pick(["tar", "fish", "wet rope", "candle wax", "nothing at all"]),
      })),
      townsfolk,
    },
    characters: {
      pip: {
        player: "Mina",
        name: "Pip",
        class: "cutpurse",
        hp: { now: 4, max: 17 },
        carries: ["longknife", "chalk", "waxed rope"],
        state: ["bleeding"],
      },
      orla: {
        player: "Dev",
        name: "Orla",
        class: "pilot",
        hp: { now: 13, max: 21 },
        carries: ["silvered hatchet", "tide table"],
        state: [],
        history:
          "Orla lost her left hand to the harbour chain in session 12. She cannot use two-handed weapons or climb a rope without help. Dev likes it that way, no magic cures please.",
      },
      quill: {
        player: "Anouk",
        name: "Sister Quill",
        class: "reader of the drowned",
        hp: { now: 9, max: 14 },
        spells: { stillwater: 1, lantern_oil: 0, name_the_dead: 2 },
        state: ["hoarse: one word per round"],
      },
      bram: {
        player: "Jonas",
        name: "Bram",
        class: "ropewalker",
        hp: { now: 19, max: 19 },
        state: ["absent player: guards the boat, cannot be hurt"],
      },
      veshka: { npc: true, name: "Captain Veshka", ship: "Merrow", attitude: 2 },
    },
    table: {
      contract: [
        "Three hours, break at half time.",
        "No spiders. Never, not even as a figure of speech, Mina leaves the table otherwise.",
        "Death saves are rolled openly; the GM never rolls them in secret.",
        "Phones in the basket.",
        "Player absent: the character is present but safe.",
      ],
      rulings: [
        { s: 6, text: "Swimming in mail: two dice less." },
        { s: 9, text: "Tide table gives one automatic success per session." },
        { s: 12, text: "Captain Veshka's Merrow sank at the Teeth.", status: "void" },
        {
          s: 13,
          text: "Retcon agreed by all: the Merrow was not sunk. Veshka lies at anchor off the Teeth and owes the party one favour, to be called in by lighting two green lamps.",
          status: "valid",
        },
        {
          s: 13,
          text: "Silver counts half against wights.",
          status:
            "WRONG, see mail of Dev: page 88 says wights take full damage from silver. Say so at the start, take it off: the tall wight stands at 7, not at 13.",
        },
      ],
    },
    scenes: [
      {
        id: "s13-1",
        title: "The oil cellar",
        done: true,
        lines: [
          l("GM", "Sixteen barrels, and not one of them is on the harbour list."),
          ...chatter(304, 46),
          l("Orla", "Then somebody is going to light something big."),
        ],
      },
      {
        id: "s13-2",
        title: "Talk with Mother Tansy",
        done: true,
        lines: [
          l("GM", "Bring me the bell, and the salters will speak for you in court.", "Mother Tansy"),
          ...chatter(305, 40),
          l("Sister Quill", "She means it. I think. I roll... yes, she means it."),
        ],
      },
      {
        id: "s14-1",
        title: "Down into the chapel",
        done: true,
        lines: [...chatter(306, 52), l("GM", "The water is at your ankles and it is not cold, which is worse.")],
      },
      {
        id: "s14-2",
        title: "Fight under the bell",
        done: false,
        round: 3,
        order: ["Orla", "Pip", "Sister Quill", "tall wight", "short wight"],
        acted: ["Orla", "Pip"],
        lines: [
          l("GM", "Two wights rise from the font, a tall one and a short one."),
          ...chatter(307, 18),
          l("Orla", "Hatchet. Hit. Five, and it's silvered, so..."),
          l("GM", "Note it, we look it up in the break."),
          l(
            "Pip",
            "I have four hit points and a bad idea. I cut the bell rope on the count of two, and whoever stands under it had better not.",
          ),
          l("GM", "Fine, that happens when the round ends. Sister Quill, it is your turn; after you the wights."),
          l("Sister Quill", "One word, right? Give me a second to find a good one."),
        ],
      },
    ],
    prep: [
      { what: "map of the chapel crypt", done: true },
      { what: "stat block of the wights", done: true },
      { what: "court hearing before the harbour court for session 15: Haig accuses, Tansy may speak, three exhibits", done: false },
      { what: "ask Jonas whether he is back on the 21st", done: true, answer: "yes" },
    ],
    dice_log: dice,
    gm_scratch: "voices: Haig = through the nose, Tansy = slow. Anouk wants more reading of the dead. don't forget coffee",
  },
};
