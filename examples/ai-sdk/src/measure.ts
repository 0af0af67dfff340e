// Measures what saving costs: an agent of 200 steps, each with a result of about 2 KB. Compared with the AI SDK's documented way: one JSON
// file of all messages, written and synced after each step.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { workrailSteps, type WorkrailSteps } from "@workrail/ai-sdk";
import { openWorkrail, type SaveCheckpointParams, type Workrail } from "@workrail/runtime";
import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { z } from "zod";
import { scriptedModel } from "./scripted-model.ts";

const STEPS = 200;
/** A text of about 2 KB: words of three letters drawn by chance, the same in each run. */
function pageOf(page: number): string {
  let seed = page + 1;
  const draw = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const word = (): string => String.fromCodePoint(97 + draw(12), 97 + draw(5), 97 + draw(12));
  return Array.from({ length: 512 }, word).join(" ");
}

const read = tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => pageOf(page) });
const turns = [...Array.from({ length: STEPS - 1 }, (_, page) => ({ tool: "read", input: { page } })), "All pages are read."];
const question: ModelMessage = { role: "user", content: "Read all pages." };

type Callbacks = Partial<Pick<WorkrailSteps, "prepareStep" | "onStepEnd">>;

/** Returns the time of a step: on the clock, and on the processor. */
async function run(callbacks: Callbacks): Promise<string> {
  const start = performance.now();
  const before = process.cpuUsage();
  await generateText({ model: scriptedModel(turns), tools: { read }, stopWhen: isStepCount(STEPS), messages: [question], ...callbacks });
  const { user, system } = process.cpuUsage(before);
  return `${each(performance.now() - start)} a step (${each((user + system) / 1000)} of processor time)`;
}

async function withWorkrail(folder: string, durability: "sync" | "async"): Promise<void> {
  const dataDir = join(folder, durability);
  const store = await openWorkrail({ dataDir, env: {}, settings: { maxCheckpoints: 1_000 } });
  let sent = 0;
  const counted: Workrail = Object.assign(Object.create(store) as Workrail, {
    saveCheckpoint(params: SaveCheckpointParams) {
      sent += JSON.stringify(params.context ?? params.patch).length;
      return store.saveCheckpoint(params);
    },
  });
  const steps = await workrailSteps(counted, { sessionId: "pages", durability });
  const took = await run({ prepareStep: steps.prepareStep, onStepEnd: steps.onStepEnd });
  const flushed = performance.now();
  await steps.saved();
  const rest = performance.now() - flushed;
  const history = JSON.stringify(steps.messages).length;
  const opening = performance.now();
  await workrailSteps(store, { sessionId: "pages" });
  const loaded = performance.now() - opening;
  await store.close();
  const reopened = await openWorkrail({ dataDir, env: {}, settings: { maxCheckpoints: 1_000 } });
  const { checkpoints, stored } = await sizeOf(reopened);
  await reopened.close();
  const parts = [
    took,
    `${Math.round(rest)} ms to wait at the end`,
    `${kb(sent)} given to the store for ${kb(history)} of messages`,
    `${checkpoints} checkpoints in ${kb(stored)} on the disk`,
    `${Math.round(loaded)} ms to load`,
  ];
  console.log(`workrailSteps, ${durability}: ${parts.join(", ")}.`);
}

async function sizeOf(store: Workrail): Promise<{ readonly checkpoints: number; readonly stored: number }> {
  let [checkpoints, stored] = [0, 0];
  for await (const { contextSizeBytes } of store.eachCheckpoint({ sessionId: "pages" })) {
    checkpoints += 1;
    stored += contextSizeBytes;
  }
  return { checkpoints, stored };
}

async function withOneFile(folder: string): Promise<void> {
  const path = join(folder, "chat.json");
  const messages: ModelMessage[] = [question];
  let written = 0;
  const took = await run({
    async onStepEnd({ response }) {
      messages.push(...response.messages);
      const file = await open(path, "w");
      const text = JSON.stringify(messages, undefined, 2);
      written += text.length;
      await file.writeFile(text);
      await file.sync();
      await file.close();
    },
  });
  console.log(`One JSON file: ${took}, ${kb(written)} written, ${kb(statSync(path).size)} on the disk, the last state only.`);
}

function each(milliseconds: number): string {
  return `${(milliseconds / STEPS).toFixed(1)} ms`;
}

function kb(bytes: number): string {
  return `${Math.round(bytes / 1024).toLocaleString("en")} KB`;
}

const folder = mkdtempSync(join(tmpdir(), "workrail-measure-"));
try {
  await run({});
  console.log(`Nothing saved: ${await run({})}.`);
  await withWorkrail(folder, "sync");
  await withWorkrail(folder, "async");
  await withOneFile(folder);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
