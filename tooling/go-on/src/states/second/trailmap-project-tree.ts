import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The nested project tree of a coding agent that brings offline maps into a hiking app; it stopped in the middle of the tile cache. */

type Status = "done" | "in_progress" | "blocked" | "todo" | "wontfix";

interface Node {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly owner: string;
  readonly dependsOn: readonly string[];
  readonly estimate?: string;
  readonly notes: readonly string[];
  readonly log: readonly string[];
  readonly children: readonly Node[];
}

const buildLog = (seed: number, count: number): string[] =>
  many(seed, count, (_, pick, whole) =>
    pick([
      `gradle > Task :app:${pick(["mergeDebugResources", "kspDebugKotlin", "dexBuilderDebug", "lintVitalRelease", "compileDebugKotlin"])} ${pick(["UP-TO-DATE", "FROM-CACHE", "NO-SOURCE", ""])} ${whole(9000)}ms`,
      `xcodebuild CompileSwift normal arm64 ${pick(["TileView", "RouteCell", "TrackRecorder", "ElevationChart", "SettingsSheet"])}.swift (${whole(400)} of 412)`,
      `test ${pick(["RouteListTests", "SearchTest", "SyncQueueTests", "GpxImportTest", "UnitsTest"])}.${pick(["emptyList", "longTitle", "rotates", "offline", "metricImperial"])} passed (${(whole(3000) / 1000).toFixed(3)}s)`,
      `lint ${pick(["i18n/nb.json", "i18n/de.json", "i18n/pl.json"])}: ${whole(400)} keys, ${pick(["none", "none", "1", "2"])} unused`,
      `detox step ${whole(80)}: tap ${pick(["mapCanvas", "layerButton", "searchField", "startTrack", "backButton"])} ${pick(["ok", "ok", "retried once"])}`,
    ]),
  );

const areas = [
  "map canvas",
  "route list",
  "track recorder",
  "settings",
  "search",
  "sync",
  "onboarding",
  "photos",
  "share sheet",
  "elevation chart",
] as const;

function finished(seed: number, from: number, count: number): Node[] {
  return many(seed, count, (i, pick, whole) => ({
    id: `MAP-${from + i}`,
    title: `${pick(["Polish", "Rewrite", "Test", "Localise", "Instrument", "Fix flicker in", "Remove old code of"])} ${pick(areas)}`,
    status: pick<Status>(["done", "done", "done", "done", "wontfix"]),
    owner: pick(["agent", "agent", "Tomasz", "Imani", "Sefa"]),
    dependsOn: whole(3) === 0 ? [`MAP-${from + whole(count)}`] : [],
    estimate: `${1 + whole(5)}d`,
    notes: [
      `${pick(["Merged in", "Closed with", "Landed as"])} PR ${800 + whole(700)}; ${pick(["no follow-up", "screenshots in the PR", "QA passed on both platforms", "behind flag, now removed", "Sefa approved the copy", "second try, first one leaked a listener"])}.`,
    ],
    log: buildLog(seed * 31 + i, 9 + whole(8)),
    children: [],
  }));
}

