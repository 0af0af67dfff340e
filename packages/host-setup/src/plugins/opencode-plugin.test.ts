import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { opencodePlugin } from "./opencode-plugin.ts";

type Handler = (input: object, output?: object) => Promise<void>;

interface Loaded {
  readonly event: Handler;
  readonly "chat.message": Handler;
  readonly "experimental.session.compacting": Handler;
  readonly "experimental.chat.system.transform": Handler;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-opencode-"));
  const log = JSON.stringify(path.join(folder, "log"));
  // Prints its arguments, its input, and the number of its calls.
  writeFileSync(
    path.join(folder, "hook.mjs"),
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync(${log}, process.argv.slice(2).join(" ") + " " + readFileSync(0, "utf8") + "\\n");
     if (process.argv[3] === "session-start") process.stdout.write("pack " + readFileSync(${log}, "utf8").split("\\n").length);`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

async function load(
  command: readonly string[] = [process.execPath, path.join(folder, "hook.mjs")],
  messages: () => Promise<{ readonly data?: unknown }> = () => Promise.resolve({ data: [] }),
  sessions: readonly object[] = [],
): Promise<Loaded> {
  const file = path.join(folder, `plugin-${Math.random()}.mjs`);
  writeFileSync(file, opencodePlugin(JSON.stringify(command)));
  const { WorkrailPlugin } = (await import(pathToFileURL(file).href)) as { readonly WorkrailPlugin: (input: object) => Promise<Loaded> };
  const session = { messages, list: () => Promise.resolve({ data: sessions }) };
  return WorkrailPlugin({ directory: "/project", client: { session } });
}

function calls(): readonly string[] {
  return readFileSync(path.join(folder, "log"), "utf8").trim().split("\n");
}

async function systemOf(plugin: Loaded, sessionID?: string, theirs = "theirs"): Promise<readonly string[]> {
  const output = { system: [theirs] };
  await plugin["experimental.chat.system.transform"]({ sessionID }, output);
  return output.system;
}

const said = (text: string): object => ({ info: { role: "user" }, parts: [{ type: "text", text }] });
const having = (data: readonly object[]) => () => Promise.resolve({ data });

/** The messages of a call. */
function handedOver(call = ""): readonly unknown[] {
  return (JSON.parse(call.slice(call.indexOf("{"))) as { readonly messages: readonly unknown[] }).messages;
}

const event = (type: string, properties: object): object => ({ event: { type, properties } });

describe("the plugin for opencode", () => {
  it("puts the hook's text into the next system prompt of the session, and calls the hook again after a compaction", async () => {
    const plugin = await load();
    await plugin.event(event("session.created", { info: { id: "s" } }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 2"]);
    expect(await systemOf(plugin, "s")).toEqual(["theirs"]);
    await plugin.event(event("session.compacted", { sessionID: "s" }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 3"]);
    expect(await systemOf(plugin, "s")).toEqual(["theirs"]);
    expect(calls().map((call) => /"source":"(\w+)"/u.exec(call)?.[1])).toEqual(["startup", "compact"]);
  });

  it("asks once for a session that was begun earlier", async () => {
    const plugin = await load();
    expect([await systemOf(plugin, "s"), await systemOf(plugin, "s")]).toEqual([["theirs", "pack 2"], ["theirs"]]);
    expect(calls().map((call) => /"source":"(\w+)"/u.exec(call)?.[1])).toEqual(["resume"]);
  });

  it("gives it to the working model only, not to requests for a title or a summary", async () => {
    const plugin = await load();
    const title = "You are a title generator. You output ONLY a thread title. Nothing else.";
    const summary = "You are a context summarization agent. You are given a conversation.";
    for (const own of [title, summary]) expect(await systemOf(plugin, "s", own)).toEqual([own]);
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 2"]);
  });

  it("hands over prompts, and the messages when the agent is idle and before a compaction", async () => {
    const plugin = await load(undefined, having([said("x".repeat(90_000))]));
    await plugin["chat.message"](
      { sessionID: "s" },
      {
        parts: [
          { type: "text", text: "hello" },
          { type: "text", text: "no", synthetic: true },
        ],
      },
    );
    await vi.waitFor(() => expect(calls()).toHaveLength(1));
    await plugin.event(event("session.idle", { sessionID: "s" }));
    await plugin["experimental.session.compacting"]({ sessionID: "s" });
    const [prompt = "", idle = "", compacting = ""] = calls();
    expect(prompt).toMatch(/^hook user-prompt --host opencode .*"prompt":"hello"/u);
    expect(idle).toMatch(/^hook stop --host opencode /u);
    expect(handedOver(idle)).toEqual([said("x".repeat(90_000))]);
    expect(compacting).toMatch(/^hook pre-compact --host opencode /u);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("closed"))],
    ["answers without messages", () => Promise.resolve({})],
  ])("hands no messages over where opencode %s", async (_case, messages) => {
    const plugin = await load(undefined, messages);
    await plugin.event(event("session.idle", { sessionID: "s" }));
    expect(calls()).toEqual([expect.not.stringContaining('"messages"')]);
  });

  it("cuts texts of more than 100,000 characters between words, and leaves no part of a key", async () => {
    const words = "word ".repeat(19_990);
    const key = `-----BEGIN PRIVATE KEY-----\n${`${"MIIEvQ".repeat(10)}\n`.repeat(12)}`;
    const plugin = await load(undefined, having([said(`${words}${"t0ken".repeat(100)} rest`), said(`${words.slice(400)}${key}`)]));
    await plugin.event(event("session.idle", { sessionID: "s" }));
    expect(handedOver(calls()[0])).toEqual([said(`${words}...`), said(`${words.slice(400)}...`)]);
  });

  it("hands over the first messages and the last that fit into 4 MB, and says how many are missing", async () => {
    const messages = Array.from({ length: 300 }, (_, index) => said(`${index} ${"x".repeat(90_000)}`));
    const plugin = await load(undefined, having(messages));
    await plugin.event(event("session.idle", { sessionID: "s" }));
    const over = handedOver(calls()[0]);
    const count = messages.length - over.length + 1;
    const note = { info: { role: "assistant" }, parts: [{ type: "text", text: `[${count} messages are left out here]` }] };
    expect(over).toEqual([...messages.slice(0, 20), note, ...messages.slice(20 + count)]);
    expect(JSON.stringify(over).length).toBeGreaterThan(4_000_000);
    expect(JSON.stringify(over).length).toBeLessThan(4 * 1024 * 1024 + 1_000);
  });

  it("saves the latest session before a new one first: opencode may have been killed in it", async () => {
    const sessions = [
      { id: "older", directory: "/project", time: { updated: 1 } },
      { id: "killed", directory: "/project", time: { updated: 3 } },
      { id: "elsewhere", directory: "/other", time: { updated: 4 } },
      { id: "child", parentID: "killed", directory: "/project", time: { updated: 5 } },
      { id: "s", directory: "/project", time: { updated: 6 } },
    ];
    const plugin = await load(undefined, having([]), sessions);
    await plugin.event(event("session.created", { info: { id: "s" } }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 3"]);
    const [saved, started] = calls();
    expect(saved).toMatch(/^hook session-end --host opencode .*"session_id":"killed"/u);
    expect(started).toMatch(/^hook session-start --host opencode .*"session_id":"s"/u);
  });

  it("leaves sub-agents alone, and prompts without a session", async () => {
    const plugin = await load();
    await plugin.event(event("session.created", { info: { id: "child", parentID: "s" } }));
    await plugin.event(event("session.idle", { sessionID: "child" }));
    expect([await systemOf(plugin, "child"), await systemOf(plugin)]).toEqual([["theirs"], ["theirs"]]);
    expect(calls).toThrow("ENOENT");
  });

  it("continues when the hook cannot be started", async () => {
    const plugin = await load([path.join(folder, "nothing")]);
    await plugin.event(event("session.idle", { sessionID: "s" }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs"]);
  });
});
