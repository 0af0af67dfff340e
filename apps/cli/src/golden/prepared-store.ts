import { openWorkrail } from "@workrail/runtime";

/** Not a real secret. Joined here, so that scanners do not report this file. */
export const PASSWORD: string = ["Winter", "2024!"].join("");

const PLAN = {
  goal: "let customers use coupons in the shop",
  plan: ["find where prices are added up", "take coupons off", "test it"],
  decisions: ["a coupon counts once for an order"],
  nextSteps: ["read src/cart.ts"],
};

const CART = {
  ...PLAN,
  findings: "src/cart.ts adds prices up in total(), which rounds each of them; coupons have to come before that",
  nextSteps: ["write total() anew", "test a coupon of 100 percent"],
  debugLog: "total(3) = 2.9999 ".repeat(20).trim(),
};

const TESTED = { ...CART, nextSteps: ["tell the customers"], status: "the tests pass" };

/** Long enough ago that the displayed age does not depend on the speed of the tests. */
const AGE_MS = 50 * 60 * 60 * 1_000;

/** Creates the store of every golden case: a session that forks, one with a likely secret, and a checkpoint in the trash. */
export async function prepareStore(dataDir: string, project: string): Promise<void> {
  const clock = { now: () => new Date(Date.now() - AGE_MS) };
  await using store = await openWorkrail({ dataDir, project, env: {}, adapters: { clock } });
  const shop = { sessionId: "shop", workflowId: "coupons", agentId: "ada" };
  await store.saveCheckpoint({ ...shop, checkpointId: "plan", context: PLAN, metadata: { name: "the plan", tags: ["draft"] } });
  await store.saveCheckpoint({ ...shop, checkpointId: "cart", context: CART, metadata: { name: "where prices are added up" } });
  await store.saveCheckpoint({
    ...shop,
    checkpointId: "tested",
    context: TESTED,
    metadata: { name: "coupons work", attributes: { ticket: 42 } },
  });
  await store.saveCheckpoint({ ...shop, checkpointId: "other-way", parentId: "plan", context: { ...PLAN, status: "tried in vain" } });
  await store.saveCheckpoint({ sessionId: "server", checkpointId: "access", context: { goal: "reach the server", password: PASSWORD } });
  await store.saveCheckpoint({ sessionId: "gone", checkpointId: "removed", context: { goal: "nothing of note" } });
  await store.cleanUp({ checkpointIds: ["removed"] });
  // Completes the index, so that its status does not depend on the machine.
  while ((await store.searchCheckpoints({ query: "coupons" })).indexPending !== undefined);
}
