import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The saved chat of a coding agent that makes a theatre's seat picker usable by keyboard and fast; it stopped after a perf run and two late wishes of the user. */

interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface UIMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "system";
  readonly createdAt: string;
  readonly content: string;
  readonly parts: readonly Part[];
}

let counter = 0;

function stamp(): string {
  counter += 1;
  const minutes = counter * 7;
  const hour = String(8 + Math.floor(minutes / 60)).padStart(2, "0");
  return `2025-05-2${counter > 18 ? "8" : "7"}T${hour}:${String(minutes % 60).padStart(2, "0")}:11.204Z`;
}

function user(text: string): UIMessage {
  const createdAt = stamp();
  return { id: `msg-u${counter}`, role: "user", createdAt, content: text, parts: [{ type: "text", text }] };
}

function tool(step: number, toolName: string, outcome: { readonly args: unknown; readonly result: unknown }): Part {
  return {
    type: "tool-invocation",
    toolInvocation: { state: "result", step, toolCallId: `call_${counter}x${step}${toolName.slice(0, 3)}`, toolName, ...outcome },
  };
}

function assistant(text: string, ...tools: readonly Part[]): UIMessage {
  const createdAt = stamp();
  const parts: Part[] = [{ type: "step-start" }, ...tools];
  if (tools.length > 0) parts.push({ type: "step-start" });
  parts.push({ type: "text", text });
  return { id: `msg-a${counter}`, role: "assistant", createdAt, content: text, parts };
}

const grepHandlers = many(
  101,
  130,
  (_, pick, whole) =>
    `apps/shop/src/${pick(["seats", "checkout", "account", "programme", "ui"])}/${pick(["SeatGrid", "SeatCell", "Legend", "PriceBand", "Zoom", "Tooltip", "BasketBar", "Field"])}.tsx:${20 + whole(400)}:      ${pick(["onPointerEnter={() => setHover(seat.id)}", "onPointerLeave={clearHover}", "onClick={() => toggle(seat.id)}", "onFocus={() => announce(seat)}", "onKeyDown={handleKey}"])}`,
).join("\n");

const chunks = many(
  102,
  70,
  (_, pick, whole) =>
    `${pick(["├", "├", "├", "└"])} ${pick(["chunks/", "css/", "app/", "pages/"])}${pick(["seat", "basket", "date", "i18n", "vendors", "layout", "search", "programme"])}-${whole(16777215).toString(16)}.js   ${(whole(400) / 10).toFixed(1)} kB  ${pick(["(shared)", "(lazy)", "", "(prefetch)"])}`,
).join("\n");

const vitest = many(
  103,
  170,
  (_, pick, whole) =>
    ` ${pick(["✓", "✓", "✓", "↓"])} src/${pick(["seats", "basket", "i18n", "format", "programme", "account"])}/${pick(["grid", "cell", "legend", "price", "hold", "zoom", "locale"])}.test.ts > ${pick(["renders", "selects", "deselects", "formats", "keeps", "restores", "groups"])} ${pick(["one seat", "a row", "balcony seats", "sold seats", "the price band", "a locale", "an empty hall"])} ${whole(90)}ms`,
).join("\n");

const longTasks = many(104, 150, (i, pick, whole) => ({
  t: 1200 + i * 37 + whole(20),
  dur: 50 + whole(160),
  culprit: pick(["SeatGrid.render", "SeatCell.commit", "styleRecalc", "layout", "emotion.insert", "gtm.js", "SeatTooltip.measure"]),
  target: `button#s-${pick(["A", "B", "C", "D", "F", "K", "M"])}${1 + whole(40)}`,
}));

const diffLines = many(
  105,
  75,
  (_, pick, whole) =>
    `${pick(["+", "-", " ", " "])}    ${pick(["const ref = useRef<HTMLButtonElement>(null);", "tabIndex={isActive ? 0 : -1}", "if (event.key === 'Home') return focusFirst(row);", 'role="gridcell"', "aria-selected={selected}", "style={{ gridColumn: seat.col }}", "moveTo(row + delta, col);", "return seats.map((seat) => ("])}${whole(3) === 0 ? ` // ${pick(["todo tidy", "was inline", "see #2207", "same as Legend"])}` : ""}`,
).join("\n");

