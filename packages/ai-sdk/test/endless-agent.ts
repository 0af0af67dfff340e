// An agent without end, for a test that kills it. Arguments: the directory of the store, and the durability. Prints `begin N` when the model
// is asked for step N, counted from the beginning of the session.
import { writeSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { openWorkrail } from "@workrail/runtime";
import { generateText, jsonSchema, tool } from "ai";
import { type StepDurability, workrailSteps } from "../src/index.ts";
import { scriptedModel } from "./scripted-model.ts";

const [dataDir = "", durability] = process.argv.slice(2);
const store = await openWorkrail({ dataDir, env: {}, project: dataDir });
const steps = await workrailSteps(store, { sessionId: "endless", durability: durability as StepDurability });
const done = (steps.messages.length - 1) / 2;
const turns = Array.from({ length: 100_000 }, (_, at) => ({ note: { step: Math.max(0, done) + at } }));
const model = scriptedModel(turns, async (at) => {
  writeSync(1, `begin ${Math.max(0, done) + at}\n`);
  // A model takes time, in which an asynchronous save goes on.
  await setTimeout(2);
});
await generateText({
  model,
  tools: { note: tool({ inputSchema: jsonSchema<{ step: number }>({ type: "object" }), execute: ({ step }) => ({ step }) }) },
  stopWhen: () => false,
  messages: steps.isUnfinished ? steps.messages : [{ role: "user", content: "Go on for ever." }],
  prepareStep: steps.prepareStep,
  onStepEnd: steps.onStepEnd,
});
