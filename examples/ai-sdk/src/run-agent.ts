// One process of the agent: goes on where the session is. Arguments: the directory of the store, the ledger, and the number of steps after
// which the model hangs, if it shall.
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { workrailSteps } from "@workrail/ai-sdk";
import { openWorkrail } from "@workrail/runtime";
import { generateText, isStepCount } from "ai";
import { invoiceTools, TURNS } from "./invoices.ts";
import { scriptedModel } from "./scripted-model.ts";

const [dataDir = "", ledger = "", hangAfter] = process.argv.slice(2);
const store = await openWorkrail({ dataDir, env: {} });
const steps = await workrailSteps(store, { sessionId: "invoices" });
console.log(`${steps.messages.length} messages`);

const model = scriptedModel(TURNS, async (turn) => {
  if (String(turn) !== hangAfter) return;
  console.log("hangs");
  await setTimeout(600_000);
});
const { text } = await generateText({
  model,
  tools: invoiceTools(ledger),
  stopWhen: isStepCount(20),
  messages: steps.isUnfinished ? steps.messages : [...steps.messages, { role: "user", content: "Register all invoices." }],
  prepareStep: steps.prepareStep,
  onStepEnd: steps.onStepEnd,
});
await steps.saved();
console.log(text);
await store.close();