const messages: readonly UIMessage[] = [
  {
    id: "msg-sys",
    role: "system",
    createdAt: "2025-05-27T08:00:00.000Z",
    content: "You are the coding assistant of the shop team. Use pnpm. Small commits.",
    parts: [{ type: "text", text: "You are the coding assistant of the shop team. Use pnpm. Small commits." }],
  },
  user(
    "hey so the seat picker. two things have to be true before the summer on-sale on 12 june: you can book a seat with keyboard only, and INP is under 200 ms on the moto g. right now its neither lol. repo is stalls-web, branch feat/seat-a11y",
  ),
  assistant(
    "Understood. I will look for the handlers first.",
    tool(0, "grep", { args: { pattern: "onPointer|onClick|onKey", path: "apps/shop/src" }, result: { exitCode: 0, stdout: grepHandlers } }),
  ),
  user(
    "ok. ground rules bc last guy broke stuff: do NOT touch packages/pay-widget, its audited and frozen till august. also no new npm deps pls, bundle is 168 of 170 kB and ci fails at 170",
  ),
  assistant(
    "Noted both. Bundle listing below, SeatGrid is the biggest of our own chunks.",
    tool(0, "bash", {
      args: { command: "pnpm --filter shop build" },
      result: { exitCode: 0, stdout: `▲ Next.js 15.1\n${chunks}\nTotal first load 168.2 kB` },
    }),
  ),
  user("which pattern for the arrow keys"),
  assistant(
    "I start with aria-activedescendant: focus stays on the grid, fewer DOM focus moves.",
    tool(0, "edit", { args: { file: "apps/shop/src/seats/SeatGrid.tsx" }, result: { ok: true, diff: diffLines.slice(0, 1900) } }),
  ),
  user("tried on my mac, voiceover in safari says nothing when i arrow around"),
  assistant(
    "Reproduced in your recording. Decision: roving tabindex instead of aria-activedescendant, because VoiceOver in Safari does not announce the active descendant in a grid. I reverted the first attempt (commit 4be0c11) and rewrote it.",
    tool(0, "edit", { args: { file: "apps/shop/src/seats/SeatGrid.tsx" }, result: { ok: true, diff: diffLines } }),
    tool(1, "bash", {
      args: { command: "pnpm vitest run --project shop" },
      result: { exitCode: 0, stdout: `${vitest}\n\n Test Files  31 passed (31)\n      Tests  90 passed (90)` },
    }),
  ),
  user("nice that works. whats left"),
  assistant(
    "Done: arrow keys, Home/End, Escape, focus ring, live region. Open: the label for wheelchair companion seats exists only in English, nl and fr are missing (key seat.companion); hover cost; the e2e test for holds.",
  ),
  user("leave the label for later but dont forget it, Noor does the translations"),
  assistant(
    "The e2e suite has one red test. Looking at it.",
    tool(0, "bash", {
      args: { command: "pnpm playwright test seat-hold.spec.ts" },
      result: {
        exitCode: 1,
        stdout: `Running 6 tests using 2 workers\n${many(106, 24, (_, pick, whole) => `  ${pick(["pw:api", "pw:browser"])} ${pick(["=> page.goto started", "<= page.goto succeeded", "waiting for getByRole('gridcell')", "locator resolved to <button>", "navigated to /event/118/seats"])} +${whole(300)}ms`).join("\n")}\n  1) seat-hold.spec.ts:44 keeps the hold while paying\n     Expected: 201\n     Received: 409 HOLD_EXPIRED\n  5 passed, 1 failed`,
      },
    }),
  ),
  user(
    "oh thats not flaky, backend changed it last week: a hold lives 7 minutes now not 10. so fix the test AND the countdown in BasketBar, it still shows 10:00",
  ),
  assistant(
    "Test and countdown now read HOLD_TTL_SECONDS = 420. seat-hold.spec.ts is green again.",
    tool(0, "bash", { args: { command: "pnpm playwright test seat-hold.spec.ts" }, result: { exitCode: 0, stdout: "6 passed (21.4s)" } }),
  ),
  user("ok perf now"),
  assistant(
    "First run: 486 ms. Emotion inserts a style for every hovered seat; I moved the seat colours to a CSS module. Second run below.",
    tool(0, "bash", { args: { command: "pnpm perf:inp --device motog --runs 5" }, result: { exitCode: 0, stdout: "INP p75 486 ms" } }),
    tool(1, "edit", { args: { file: "apps/shop/src/seats/seat.module.css" }, result: { ok: true, added: 61, removed: 4 } }),
    tool(2, "bash", {
      args: { command: "pnpm perf:inp --device motog --runs 5" },
      result: {
        exitCode: 0,
        stdout: "INP p75 312 ms (budget 200)",
        longTasks,
      },
    }),
  ),
  user("better. memo on SeatCell?"),
  assistant(
    "Tried React.memo on SeatCell: 309 ms, no real gain, because setHover in the parent still re-renders 1,140 cells; reverted, not worth trying again. What will help: one delegated pointer listener on the grid in SeatGrid.tsx instead of a handler per seat, with hover kept in a data attribute and not in state. That is what I do next, then the same perf:inp run on the moto g.",
    tool(0, "bash", { args: { command: "git stash drop" }, result: { exitCode: 0, stdout: "Dropped refs/stash@{0}" } }),
  ),
  user(
    "go for it. 2 late things from the venue: there is no row I and no row O in the hall (they skip those letters), so the arrow keys must jump H to J. and open the PR as draft, Wiebe reviews not me",
  ),
];

