import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tally } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { expect, it } from "vitest";
import { loadMessages, type StepDurability } from "../src/index.ts";
import { freshFolder } from "./fresh-store.ts";

const AGENT = fileURLToPath(new URL("endless-agent.ts", import.meta.url));
/** Kills in each mode. */
const KILLS = Number(process.env["WORKRAIL_AGENT_KILLS"] ?? 1);

it.each<StepDurability>(["sync", "async"])(
  "loses no step that the next one followed, and goes on right, when it is killed: %s",
  async (durability) => {
    const dataDir = freshFolder();
    let begun = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const steps = await runUntilKilled(dataDir, durability, { steps: 1 + (kill % 7), afterMs: (kill * 7) % 40 });
      const messages = await messagesIn(dataDir);
      const saved = Math.max(0, messages.length - 1) / 2;
      begun = durability === "sync" ? (steps.at(-1) ?? 0) : 0;
      tally({ tries: 1, acknowledged: begun, lost: Math.max(0, begun - saved), wrong: isRight(messages) ? 0 : 1 });
      expect(saved).toBeGreaterThanOrEqual(begun);
      expect(isRight(messages)).toBe(true);
    }
    expect(durability === "async" || begun > 0).toBe(true);
  },
);

/** Runs the agent, and kills it some time after it began some steps. Returns the steps that it began. */
async function runUntilKilled(
  dataDir: string,
  durability: StepDurability,
  when: { readonly steps: number; readonly afterMs: number },
): Promise<readonly number[]> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", AGENT, dataDir, durability], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const begun: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    begun.push(Number(line.slice("begin ".length)));
    if (begun.length === when.steps + 1) void setTimeout(when.afterMs).then(() => child.kill("SIGKILL"));
  }
  return begun;
}

async function messagesIn(dataDir: string): Promise<readonly ModelMessage[]> {
  await using store = await openWorkrail({ dataDir, env: {}, project: dataDir });
  return loadMessages(store, { sessionId: "endless" });
}

/** True for a question and whole steps that count from 0. */
function isRight(messages: readonly ModelMessage[]): boolean {
  const [question, ...answers] = messages;
  const steps = answers.flatMap(({ role, content }, at) => {
    const [part] = typeof content === "string" ? [] : content;
    if (role === "assistant" && part?.type === "tool-call") return [at % 2 === 0 ? (part.input as { readonly step: number }).step : -1];
    return role === "tool" && part?.type === "tool-result" && at % 2 === 1 ? [] : [-1];
  });
  return (question === undefined || question.role === "user") && answers.length % 2 === 0 && steps.every((step, at) => step === at);
}
