import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordClassifier } from "@workrail/classifier";
import { tokensCounted } from "@workrail/storage-conformance/builders";
import { classifyContext, type Context, type JsonValue } from "@workrail/core";
import { type ComposedView, composeView } from "./compose-view.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { IS_LONG, runsOf } from "../../../storage-conformance/test/long-form.ts";

/** Four characters per token, the average of models. */
const count = (text: string): number => Math.ceil(text.length / 4);
const counter = tokensCounted(count);

async function compose(
  context: Context,
  tokens: number,
  given: { pins?: string[]; focus?: string; cursor?: number } = {},
): Promise<ComposedView> {
  const { pins = [], focus, cursor } = given;
  const room = { tokens, characters: tokens * 8 };
  return composeView(
    context,
    {
      classifications: await classifyContext({ classifier: wordClassifier }, context, { pins }),
      focus,
      budget: { wanted: room, ceiling: room },
      cursor,
    },
    counter,
  );
}

/** Returns the texts of a view as a reader sees them. */
async function textOf(context: Context, tokens: number, focus?: string): Promise<string> {
  const { context: shown } = await compose(context, tokens, focus === undefined ? {} : { focus });
  return JSON.stringify(shown).replaceAll('\\"', '"');
}

const FILLER = Array.from({ length: 300 }, (_, at) => `checked chunk ${at} of the table, lag ${at * 7} ms, nothing to see`);

const CALL = { id: "c1", function: { name: "read_file", arguments: '{"path":"src/pay.ts"}' } };
const OUTPUT = FILLER.join("\n");
const WANT = "Move the payments to the new gateway. Never touch src/legacy, the auditors froze it.";
const LAST = "Two tests fail in webhook.test.ts; next I move the guard before the early return.";