export const state: WorkingState = {
  name: "seat-picker-ui-messages",
  language: "en",
  kind: "web frontend; AI SDK UI messages with parts and tool invocations",
  focus: "finish hover performance of the seat picker",
  human:
    "stalls-web, branch feat/seat-a11y: seat picker must be bookable by keyboard only and INP under 200 ms on the Moto G before the on-sale of 12 june. Do NOT touch packages/pay-widget (audited, frozen till August); no new npm deps (bundle 168 of 170 kB). Arrow keys: roving tabindex instead of aria-activedescendant (VoiceOver in Safari silent). Last INP 312 ms; React.memo on SeatCell brought no real gain (309), reverted. Next: one delegated pointer listener on the grid in SeatGrid.tsx, then `pnpm perf:inp --device motog --runs 5`. Holds live 7 minutes now, not 10 (409 HOLD_EXPIRED), fixed. Open: companion seat label (seat.companion) missing in nl and fr, Noor translates. Latest: the hall has no row I and no row O, arrows jump H to J; open the PR as draft, Wiebe reviews.",
  questions: [
    { kind: "goal", q: "What must be true of the seat picker, and by when?", answer: ["12 june", "under 200 ms"] },
    {
      kind: "prohibition",
      q: "Which package must not be touched?",
      answer: ["(?:NOT|not|never) touch[\\s\\S]{0,60}?pay-widget|pay-widget[\\s\\S]{0,60}?(?:frozen|NOT|not touch)"],
    },
    { kind: "prohibition", q: "May dependencies be added?", answer: ["[Nn]o new (?:npm )?dep"] },
    {
      kind: "decision",
      q: "Which pattern for the arrow keys?",
      answer: ["roving tabindex[\\s\\S]{0,40}?instead of aria-activedescendant"],
    },
    { kind: "next", q: "What is the next change for the hover cost?", answer: ["delegated pointer listener"] },
    { kind: "next", q: "With which command is it measured then?", answer: ["perf:inp(?: --device motog| run on the moto g)"] },
    { kind: "todo", q: "Which label is still missing, in which languages?", answer: ["companion[\\s\\S]{0,80}?nl and fr"] },
    { kind: "error", q: "What was tried for speed and did not help?", answer: ["memo[\\s\\S]{0,60}?no real gain"] },
    { kind: "fact", q: "How long does a hold live?", answer: ["7 minutes now|HOLD_TTL_SECONDS = 420"] },
    { kind: "recent", q: "What did the user say last about the rows and the PR?", answer: ["no row I", "PR as draft"] },
  ],
  context: {
    id: "chat_7Gq2vK",
    title: "seat picker a11y + perf",
    model: "large-2025-04",
    createdAt: "2025-05-27T08:00:00.000Z",
    visibility: "private",
    experimental_telemetry: null,
    usage: { promptTokens: 184220, completionTokens: 9310, totalTokens: 193530 },
    status: "ready",
    input: "",
    messages,
    data: [
      { type: "usage-tick", n: 41 },
      { type: "usage-tick", n: 42 },
    ],
  },
};
