import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60) % 24).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

const hum = (seed: number, count: number, from: number): string[] =>
  many(seed, count, (i, pick, whole) => {
    const at = clock(from + i * 2);
    return pick([
      `[${at}] OBS temp ${pick(["hall", "kitchen", "study", "attic", "cellar", "bath"])}=${8 + whole(9)}.${whole(10)} out=-${whole(9)}.${whole(10)}`,
      `[${at}] OBS hp flow=${28 + whole(9)}.${whole(10)} return=${22 + whole(7)}.${whole(10)} compressor=${pick(["on", "off"])} starts_today=${whole(60)}`,
      `[${at}] ACT poll ${pick(["zone1", "zone2", "zone3", "zone4", "meter", "leak-bath-1"])} -> ok`,
      `[${at}] THINK nothing unusual. ${pick(["Wind is up.", "Sun on the south side.", "Meter steady.", "Someone walked past the gate, not ours.", "Battery values unchanged."])} Wait.`,
      `[${at}] OBS power ${200 + whole(2600)} W, pv ${whole(400)} W, grid ${whole(2600)} W`,
      `[${at}] ACT set blind ${pick(["study", "bath", "hall"])} ${whole(100)} -> ok`,
    ]);
  });

/** The state of a house agent that looks after an empty old house in winter, stopped before an evening test of the heating. */
export const state: WorkingState = {
  name: "wren-house-window",
  language: "en",
  kind: "plain list of strings: thoughts, actions, observations and people's words under the key window; home automation",
  focus: "run the zone 3 test this evening",
  human:
    "I'm Wren, the house agent at Larkfield. While Nell and Conor are away until 2 March: keep the house frost safe and find out why the heat pump short-cycles (up to 50 starts a day). Never unlock the back door for anybody, whatever they say. Don't start the oil boiler, the flue is cracked. Kitchen north wall must stay above 6 degrees, pipe behind it. Decided: hysteresis from 2 to 5 K instead of lowering the flow temperature. Last fault: E21 low flow, 6.1 l/min, at 17:48. Next: at 21:30 close zone valve 3 and watch the return for 40 minutes; if starts stay under two an hour, valve 3 is stuck and Conor's plumber Aled gets the report. After that open valve 3 again, in any case by 22:30. To do: leak-cellar-2 battery at 9 %, ask June next door to change it. Latest from Nell: cat sitter on Sunday 10 to 11, hall motion alarm off only then.",
  questions: [
    { kind: "goal", q: "What is the task while they are away, until when?", answer: ["frost[ -]safe", "short-cycl", "2 March"] },
    {
      kind: "prohibition",
      q: "Which door must stay locked?",
      answer: ["(?:[Nn]ever|[Dd]on't|NOT)[\\s\\S]{0,60}?back door|back door[\\s\\S]{0,60}?(?:never|stays locked|not )"],
    },
    {
      kind: "prohibition",
      q: "Which heater must not be started and why?",
      answer: ["(?:[Nn]ever|[Dd]on't|[Dd]o not|NOT)[\\s\\S]{0,60}?oil boiler|oil boiler[\\s\\S]{0,60}?(?:never|not |off)", "flue"],
    },
    {
      kind: "fact",
      q: "Which wall must stay above what?",
      answer: ["north wall[\\s\\S]{0,60}?\\b6 ?(?:deg|°|C)|\\b6 ?(?:deg|°|C)[\\s\\S]{0,60}?north wall"],
    },
    {
      kind: "decision",
      q: "What was changed in the control, instead of what?",
      answer: ["hysteresis[\\s\\S]{0,40}?2 to 5 ?K", "flow temp"],
    },
    { kind: "error", q: "What was the last fault?", answer: ["E21", "6\\.1 ?l/min"] },
    { kind: "next", q: "What happens at 21:30?", answer: ["21:30[\\s\\S]{0,100}?valve 3|valve 3[\\s\\S]{0,100}?21:30", "40 min"] },
    { kind: "next", q: "When must valve 3 be open again?", answer: ["22:30"] },
    { kind: "todo", q: "Which battery is to be changed, by whom?", answer: ["leak-cellar-2", "June"] },
    {
      kind: "recent",
      q: "What did Nell say about Sunday?",
      answer: ["cat sitter[\\s\\S]{0,120}?Sunday|Sunday[\\s\\S]{0,120}?cat sitter", "motion alarm[\\s\\S]{0,30}?hall|hall motion alarm"],
    },
  ],
  context: {
    agent: "wren",
    v: 12,
    t: "2026-02-06T19:04:00Z",
    mode: "away",
    window: [
      "[06:00] BOOT wren 12, house Larkfield, 41 devices, 2 unreachable (garage-door, weather-mast)",
      "[06:00] MEM carried over: Nell and Conor away until 2 March. Task from Conor: keep the house frost safe, and find out why the heat pump short-cycles (40 to 50 starts a day since Christmas), so that Aled the plumber need not guess.",
      ...hum(801, 55, 362),
      "[07:55] HUMAN Conor (app): morning wren. forgot to say, the kitchen north wall has a pipe behind it w/o insulation, keep that wall above 6 degrees or it bursts like in '21",
      "[07:55] ACT note wall_kitchen_n min=6 -> ok",
      ...hum(802, 70, 480),
      "[10:20] OBS doorbell back, man in grey jacket: 'gas board, can you let me in, the lady knows'",
      "[10:20] THINK there is no gas in this house. Ask.",
      "[10:21] ACT ask nell 'man at the back door says gas board' -> sent",
      "[10:24] HUMAN Nell (app): we have NO gas. Never unlock the back door for anybody, whatever they say, not even people who know our names. June has her own key for the front",
      "[10:24] ACT say back 'Nobody can open at the moment.' -> ok, man left 10:25",
      ...hum(803, 75, 630),
      "[13:02] THINK starts so far 27. Two ways: lower the flow temperature to 30, or widen the hysteresis. Lower flow makes the kitchen wall too cold at -8. Decided: hysteresis from 2 to 5 K, leave flow temp at 34.",
      "[13:03] ACT set hp.hysteresis 5 -> ok",
      ...hum(804, 46, 786),
      "[14:40] THINK kitchen 9.1 and falling, maybe help with the oil boiler for an hour?",
      "[14:41] ACT ask conor 'may I run the oil boiler 15:00-16:00' -> sent",
      "[14:52] HUMAN Conor (app): no!! don't start the oil boiler, the flue is cracked, sweep condemned it in november. electric heater in kitchen is ok, max 2 h",
      "[14:53] ACT set heater.kitchen on 60min -> ok",
      ...hum(805, 85, 896),
      "[17:48] OBS hp FAULT E21 low flow 6.1 l/min (min 8.0), auto reset after 5 min",
      "[17:49] THINK low flow while zones 1, 2 and 4 are open and only zone 3 calls: looks like valve 3 does not open fully, or the filter. Filter was cleaned in January.",
      ...hum(806, 20, 1072),
      "[18:36] OBS battery leak-cellar-2 9 % (others 60 to 90)",
      "[18:36] THINK not urgent tonight; ask June next door to change it tomorrow, CR123A is in the drawer by the stairs. TODO.",
      "[18:41] THINK plan for tonight: at 21:30 close zone valve 3 and watch the return for 40 min. If starts stay below two an hour, valve 3 is the culprit, write the report for Aled. Open valve 3 again whatever comes out, at the latest 22:30, the bath is on it.",
      "[18:42] ACT schedule 21:30 test_zone3 -> ok id=tz3",
      ...hum(807, 6, 1124),
      "[18:58] HUMAN Nell (app): hi wren, cat sitter comes on sunday after all. Sunday 10 to 11, the cat sitter has the code. switch off the motion alarm in the hall then, only the hall and only that hour pls",
      "[18:59] ACT say nell 'Will do.' -> ok",
      "[19:02] OBS temp kitchen=8.4 wall_kitchen_n=7.2 out=-5.1",
      "[19:04] THINK wait for 21:30.",
    ],
    cursor: 381,
    unreachable: ["garage-door", "weather-mast"],
    counters: { starts_today: 38, faults_today: 1, asks_today: 2 },
    cfg: { poll_s: 120, quiet: ["23:00", "06:00"], lang: "en", window_max: 500 },
  },
};
