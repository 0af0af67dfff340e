// Two agents of two SDKs do one piece of work. The first runs on the AI SDK and stops halfway; the second runs on the OpenAI Agents SDK and knows
// only the handoff of the session.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type ModelRequest, run, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { workrailSteps } from "@workrail/ai-sdk";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { scriptedModel, type Turn } from "./scripted-model.ts";
import { WorkrailSession } from "./workrail-session.ts";

const GOAL = "Register bread.txt, cheese.txt, milk.txt and honey.txt. Never register salt.txt: its supplier objects.";
const parameters = z.object({ file: z.string() });
const ledger: string[] = [];
const register = ({ file }: { readonly file: string }): string => {
  ledger.push(file);
  return `${file} is registered.`;
};

/** Registers two invoices by a model of the AI SDK, and stops. */
async function first(store: Workrail): Promise<void> {
  const steps = await workrailSteps(store, { sessionId: "invoices", agentId: "first" });
  const results = ["bread.txt", "cheese.txt"].map((file) => ({
    content: [{ type: "tool-call" as const, toolCallId: file, toolName: "register", input: JSON.stringify({ file }) }],
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    warnings: [],
  }));
  await generateText({
    model: new MockLanguageModelV4({ doGenerate: results }),
    tools: { register: tool({ inputSchema: parameters, execute: register }) },
    stopWhen: isStepCount(2),
    messages: [{ role: "user", content: GOAL }],
    prepareStep: steps.prepareStep,
    onStepEnd: steps.onStepEnd,
  });
  await steps.saved();
}

/** Goes on by a model of the OpenAI Agents SDK, from a handoff of at most 600 tokens. */
async function second(store: Workrail): Promise<string | undefined> {
  const { markdown } = await store.handoff({ sessionId: "invoices", budgetTokens: 600 });
  const agent = new Agent({
    name: "second",
    instructions: "Go on with the work that is handed over to you.",
    model: scriptedModel(decide),
    tools: [agentTool({ name: "register", description: "Registers an invoice.", parameters, execute: register })],
  });
  const { finalOutput } = await run(agent, markdown, { session: new WorkrailSession(store, "invoices, second agent") });
  return finalOutput;
}

/** Decides like a model that reads: registers the first file that the text wants and that is neither forbidden nor registered. */
function decide({ input }: ModelRequest): Turn {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const wanted = filesIn(/Register ([^.]*\.txt[^:]*?)\. Never/u.exec(text)?.[1]);
  const forbidden = filesIn(/Never register ([\w.]+)/u.exec(text)?.[1]);
  const [next] = wanted.filter((file) => !forbidden.includes(file) && !text.includes(`${file} is registered`));
  return next === undefined ? `All ${wanted.length} invoices are registered.` : { tool: "register", input: { file: next } };
}

function filesIn(text: string | undefined): readonly string[] {
  return text?.match(/\w+\.txt/gu) ?? [];
}

const dataDir = mkdtempSync(join(tmpdir(), "workrail-hand-over-"));
setTracingDisabled(true);
const store = await openWorkrail({ dataDir, env: {}, project: dataDir });
try {
  await first(store);
  console.log(`The first agent registered ${ledger.join(" and ")}.`);
  const done = ledger.length;
  const said = await second(store);
  console.log(`The second agent registered ${ledger.slice(done).join(" and ")}.`);
  console.log(said);
} finally {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
}
