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
  // Says its arguments and its input, and how often it was called.
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
  messages: readonly unknown[] = [],
  sessions: readonly object[] = [],
): Promise<Loaded> {
  const file = path.join(folder, `plugin-${Math.random()}.mjs`);
  writeFileSync(file, opencodePlugin(JSON.stringify(command)));
  const { WorkrailPlugin } = (await import(pathToFileURL(file).href)) as { readonly WorkrailPlugin: (input: object) => Promise<Loaded> };
  const session = { messages: () => Promise.resolve({ data: messages }), list: () => Promise.resolve({ data: sessions }) };
  return WorkrailPlugin({ directory: "/project", client: { session } });
}

function calls(): readonly string[] {
  return readFileSync(path.join(folder, "log"), "utf8").trim().split("\n");
}

async function systemOf(plugin: Loaded, sessionID?: string): Promise<readonly string[]> {
  const output = { system: ["theirs"] };
  await plugin["experimental.chat.system.transform"]({ sessionID }, output);
  return output.system;
}

const event = (type: string, properties: object): object => ({ event: { type, properties } });

describe("the plugin for opencode", () => {
  it("puts what the hook says into every system prompt of the session, and asks again after a compaction", async () => {
    const plugin = await load();
    await plugin.event(event("session.created", { info: { id: "s" } }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 2"]);
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 2"]);
    await plugin.event(event("session.compacted", { sessionID: "s" }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs", "pack 3"]);
    expect(calls().map((call) => /"source":"(\w+)"/u.exec(call)?.[1])).toEqual(["startup", "compact"]);
  });

  it("hands over prompts, and the messages when the agent is idle and before a compaction, with long texts cut", async () => {
    const plugin = await load(undefined, [{ info: { role: "user" }, parts: [{ type: "text", text: "x".repeat(9_000) }] }]);
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
    expect(idle).toMatch(/^hook stop --host opencode .*"messages":\[\{"info":\{"role":"user"\}/u);
    expect(idle.length).toBeLessThan(5_000);
    expect(compacting).toMatch(/^hook pre-compact --host opencode /u);
  });

  it("saves the latest session before a new one first: opencode may have been killed in it", async () => {
    const sessions = [
      { id: "older", directory: "/project", time: { updated: 1 } },
      { id: "killed", directory: "/project", time: { updated: 3 } },
      { id: "elsewhere", directory: "/other", time: { updated: 4 } },
      { id: "child", parentID: "killed", directory: "/project", time: { updated: 5 } },
      { id: "s", directory: "/project", time: { updated: 6 } },
    ];
    const plugin = await load(undefined, [], sessions);
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

  it("goes on where the hook cannot be started", async () => {
    const plugin = await load([path.join(folder, "nothing")]);
    await plugin.event(event("session.idle", { sessionID: "s" }));
    expect(await systemOf(plugin, "s")).toEqual(["theirs"]);
  });
});