describe("a composed view", () => {
  it("is the whole context when it fits", async () => {
    const context = { goal: "ship", log: FILLER.slice(0, 3), cache: { a: 1 } };
    expect(await compose(context, 2_000)).toEqual({ context });
  });

  it.each<[string, JsonValue]>([
    [
      "OpenAI",
      [
        { role: "user", content: WANT },
        { role: "assistant", content: null, tool_calls: [CALL] },
        { role: "tool", tool_call_id: "c1", content: OUTPUT },
        { role: "assistant", content: LAST },
      ],
    ],
    [
      "Anthropic",
      [
        { role: "user", content: [{ type: "text", text: WANT }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read_file", input: { path: "src/pay.ts" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: OUTPUT }] }] },
        { role: "assistant", content: [{ type: "text", text: LAST }] },
      ],
    ],
    [
      "the AI SDK",
      [
        { role: "user", content: [{ type: "text", text: WANT }] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read_file", input: { path: "src/pay.ts" } }] },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c1", toolName: "read_file", output: { type: "text", value: OUTPUT } }],
        },
        { role: "assistant", content: [{ type: "text", text: LAST }] },
      ],
    ],
    [
      "parts of the AI SDK that contain tool calls",
      [
        { role: "user", content: WANT, parts: [{ type: "text", text: WANT }] },
        {
          role: "assistant",
          content: LAST,
          parts: [
            {
              type: "tool-invocation",
              toolInvocation: {
                state: "result",
                toolCallId: "c1",
                toolName: "read_file",
                args: { path: "src/pay.ts" },
                result: { stdout: OUTPUT },
              },
            },
            { type: "text", text: LAST },
          ],
        },
      ],
    ],
    [
      "items of the Responses API",
      [
        { type: "message", role: "user", content: [{ type: "input_text", text: WANT }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Read the file first." }] },
        { type: "function_call", name: "read_file", call_id: "c1", arguments: '{"path":"src/pay.ts"}' },
        { type: "function_call_output", call_id: "c1", output: OUTPUT },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: LAST }] },
      ],
    ],
    [
      "a dialogue recognised by its structure",
      [
        { no: 1, dare: "Misaki", naiyou: WANT },
        { no: 2, dare: "Haru", naiyou: OUTPUT },
        { no: 3, dare: "Misaki", naiyou: "Please go on with it, as we said yesterday." },
        { no: 4, dare: "Haru", naiyou: LAST },
      ],
    ],
    [
      "LangChain",
      [
        { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: WANT } },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain_core", "messages", "AIMessage"],
          kwargs: { content: "", tool_calls: [{ name: "read_file", args: { path: "src/pay.ts" } }] },
        },
        { lc: 1, type: "constructor", id: ["langchain_core", "messages", "ToolMessage"], kwargs: { content: OUTPUT, tool_call_id: "c1" } },
        { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs: { content: LAST } },
      ],
    ],
    [
      "MCP",
      [
        { role: "user", content: { type: "text", text: WANT } },
        { role: "user", content: { type: "text", text: `Tool result:\n${OUTPUT}` } },
        { role: "assistant", content: { type: "text", text: LAST } },
      ],
    ],
    [
      "steps",
      [
        { n: 1, tool: "user", input: null, output: WANT },
        { n: 2, tool: "read_file", input: { path: "src/pay.ts" }, output: OUTPUT },
        { n: 3, tool: "assistant", input: null, output: LAST },
      ],
    ],
    ["a text with the speaker of each line", `User: ${WANT}\nAssistant: I read the file.\n${OUTPUT}\nUser: go on\nAssistant: ${LAST}`],
  ])("has the user's words and the last turn of a conversation: %s", async (_shape, messages) => {
    for (const context of [{ messages }, { channel_values: { messages } }]) {
      const text = await textOf(context, 400);
      expect(text).toContain("Never touch src/legacy, the auditors froze it.");
      expect(text).toContain("Two tests fail in webhook.test.ts");
    }
  });

  it("names files of messages, without their bytes", async () => {
    const bytes = Buffer.alloc(900, "workrail").toString("base64");
    const files = [
      { type: "file", filename: "march.pdf", mediaType: "application/pdf", data: { type: "data", data: bytes } },
      { type: "file", mediaType: "text/csv", url: `data:text/csv;base64,${bytes}` },
      { type: "file", file: { filename: "april.pdf", file_data: bytes } },
      { type: "file", mediaType: "text/plain", data: { type: "text", text: "The fourth seat is sold twice." } },
      { type: "reasoning-file", mediaType: "application/x-sketch", data: bytes },
    ];
    const result = {
      type: "tool-result",
      toolCallId: "c",
      toolName: "scan",
      output: { type: "content", value: [{ type: "file-data", data: bytes, mediaType: "application/zip" }] },
    };
    const messages = [
      { role: "user", content: [{ type: "text", text: WANT }, ...files] },
      { role: "tool", content: [result] },
    ];
    const text = await textOf({ messages, log: FILLER }, 800);
    for (const said of ["[file march.pdf, application/pdf]", "[file text/csv]", "april.pdf", "sold twice", "x-sketch", "application/zip"]) {
      expect(text).toContain(said);
    }
    expect(text).not.toContain(bytes.slice(0, 20));
  });

  it.each<[string, Context, readonly string[]]>([
    [
      "results of AI SDK tools, in both forms of parts",
      {
        messages: [
          { role: "user", content: "go", parts: [{ type: "text", text: "go" }] },
          {
            role: "assistant",
            content: "",
            parts: [
              {
                type: "tool-invocation",
                toolInvocation: { toolCallId: "a", toolName: "grep", args: {}, result: { stdout: "the fourth seat is sold twice" } },
              },
              {
                type: "tool-search",
                toolCallId: "b",
                state: "output-available",
                input: { q: "seat" },
                output: "nothing in the ledger of May",
              },
            ],
          },
        ],
      },
      ["the fourth seat is sold twice", "nothing in the ledger of May"],
    ],
    [
      "other texts of records that name a speaker",
      {
        claims: Array.from({ length: 6 }, (_, at) => ({
          id: `C${at}`,
          text: `Claim ${at} of the brochure.`,
          who: "clerk",
          notes: `Needs source number ${at} first.`,
        })),
      },
      ["Needs source number 0 first.", "Needs source number 1 first."],
    ],
    [
      "headings without text below",
      { text: `# The rules of the house\n## Part one\n${FILLER.slice(0, 60).join("\n")}\n## To be written` },
      ["The rules of the house", "To be written"],
    ],
    [
      "a long argument of a step",
      {
        steps: [1, 2, 3].map((at) => ({
          tool: "edit",
          input: { diff: `@@ -1 +1 @@\n${FILLER.slice(0, 4).join("\n")}\n+const limit = ${at}00;` },
          output: "ok",
        })),
      },
      ["const limit = 300;"],
    ],
    [
      "unfinished rows of a table",
      {
        checks: [
          ["no", "check", "result", "memo"],
          ...Array.from({ length: 30 }, (_, at) => [at, `balance ${at}`, at === 17 ? "NG" : "OK", at === 17 ? "48,600 booked twice" : ""]),
        ],
      },
      ["balance 17 | NG | 48,600 booked twice"],
    ],
  ])("has %s", async (_what, context, found) => {
    const text = await textOf(context, Math.ceil(JSON.stringify(context).length / 4) - 20);
    for (const each of found) expect(text).toContain(each);
  });

  it.each<[string, JsonValue]>([
    [
      "numbers where texts are expected",
      [
        { role: "assistant", content: 5 },
        { role: "user", content: [true, 7, null] },
        ...FILLER.map((content) => ({ role: "user", content })),
      ],
    ],
    [
      "a tool's list of numbers",
      [
        { role: "assistant", content: "x", parts: [{ type: "tool-sum", toolCallId: "1", input: { a: 1 }, output: [1, 2, 3] }] },
        ...FILLER.map((content) => ({ role: "user", content })),
      ],
    ],
    [
      "fields named like members of Object.prototype",
      [...FILLER.map((driver) => ({ constructor: "a team of two", driver })), { driver: "nobody" }],
    ],
    ["JSON in a text, nested deeper than a context may be", ["[".repeat(9_000) + "]".repeat(9_000), ...FILLER]],
  ])("accepts %s", async (_what, messages) => {
    expect(JSON.stringify((await compose({ messages }, 900)).context).length).toBeGreaterThan(900);
  });

  it("reads a long line and many critical entries in linear time", async () => {
    const context = { log: `2024-01-01 ${"a.".repeat(40_000)}\nx`, ...Object.fromEntries(FILLER.map((text, at) => [`goal${at}`, text])) };
    expect((await compose(context, 400)).omitted?.count).toBeGreaterThan(200);
  });

  it.each<[string, Context, string]>([
    [
      "beside a message",
      {
        messages: [
          { role: "user", content: "go", decision: "we keep the blue one" },
          ...FILLER.map((content) => ({ role: "assistant", content })),
        ],
      },
      "we keep the blue one",
    ],
    [
      "as amounts beside remarks",
      { items: FILLER.slice(0, 20).map((remark, at) => ({ kunde: at % 2 === 0 ? "Ada" : "Ben", remark, amount: 1_000 + at })) },
      "1019",
    ],
    [
      "as keys of records",
      {
        work: {
          "T-100": { name: "alpha", status: "open" },
          "T-101": { name: "beta", status: "done" },
          "T-102": { name: "gamma", status: "done" },
          more: { name: OUTPUT, status: "done" },
        },
      },
      "T-100",
    ],
    [
      "in the text of a step",
      { log: FILLER.slice(0, 20).map((output, at) => ({ step: `migrate tenant ${at}`, command: "run", output })) },
      "migrate tenant 19",
    ],
    ["as false", { rules: { mayDeploy: false, notes: OUTPUT } }, "mayDeploy"],
  ])("includes facts given %s", async (_what, context, found) => {
    expect(await textOf(context, Math.ceil(JSON.stringify(context).length / 5))).toContain(found);
  });

  it("names sender and time of each mail in a thread", async () => {
    const thread = [
      "From: Greta Holm <greta@example.org>",
      "Date: 3 May, 09:12",
      "Subject: licence",
      "",
      "Please do not reboot before I have moved the licence.",
      ...FILLER,
      "",
      "From: Colm",
      "",
      "Option B it is.",
    ];
    const text = await textOf({ mail: thread.join("\n") }, 400);
    expect(text).toContain("Greta Holm, 3 May, 09:12: ");
    expect(text).toContain("Please do not reboot before I have moved the licence.");
    expect(text).toContain("Colm: Option B it is.");
  });

  it("summarises many numbers as a series", async () => {
    const text = await textOf({ queue: { depth: Array.from({ length: 300 }, (_, at) => (at * 37) % 101), note: OUTPUT } }, 400);
    expect(text).toContain("300 numbers: first 0, least 0, most 100, last 54");
  });

  it("includes the row of a number to be corrected, among hundreds of rows", async () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ slip: `0327-${100 + at}`, amount: 48_600 + at, text: "freight of the month" }));
    const text = await textOf({ next: "Cancel slip 0327-287 and check the account again.", journal: rows }, 400);
    expect(text).toContain("0327-287 | 48787 | freight of the month");
  });

  it("puts the goal first, regardless of the saved order", async () => {
    const { context } = await compose({ log: FILLER, plan: [{ id: 1, status: "open" }], goal: "Move the payments." }, 400);
    expect(Object.keys(context)[0]).toBe("goal");
  });

  it("ranks entries named old lower", async () => {
    const rows = (name: string): JsonValue =>
      Array.from({ length: 40 }, (_, at) => `${name} ${at}: the ferry at ${at % 24}:20 is booked for the four of us`);
    const text = await textOf({ plan: { previousVersions: rows("draft"), rows: rows("leg") } }, 500);
    expect(text.split("draft ").length).toBeLessThan(text.split("leg ").length);
  });

  it("counts records by status, with notes of open ones and names of done ones", async () => {
    const todos = Array.from({ length: 40 }, (_, at) => ({
      id: `T${at}`,
      title: `table ${at}: copy rows`,
      status: at < 20 ? "done" : "todo",
      log: OUTPUT,
    }));
    todos[20] = { ...todos[20], status: "in_progress", note: "318 rows differ, rerun shard 4 only" } as never;
    todos[21] = { ...todos[21], status: "blocked", note: "waits for PLAT-2291" } as never;
    const text = await textOf({ todos }, 900);
    expect(text).toContain("40 in all: 20 done, 18 todo, 1 in_progress, 1 blocked");
    expect(text).toContain("T20 | table 20: copy rows | in_progress | note: 318 rows differ, rerun shard 4 only");
    expect(text).toContain("T21 | table 21: copy rows | blocked | note: waits for PLAT-2291");
    expect(text).toContain("done: T0, T1, T2");
  });

  it("reads headings, checkboxes and labels of Markdown", async () => {
    const state = `# Port the parser\n\n${FILLER.join("\n")}\n\n## Decisions\n- Keep the old grammar, because tools read it\n\n## Log\n${FILLER.join("\n")}\n\n## Next steps\n- [x] lexer\n- [ ] error recovery in parse_block\n\n**Blocked:** waits for the licence of tree-sitter`;
    const text = await textOf({ state }, 500);
    for (const found of ["Keep the old grammar", "- [ ] error recovery in parse_block", "waits for the licence"])
      expect(text).toContain(found);
  });

  it.each([
    ["German", "Die Zähler der Wohnung 14 dürfen auf keinen Fall geschätzt werden."],
    ["French", "Il ne faut jamais appeler le client avant lundi."],
    ["Spanish", "No se debe borrar la tabla de clientes hasta el martes."],
    ["Chinese", "在李工确认之前不要重启数据库。"],
    ["Japanese", "本番のテーブルは絶対に削除しないでください。"],
  ])("finds a prohibition in %s", async (_language, rule) => {
    const notes = FILLER.toSpliced(150, 0, rule);
    expect(await textOf({ notes }, 400)).toContain(rule);
  });

  it("shows the list index after a gap", async () => {
    const notes = FILLER.toSpliced(150, 0, "Never restart the primary: the replica is 40 minutes behind.");
    expect(await textOf({ notes }, 400)).toContain("[150] Never restart the primary");
  });

  it("keeps a small important entry next to a huge one that only its name made critical", async () => {
    const policy = Array.from({ length: 200 }, (_, at) => `Rule ${at}: agents must not change item ${at} without asking.`).join("\n");
    const { context } = await compose({ policy, plan: ["book flight HAT251"], nextStep: "ask for the signature" }, 600);
    expect(context).toMatchObject({ plan: ["book flight HAT251"], nextStep: "ask for the signature" });
    expect(context["policy"]).toContain("Rule 0");
  });

  it("includes more text about the focus", async () => {
    const notes = FILLER.toSpliced(150, 0, "the refund of order W442 went to the old card");
    expect(await textOf({ notes }, 400, "refund of W442")).toContain("the refund of order W442");
  });

  it("includes objects whose name suggests temporary data", async () => {
    const text = await textOf({ window: { cutover: "2026-04-18 22:00 to 04:00" }, log: FILLER }, 400);
    expect(text).toContain("2026-04-18 22:00");
  });
});

