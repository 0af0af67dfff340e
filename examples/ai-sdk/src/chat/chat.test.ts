import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { workrailChat } from "@workrail/ai-sdk";
import { openWorkrail } from "@workrail/runtime";
import type { UIMessage } from "ai";
import { afterAll, expect, it } from "vitest";

const SERVER = fileURLToPath(new URL("server.ts", import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), "workrail-chat-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }));

const question: UIMessage = { id: "q1", role: "user", parts: [{ type: "text", text: "Where is it warmer?" }] };

it("continues an answer after the server was killed within its stream", async () => {
  const first = await startServer({ HANG_AT: "1" });
  const response = await post(first.url, { id: "c1", message: question });
  // The client sees the end of the first step, which is durable then.
  for await (const chunk of response.body ?? []) if (Buffer.from(chunk).toString().includes('"finish-step"')) break;
  await kill(first.child);

  const second = await startServer({});
  const shown = await chatOf(second.url);
  expect(shown.isUnfinished).toBe(true);
  expect(shown.messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([["text"], ["step-start", "tool-weather"]]);

  const rest = await (await post(second.url, { id: "c1" })).text();
  expect(rest).toContain("Rome is warmer.");
  expect(rest).not.toContain('"Berlin"');
  const { messages, isUnfinished } = await chatOf(second.url);
  expect(isUnfinished).toBe(false);
  expect(messages.map(({ id }) => id)).toEqual(shown.messages.map(({ id }) => id));
  expect(messages[1]?.parts.filter(({ type }) => type === "tool-weather")).toMatchObject([
    { input: { city: "Berlin" }, output: { city: "Berlin", degrees: 11 } },
    { input: { city: "Rome" }, output: { city: "Rome", degrees: 24 } },
  ]);
  expect((await post(second.url, { id: "c1" })).status).toBe(204);
  await kill(second.child);
});

it("answers a question after an answer that was stopped within a call", async () => {
  const stopped: UIMessage = {
    id: "a1",
    role: "assistant",
    parts: [{ type: "step-start" }, { type: "tool-weather", toolCallId: "1", state: "input-available", input: { city: "Oslo" } }],
  };
  const store = await openWorkrail({ dataDir, env: {} });
  const chat = await workrailChat(store, { sessionId: "chat c2" });
  await chat.add(question, stopped);
  await store.close();
  const { url, child } = await startServer({});
  const answer = await (await post(url, { id: "c2", message: { ...question, id: "q2" } })).text();
  expect(answer).toContain("Rome is warmer.");
  await kill(child);
});

async function startServer(env: Record<string, string>): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", SERVER], {
    env: { ...process.env, WORKRAIL_DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => String(line)),
    once(child, "close").then(() => Promise.reject(new Error("The server did not start."))),
  ]);
  return { url, child };
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify(body) });
}

async function chatOf(url: string): Promise<{ readonly messages: UIMessage[]; readonly isUnfinished: boolean }> {
  return (await fetch(`${url}?id=c1`)).json() as Promise<{ messages: UIMessage[]; isUnfinished: boolean }>;
}