const project: Node = {
  id: "MAP-0",
  title: "Cairn 2.0",
  status: "in_progress",
  owner: "Imani",
  dependsOn: [],
  notes: [
    "Cairn 2.0 with offline maps goes live in both stores on 3 May, the first weekend of the hut season. Everything else can slip into 2.1, offline maps cannot.",
    "Device matrix: Pixel 4a, Galaxy A14, iPhone SE 2, iPhone 13. The wardens' rental phones run Android 8, so never raise minSdk above 26.",
    "Old date in the pitch deck (12 April) is void.",
  ],
  log: [],
  children: [
    {
      id: "MAP-1",
      title: "Groundwork",
      status: "done",
      owner: "agent",
      dependsOn: [],
      notes: ["All green since February."],
      log: [],
      children: finished(701, 2, 26),
    },
    {
      id: "MAP-30",
      title: "Design refresh",
      status: "done",
      owner: "Sefa",
      dependsOn: [],
      notes: ["Tokens exported, dark theme included."],
      log: [],
      children: finished(702, 31, 24),
    },
    {
      id: "MAP-60",
      title: "Track recording",
      status: "done",
      owner: "Tomasz",
      dependsOn: ["MAP-1"],
      notes: ["Recording continues with the screen off through the foreground service."],
      log: [],
      children: [
        ...finished(703, 61, 18),
        {
          id: "MAP-79",
          title: "Store review of 1.9",
          status: "done",
          owner: "Imani",
          dependsOn: [],
          notes: [
            "Rejected once in January because of the location declaration. Imani settled it with the reviewers: we do not request ACCESS_BACKGROUND_LOCATION, ever, not even for a debug flavour, or the listing goes into manual review for weeks.",
          ],
          log: buildLog(704, 12),
          children: [],
        },
      ],
    },
    {
      id: "MAP-100",
      title: "Offline maps",
      status: "in_progress",
      owner: "agent",
      dependsOn: ["MAP-1", "MAP-30"],
      notes: [
        "Format: we compared PMTiles and MBTiles in MAP-104. MBTiles chosen over PMTiles: SQLite is there already and partial updates of a region work; PMTiles would need a whole file per change.",
        "Region packs come from tiles.cairn.example/v4, v3 is switched off on 30 April.",
      ],
      log: [],
      children: [
        ...finished(705, 101, 12),
        {
          id: "MAP-114",
          title: "Move old packs of 1.x to the new store",
          status: "in_progress",
          owner: "Tomasz",
          dependsOn: ["MAP-104"],
          notes: [
            "Crash on iOS 16 only: EXC_BAD_ACCESS in TileStore.swift:212 during the move. First thought it was the low-memory killer, it is not. Cause: the sqlite handle is closed on the main queue while the copy still reads from it. Tomasz has the fix on branch fix/handle-lifetime, not merged, needs a test.",
          ],
          log: buildLog(706, 60),
          children: [],
        },
        {
          id: "MAP-117",
          title: "Download manager",
          status: "done",
          owner: "agent",
          dependsOn: [],
          notes: ["Resumes after airplane mode. Wi-Fi only by default."],
          log: buildLog(707, 40),
          children: [],
        },
        {
          id: "MAP-118",
          title: "Tile cache with eviction",
          status: "in_progress",
          owner: "agent",
          dependsOn: ["MAP-117"],
          notes: [
            "Cap is 1.5 GB (Imani, was 2 GB, the A14 has no room). Pinned regions do not count.",
            "State: LRU by last access works on Android. Next step: port evictLeastRecent() to iOS in TileCache.swift, the tests in TileCacheTests are written and red.",
          ],
          log: buildLog(708, 75),
          children: [],
        },
        {
          id: "MAP-121",
          title: "Battery test",
          status: "blocked",
          owner: "agent",
          dependsOn: ["MAP-118"],
          notes: [
            "As soon as MAP-118 is merged: run the four-hour battery script on the Pixel 4a (scripts/battery.sh --hours 4), drain must stay below 9 percent per hour.",
          ],
          log: [],
          children: [],
        },
        {
          id: "MAP-123",
          title: "Contour lines",
          status: "wontfix",
          owner: "Sefa",
          dependsOn: [],
          notes: ["Moved to 2.1."],
          log: buildLog(709, 10),
          children: [],
        },
      ],
    },
    {
      id: "MAP-130",
      title: "Release chores",
      status: "in_progress",
      owner: "Imani",
      dependsOn: ["MAP-100"],
      notes: [],
      log: [],
      children: [
        ...finished(710, 131, 10),
        {
          id: "MAP-142",
          title: "Store screenshots",
          status: "todo",
          owner: "Sefa",
          dependsOn: ["MAP-118"],
          notes: ["Sefa waits for a build with the download sheet."],
          log: [],
          children: [],
        },
        {
          id: "MAP-143",
          title: "Attribution screen",
          status: "todo",
          owner: "agent",
          dependsOn: [],
          notes: [
            "Still to do: add the licence line of the survey office to the About screen, the contract asks for it. Text is in legal/survey.txt, ten minutes of work.",
          ],
          log: [],
          children: [],
        },
        {
          id: "MAP-144",
          title: "Beta groups",
          status: "done",
          owner: "Imani",
          dependsOn: [],
          notes: ["140 testers, feedback in the sheet."],
          log: buildLog(711, 12),
          children: [],
        },
      ],
    },
    {
      id: "MAP-150",
      title: "Leftovers of 1.9, closed",
      status: "done",
      owner: "Imani",
      dependsOn: [],
      notes: ["Kept for the history only."],
      log: [],
      children: finished(712, 151, 22),
    },
  ],
};