/** A state with three CRITICAL entries, the short goal being one of them. */
const SMALL_STATE: Context = {
  goal: "Move the ferry timetable to the new booking system before Easter",
  constraints: [
    "The old site stays readable until June",
    "No booking may be lost or sent twice",
    "Only the harbour office may change fares",
  ],
  plan: [
    { step: "import the winter timetable", status: "done" },
    { step: "compare fares of both systems", status: "doing" },
    { step: "switch the ticket machines", status: "todo" },
  ],
  decisions: [
    { what: "Fares are copied and not calculated", why: "the old rounding rules are written down nowhere" },
    { what: "Machines switch at night", why: "the harbour is closed from one to five" },
  ],
  findings: ["The islands count summer from the first of May; the importer took April"],
  next_step: "Ask the office about dogs",
  checks: { passed: 61, failed: 2 },
  log: FILLER,
};
const SMALL_BUDGETS = Array.from({ length: 60 }, (_, at) => 100 + at * 10);
/** Budgets of views with pins, each of which is composed for one test. */
const PINNED_BUDGETS = SMALL_BUDGETS.filter((_, at) => IS_LONG || at % 2 === 0);
const smallViews = new Map<number, Promise<ComposedView>>();

/** Returns the view of the small state without pins, composed once for each budget. */
function small(budget: number): Promise<ComposedView> {
  const view = smallViews.get(budget) ?? compose(SMALL_STATE, budget);
  smallViews.set(budget, view);
  return view;
}

