// Workrail's plugin for opencode, written by a program: changes are lost.
import { fileURLToPath } from "node:url";

const { spawn } = await import("node:child_process");

const COMMAND = ["node", fileURLToPath(new URL("./run-hook.mjs", import.meta.url))];
const TIMEOUT_MS = 5000;
const FIRST_MESSAGES = 50;
const LAST_MESSAGES = 950;
const LONGEST_TEXT = 4000;

/** Resolves with the hook's output, "" when it fails. */
function callHook(hook, payload) {
  return new Promise((resolve) => {
    const [program, ...args] = COMMAND;
    const child = spawn(program, [...args, "hook", hook, "--host", "opencode"], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    let output = "";
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS);
    child.on("error", () => resolve(""));
    child.on("close", () => {
      clearTimeout(timer);
      resolve(output);
    });
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stdin.end(JSON.stringify(payload));
  });
}

/** The text that a hook wants in the system prompt: plain, or in the form of other hosts. */
function contextIn(output) {
  try {
    const { hookSpecificOutput } = JSON.parse(output);
    return hookSpecificOutput?.additionalContext ?? "";
  } catch {
    return output.trim();
  }
}

function shortened(_key, value) {
  return typeof value === "string" && value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) + "..." : value;
}

export const WorkrailPlugin = async ({ client, directory }) => {
  const contexts = new Map();
  const subagents = new Set();

  function start(id, source) {
    const payload = { session_id: id, cwd: directory, hook_event_name: "SessionStart", source };
    const ready = source === "startup" ? catchUp(id) : Promise.resolve();
    contexts.set(id, ready.then(() => callHook("session-start", payload)).then(contextIn));
  }

  /** Saves the latest session before this one: when opencode was killed, no hook was called for it. */
  async function catchUp(id) {
    try {
      const { data } = await client.session.list();
      const earlier = (data ?? []).filter((other) => other.id !== id && !other.parentID && other.directory === directory);
      const [last] = earlier.sort((one, other) => other.time.updated - one.time.updated);
      if (last !== undefined) await save("session-end", "SessionEnd", last.id);
    } catch {
      // The session starts without it.
    }
  }

  async function messagesOf(id) {
    try {
      const { data } = await client.session.messages({ path: { id } });
      const messages = data ?? [];
      const last = Math.max(FIRST_MESSAGES, messages.length - LAST_MESSAGES);
      return JSON.parse(JSON.stringify([...messages.slice(0, FIRST_MESSAGES), ...messages.slice(last)], shortened));
    } catch {
      return [];
    }
  }

  async function save(hook, event, id) {
    await callHook(hook, { session_id: id, cwd: directory, hook_event_name: event, messages: await messagesOf(id) });
  }

  return {
    event: async ({ event }) => {
      const { type, properties = {} } = event;
      const id = properties.sessionID ?? properties.info?.id;
      if (type === "session.created" && properties.info?.parentID) subagents.add(id);
      if (id === undefined || subagents.has(id)) return;
      if (type === "session.created") start(id, "startup");
      if (type === "session.compacted") start(id, "compact");
      if (type === "session.idle") await save("stop", "Stop", id);
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (subagents.has(sessionID)) return;
      const prompt = parts.filter(({ type, synthetic }) => type === "text" && !synthetic).map(({ text }) => text);
      void callHook("user-prompt", { session_id: sessionID, cwd: directory, hook_event_name: "UserPromptSubmit", prompt: prompt.join("\n") });
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (!subagents.has(sessionID)) await save("pre-compact", "PreCompact", sessionID);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (sessionID === undefined || subagents.has(sessionID)) return;
      if (!contexts.has(sessionID)) start(sessionID, "resume");
      const context = await contexts.get(sessionID);
      if (context) system.push(context);
    },
  };
};
