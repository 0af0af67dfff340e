import { openWorkrail, type SaveCheckpointParams, type Workrail } from "@workrail/runtime";

/** The time at which the demonstration stands still. */
export const DEMO_NOW: Date = new Date("2026-03-12T16:30:00.000Z");

const MINUTE_MS = 60_000;

const FILES = ["src/cart.ts", "src/total.ts", "test/cart.test.ts"];

const GOAL = {
  goal: "Let customers use coupons in the shop. A coupon takes a fixed amount or a percentage off the order.",
  constraints: ["do not change the public API of the cart", "prices stay integers, in cents"],
  plan: [
    { id: "find", step: "find where prices are added up", status: "in progress" },
    { id: "rules", step: "write down the rules for rounding", status: "open" },
    { id: "apply", step: "apply coupons before taxes", status: "open" },
    { id: "test", step: "test a coupon of 100 percent", status: "open" },
  ],
  openQuestions: ["Does a coupon count once for an order, or once for each item?"],
};

const FINDINGS =
  "src/cart.ts adds prices up in total().\ntotal() rounds each item before it adds them.\nCoupons have to come before that, or the rounding is applied twice.\nTaxes are computed in src/tax.ts from the rounded sum.";

const LOG = Array.from(
  { length: 60 },
  (_, line) => `12:0${line % 10}:0${line % 6} GET /cart/${1000 + line * 7} 200 ${3 + (line % 9)} ms`,
).join("\n");

const STEPS: readonly (readonly [minutes: number, change: object, about: Partial<SaveCheckpointParams>])[] = [
  [0, GOAL, { checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000001", metadata: { name: "the plan", tags: ["plan"] } }],
  [14, { findings: FINDINGS, filesRead: FILES.slice(0, 2) }, { checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000002" }],
  [
    26,
    {
      plan: GOAL.plan.map((step, index) => ({ ...step, status: index < 1 ? "done" : index === 1 ? "in progress" : "open" })),
      decisions: ["A coupon counts once for an order, because the ledger has one line for it."],
      openQuestions: [],
      serverLog: LOG,
    },
    { checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000003", metadata: { name: "where prices are added up" } },
  ],
  [
    41,
    {
      findings: FINDINGS.replace("rounds each item before it adds them", "rounds the sum, not the items").replace(
        "src/tax.ts",
        "src/taxes/vat.ts",
      ),
      filesChanged: FILES.slice(0, 1),
      failures: ["npm test -- cart: 2 failed: a coupon of 100 percent leaves 0.01"],
    },
    { checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000004", agentId: "codex" },
  ],
];

const DONE = {
  plan: [
    { id: "rules", step: "write down the rules for rounding", status: "done" },
    { id: "find", step: "find where prices are added up", status: "done" },
    { id: "apply", step: "apply coupons before taxes, in cents", status: "done" },
    { id: "docs", step: "describe coupons in the manual", status: "open" },
  ],
  decisions: [
    "A coupon counts once for an order, because the ledger has one line for it.",
    "Rounding happens once, after coupons and before taxes.",
  ],
  filesChanged: FILES,
  failures: [],
  nextSteps: ["describe coupons in the manual", "ask for a review"],
  status: "The tests pass: 48 of 48.",
};

/** Fills a store with the work of two agents on a shop: a session that forks, others, a conversation, and something in the trash. */
export async function fillDemoStore(dataDir: string, project: string): Promise<void> {
  let now = new Date(DEMO_NOW.getTime() - 150 * MINUTE_MS);
  const start = now.getTime();
  const clock = { now: () => now };
  await using store = await openWorkrail({ dataDir, project, env: {}, adapters: { clock } });
  const at = (minutes: number): void => {
    now = new Date(start + minutes * MINUTE_MS);
  };
  await olderSessions(store, at);
  const shop = { sessionId: "coupons", workflowId: "feature", agentId: "claude-code" };
  let context: object = {};
  for (const [minutes, change, about] of STEPS) {
    at(minutes);
    context = { ...context, ...change };
    await store.saveCheckpoint({ ...shop, ...about, context });
  }
  const beforeFork = context;
  at(55);
  const tried = { ...beforeFork, status: "Tried decimals instead of cents. The ledger refuses them." };
  await store.saveCheckpoint({
    ...shop,
    context: tried,
    agentId: "codex",
    checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000005",
    metadata: { name: "tried decimals", tags: ["dead-end"] },
  });
  at(78);
  const { serverLog: _log, openQuestions: _asked, filesRead, ...kept } = beforeFork as Record<string, unknown>;
  const finished = { ...kept, filesSeen: filesRead, ...DONE };
  await store.saveCheckpoint({
    ...shop,
    context: finished,
    parentId: "c0001a5e-6c1b-4a52-9b1f-000000000004",
    checkpointId: "c0001a5e-6c1b-4a52-9b1f-000000000006",
    metadata: { name: "coupons work", tags: ["green"] },
  });
  await store.tagSession({ sessionId: "coupons", add: ["shop"] });
  await store.markCritical({ sessionId: "coupons", contextKey: "decisions" });
  at(120);
  await store.cleanUp({ checkpointIds: ["a0001a5e-6c1b-4a52-9b1f-000000000001"] });
  while ((await store.searchCheckpoints({ query: "coupons" })).indexPending !== undefined);
}

async function olderSessions(store: Workrail, at: (minutes: number) => void): Promise<void> {
  at(-2_900);
  const login = { sessionId: "login-flow", workflowId: "bug", agentId: "claude-code" };
  const bug = {
    goal: "Find out why people are signed out after an hour.",
    findings: "The refresh token is dropped when two tabs renew it at once.",
  };
  await store.saveCheckpoint({ ...login, context: bug, metadata: { name: "signed out after an hour" } });
  at(-1_500);
  const waits = { ...bug, decisions: ["One tab renews, the others wait for it."], status: "done" };
  await store.saveCheckpoint({ ...login, context: waits, metadata: { name: "one tab renews" } });
  await store.keepSession("login-flow");
  at(-700);
  const talk = [
    { role: "user", content: "Customers ask for coupons. Can you look into how the cart adds prices up?" },
    { role: "assistant", content: "I will look at `src/cart.ts` first." },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Read", input: { file: "src/cart.ts" } }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "1",
          content: "export function total(items) {\n  return items.reduce((sum, item) => sum + Math.round(item.price), 0);\n}",
        },
      ],
    },
    { role: "assistant", content: "**total()** rounds each item before it adds them. A coupon has to come before that." },
  ];
  await store.saveCheckpoint({
    sessionId: "coupons-conversation",
    kind: "conversation",
    agentId: "claude-code",
    context: { topic: "coupons", format: "messages", conversation: talk },
    metadata: { name: "talk about coupons" },
  });
  at(-300);
  await store.saveCheckpoint({
    sessionId: "scratch",
    checkpointId: "a0001a5e-6c1b-4a52-9b1f-000000000001",
    context: { goal: "try something" },
  });
}