export const state: WorkingState = {
  name: "trailmap-project-tree",
  language: "en",
  kind: "mobile app; nested project tree of todos with notes and logs",
  focus: "go on with the tile cache on iOS",
  human:
    "Cairn 2.0 with offline maps must go live in both stores on 3 May. Never raise minSdk above 26 (wardens' Android 8 phones). We do not request ACCESS_BACKGROUND_LOCATION, ever. MAP-118 tile cache in progress, cap is 1.5 GB: next step port evictLeastRecent() to iOS in TileCache.swift (tests red). Once merged, MAP-121: four-hour battery script on the Pixel 4a, below 9 percent per hour. MBTiles chosen over PMTiles (partial updates). MAP-114: EXC_BAD_ACCESS in TileStore.swift:212, sqlite handle closed on the main queue during the copy; Tomasz, branch fix/handle-lifetime, unmerged. MAP-143 to do: licence line of the survey office in About. Latest from Imani: the beta on Friday goes out without photo sync, switch flag photo_sync off.",
  questions: [
    { kind: "goal", q: "What goes live, when?", answer: ["offline maps", "3 May"] },
    { kind: "prohibition", q: "What about minSdk?", answer: ["never raise minSdk above 26|Never raise minSdk above 26"] },
    { kind: "prohibition", q: "Which permission is never requested?", answer: ["not request ACCESS_BACKGROUND_LOCATION"] },
    { kind: "next", q: "What is the next step of MAP-118?", answer: ["port evictLeastRecent\\(\\) to iOS"] },
    { kind: "next", q: "What is run once MAP-118 is merged?", answer: ["four-hour battery script"] },
    { kind: "todo", q: "What is missing on the About screen?", answer: ["licence line of the survey office"] },
    { kind: "decision", q: "Which tile format, and why?", answer: ["MBTiles chosen over PMTiles"] },
    {
      kind: "error",
      q: "Where does the move crash, and why?",
      answer: ["TileStore\\.swift:212", "handle (?:is )?closed on the main queue"],
    },
    { kind: "fact", q: "How large may the cache be?", answer: ["[Cc]ap is 1\\.5 GB"] },
    { kind: "recent", q: "What did Imani decide for Friday's beta?", answer: ["without photo sync"] },
  ],
  context: {
    schema: "tasks/3",
    project,
    activeId: "MAP-118",
    expanded: ["MAP-0", "MAP-100", "MAP-118"],
    filters: { owner: null, status: ["in_progress", "blocked", "todo"] },
    activity: [
      ...many(713, 45, (i, pick, whole) => ({
        at: `04-${String(1 + Math.floor(i / 3)).padStart(2, "0")} ${String(8 + whole(10)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}`,
        who: pick(["agent", "Tomasz", "Sefa", "ci"]),
        what: `${pick(["moved", "commented on", "pushed to", "renamed", "linked"])} MAP-${100 + whole(44)}`,
      })),
      { at: "04-16 09:05", who: "Sefa", what: "asked whether the download sheet is final (answered: yes)" },
      {
        at: "04-16 17:31",
        who: "Imani",
        what: "Friday's beta goes out without photo sync, the server is not ready. Please switch the flag photo_sync off in both apps before you build it.",
      },
    ],
    deviceLogs: { "pixel-4a": buildLog(714, 700), "iphone-se2": buildLog(715, 620) },
    stats: { total: 128, open: 8, refreshed: "04-15" },
  },
};
