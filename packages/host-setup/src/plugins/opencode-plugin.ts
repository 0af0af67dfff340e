/** Marks our module. */
export const OPENCODE_MARK = "Workrail's plugin for opencode";

/** Events of opencode at which the module calls a hook. */
export const OPENCODE_EVENTS = ["session.created", "chat.message", "session.compacted", "session.idle"] as const;

/**
 * The module that opencode loads. It starts the hook program without a shell, waits five seconds at most, and never fails.
 *
 * @param command a JavaScript expression: the program and its first arguments.
 * @param imports lines that the expression needs.
 */
export function opencodePlugin(command: string, imports = ""): string {
  return `// ${OPENCODE_MARK}, written by a program: changes are lost.
${imports}
const { spawn } = await import("node:child_process");

const COMMAND = ${command};
const TIMEOUT_MS = 5000;
const FIRST_MESSAGES = 20;
const LAST_MESSAGES = 9_000;
const MOST_BYTES = 4 * 1024 * 1024;
const LONGEST_TEXT = 100_000;
const LONGEST_KEY = 20_000;
/** The first words to opencode's own agents, which name or summarize a session. */
const OWN_REQUEST = /^(?:You are a title generator|You are a context summarization agent|Summarize what was done in this conversation)/;

/** Resolves with the hook's output, or with "" when the hook fails. */
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

/** The hook's text for the system prompt: plain, or in the form of other hosts. */
function contextIn(output) {
  try {
    const { hookSpecificOutput } = JSON.parse(output);
    return hookSpecificOutput?.additionalContext ?? "";
  } catch {
    return output.trim();
  }
}

/** Cuts between words, and before an unfinished key: half a secret would not be recognized. */
function shortened(_key, value) {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  let end = LONGEST_TEXT;
  while (end > 0 && value[end - 1].trim() !== "") end--;
  const head = value.slice(0, end);
  const key = head.lastIndexOf("-----BEGIN ");
  const isOpen = key > head.lastIndexOf("-----END ") && key > end - LONGEST_KEY;
  return (isOpen ? head.slice(0, key) : head) + "...";
}

/** The JSON of as many messages as fit. */
function fitting(messages, bytes) {
  const texts = [];
  for (const message of messages) {
    const text = JSON.stringify(message, shortened);
    bytes -= Buffer.byteLength(text);
    if (bytes < 0) break;
    texts.push(text);
  }
  return texts;
}

/** The first messages, and as many of the last as fit. A message in between tells the number of the others. */
function selected(messages) {
  const first = fitting(messages.slice(0, FIRST_MESSAGES), MOST_BYTES / 2);
  const others = messages.slice(Math.max(first.length, messages.length - LAST_MESSAGES)).reverse();
  const last = fitting(others, MOST_BYTES - Buffer.byteLength(first.join(""))).reverse();
  const count = messages.length - first.length - last.length;
  const note = { info: { role: "assistant" }, parts: [{ type: "text", text: "[" + count + " messages are left out here]" }] };
  return [...first, ...(count > 0 ? [JSON.stringify(note)] : []), ...last].map((text) => JSON.parse(text));
}

export const WorkrailPlugin = async ({ client, directory }) => {
  const known = new Set();
  const contexts = new Map();
  const subagents = new Set();

  function start(id, source) {
    const payload = { session_id: id, cwd: directory, hook_event_name: "SessionStart", source };
    const ready = source === "startup" ? catchUp(id) : Promise.resolve();
    known.add(id);
    contexts.set(id, ready.then(() => callHook("session-start", payload)).then(contextIn));
  }

  /** Saves the latest earlier session: no hook ran for it if opencode was killed. */
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

  /** Undefined when they cannot be read: the hook then keeps its earlier state. */
  async function messagesOf(id) {
    try {
      const { data } = await client.session.messages({ path: { id } });
      return Array.isArray(data) ? selected(data) : undefined;
    } catch {
      return undefined;
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
      void callHook("user-prompt", { session_id: sessionID, cwd: directory, hook_event_name: "UserPromptSubmit", prompt: prompt.join("\\n") });
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (!subagents.has(sessionID)) await save("pre-compact", "PreCompact", sessionID);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (sessionID === undefined || subagents.has(sessionID) || OWN_REQUEST.test(system[0] ?? "")) return;
      if (!known.has(sessionID)) start(sessionID, "resume");
      const context = contexts.get(sessionID);
      contexts.delete(sessionID);
      if (context && (await context)) system.push(await context);
    },
  };
};
`;
}