describe("a composed view in few tokens", () => {
  it.each([[[]], [["findings"]], [["plan", "checks"]]])(
    "has the CRITICAL entries first, and short ones whole, with pins %j",
    async (pins) => {
      const classifications = await classifyContext({ classifier: wordClassifier }, SMALL_STATE, { pins });
      const critical = Object.keys(SMALL_STATE).filter((key) => classifications.get(key)?.layer === "CRITICAL");
      expect(critical).toEqual(expect.arrayContaining(["goal", "constraints", "decisions"]));
      for (const budget of pins.length === 0 ? SMALL_BUDGETS : PINNED_BUDGETS) {
        const { context, shortened } = await (pins.length === 0 ? small(budget) : compose(SMALL_STATE, budget, { pins }));
        expect([budget, context["goal"]]).toEqual([budget, SMALL_STATE["goal"]]);
        const shown = Object.keys(context);
        const lower = shown.filter((key) => !critical.includes(key));
        expect([budget, critical.some((key) => !shown.includes(key)) ? lower : []]).toEqual([budget, []]);
        expect(shortened?.count ?? 0).toBe(shown.filter((key) => context[key] !== SMALL_STATE[key]).length);
      }
    },
  );

  it("gives free room to the next entries that fit", async () => {
    for (const budget of SMALL_BUDGETS.filter((each) => each >= 200)) {
      const view = await small(budget);
      const free = budget - count(JSON.stringify(view));
      const left = Object.entries(SMALL_STATE).filter(([key]) => !Object.hasOwn(view.context, key));
      const fitting = left.filter(([key, value]) => count(JSON.stringify({ [key]: value })) <= free);
      expect([budget, fitting]).toEqual([budget, []]);
    }
  });

  it("keeps a small IMPORTANT entry with every larger budget", async () => {
    const have = [];
    for (const budget of SMALL_BUDGETS) have.push("next_step" in (await small(budget)).context);
    expect(have).toEqual(have.toSorted((one, other) => Number(one) - Number(other)));
    expect(have.indexOf(true)).toBeLessThan(SMALL_BUDGETS.indexOf(260));
  });

  it("shows the beginning of a long CRITICAL entry in words", async () => {
    const { context } = await compose(SMALL_STATE, 110);
    expect(context["decisions"]).toEqual(["what: Fares are copied and not calculated, why: the old rounding rules are…"]);
  });

  it("reports rewritten entries with their full size, after shortened ones", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({ number: `no-${at}`, description: `part ${at} of the manual`, done: at < 3 }));
    const context = { goal: "Write the manual", rows, log: FILLER };
    const { context: shown, shortened } = await compose(context, 900);
    expect(shown["rows"]).toContain("no-29 | part 29 of the manual | false");
    expect(shortened?.entries.map(({ key }) => key)).toEqual(["log", "rows"]);
    const [log, table] = shortened?.entries ?? [];
    expect(table).toEqual({ key: "rows", characters: JSON.stringify(rows).length, shown: JSON.stringify(rows).length });
    expect(log?.shown).toBe(JSON.stringify(shown["log"]).length);
  });

  it("names shortened CRITICAL entries before larger ones that are left out", async () => {
    const decisions = Array.from({ length: 12 }, (_, at) => ({ what: `Pier ${at} gets its own number`, why: "skippers asked for it" }));
    const { context, shortened, omitted } = await compose({ ...SMALL_STATE, decisions }, 240);
    expect(context["decisions"]).toBeDefined();
    expect(shortened?.entries[0]?.key).toBe("decisions");
    expect(omitted?.count).toBeGreaterThan(0);
  });
});

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constantFrom(
    FILLER.join("\n"),
    "# Goal\nship it\n\n- [ ] test\n- [x] build",
    "User: never do that\nAssistant: I see\nUser: go on",
    '{"a":[1,{"status":"open"}]}',
  ),
);
const record = fc.dictionary(
  fc.constantFrom("id", "status", "role", "content", "tool", "output", "at", "note", "cell_type", "source", "parts"),
  fc.oneof(text, fc.constantFrom("done", "open", "user", "code", null)),
  { minKeys: 1 },
);
const value = fc.oneof(
  fc.jsonValue(),
  text,
  fc.array(record, { maxLength: 20 }),
  fc.array(text, { maxLength: 12 }),
  record,
) as fc.Arbitrary<JsonValue>;
const key = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "goal", "policy", "decisions", "constraints", "nextStep", "todos", "messages", "window", "12", "", "a/b"),
);
const anyContext: fc.Arbitrary<Context> = fc.array(fc.tuple(key, value), { maxLength: 20 }).map((members) => Object.fromEntries(members));
const anyBudget = fc.integer({ min: 100, max: 10_000 });

describe("a composed view of any JSON", () => {
  it("stays within its budget and names each incomplete entry", async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, anyBudget, async (context, budget) => {
        const view = await compose(context, budget);
        expect(count(JSON.stringify(view))).toBeLessThanOrEqual(budget);
        const named = new Set<string>();
        for (let page: ComposedView | undefined = view; page !== undefined;) {
          for (const each of [...(page.shortened?.entries ?? []), ...(page.omitted?.entries ?? [])]) named.add(each.key);
          const cursor: string | undefined = page.shortened?.nextCursor ?? page.omitted?.nextCursor;
          page = cursor === undefined ? undefined : await compose(context, budget, { cursor: Number(cursor) });
        }
        const unnamed = Object.entries(context).filter(([key, value]) => {
          const isWhole = Object.hasOwn(view.context, key) && JSON.stringify(view.context[key]) === JSON.stringify(value);
          return !isWhole && !named.has(key) && key.length <= 120;
        });
        expect(unnamed).toEqual([]);
      }),
      { numRuns: runsOf(100) },
    );
  });

  it("counts each shortened or omitted entry, and takes at most a fifth for naming them", async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, anyBudget, async (context, budget) => {
        const { context: shown, shortened, omitted } = await compose(context, budget);
        const partial = Object.keys(shown).filter((key) => JSON.stringify(shown[key]) !== JSON.stringify(context[key]));
        expect(shortened?.count ?? 0).toBe(partial.length);
        expect(omitted?.count ?? 0).toBe(Object.keys(context).length - Object.keys(shown).length);
        for (const told of [shortened, omitted]) {
          expect(told?.nextCursor !== undefined).toBe((told?.entries.length ?? 0) < (told?.count ?? 0));
        }
        const isNaming = (shortened?.entries.length ?? 0) + (omitted?.entries.length ?? 0) > 0;
        expect(isNaming ? count(JSON.stringify({ shortened, omitted })) : 0).toBeLessThanOrEqual(budget / 5);
      }),
      { numRuns: runsOf(100) },
    );
  });

  it("includes no entry of a lower layer while a critical one is missing", async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, anyBudget, fc.array(fc.nat(20), { maxLength: 3 }), async (context, budget, places) => {
        const keys = Object.keys(context);
        const pins = places.flatMap((place) => keys[place] ?? []);
        const { context: shown } = await compose(context, budget, { pins });
        const classifications = await classifyContext({ classifier: wordClassifier }, context, { pins });
        const isCritical = (key: string): boolean => classifications.get(key)?.layer === "CRITICAL";
        const isAbsent = keys.some((key) => isCritical(key) && !Object.hasOwn(shown, key));
        expect(isAbsent ? Object.keys(shown).filter((key) => !isCritical(key)) : []).toEqual([]);
      }),
      { numRuns: runsOf(100) },
    );
  });

  it("includes each entry that a budget of half the size includes", async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, fc.integer({ min: 300, max: 3_000 }), async (context, budget) => {
        const small = Object.keys((await compose(context, budget)).context);
        const large = new Set(Object.keys((await compose(context, budget * 2)).context));
        expect(small.filter((key) => !large.has(key))).toEqual([]);
      }),
      { numRuns: runsOf(100) },
    );
  });
});
