import type { HookEvent, HookHost, HookPayload } from "./hook-payload.ts";
import { type JsonRecord, recordOf } from "./json-record.ts";

/** Names of events, in lower case without separators: hosts write them in several ways. */
const EVENTS: Readonly<Record<string, HookEvent>> = {
  sessionstart: "session-start",
  userpromptsubmit: "user-prompt",
  beforesubmitprompt: "user-prompt",
  beforeagent: "user-prompt",
  precompact: "pre-compact",
  stop: "stop",
  afteragent: "stop",
  sessionidle: "stop",
  sessionend: "session-end",
};

const TRANSCRIPT = ["transcript_path", "transcriptPath"];
/** Events of a sub-agent name the transcript of its parent, too: that one tells what the parent did. */
const SUBAGENT_TRANSCRIPT = ["agent_transcript_path", "agentTranscriptPath"];

const MAX_PROMPT_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 4096;
const MAX_MESSAGES = 10_000;

/**
 * Understands the JSON that a host gives to a hook.
 *
 * A member of another type than expected counts as missing, and long text is cut. Never throws.
 *
 * @param host `undefined`: guessed from the members. Editors run the hooks of Claude Code too: theirs are told by their members.
 * @returns `undefined` for anything without the id of a session.
 */
export function parsePayload(host: HookHost | undefined, json: unknown): HookPayload | undefined {
  const payload = recordOf(json);
  if (payload === undefined) return undefined;
  const sessionId = firstText(payload, ["conversation_id", "session_id", "sessionId", "sessionID"]);
  if (sessionId === undefined) return undefined;
  const stopHookActive = payload["stop_hook_active"] ?? payload["stopHookActive"];
  const agentId = firstText(payload, ["agent_id", "agentId"]);
  const found = {
    event: eventOf(payload),
    transcriptPath: firstText(payload, agentId === undefined ? TRANSCRIPT : SUBAGENT_TRANSCRIPT),
    cwd: firstText(payload, ["cwd", "directory"]) ?? firstRoot(payload),
    source: sourceOf(payload),
    prompt: firstText(payload, ["prompt", "user_message"], MAX_PROMPT_CHARS),
    lastAssistantMessage: firstText(payload, ["last_assistant_message", "lastAssistantMessage", "prompt_response"], MAX_PROMPT_CHARS),
    reason: firstText(payload, ["reason"]),
    trigger: firstText(payload, ["trigger"]),
    agentId,
    agentType: agentTypeOf(payload),
    stopHookActive: typeof stopHookActive === "boolean" ? stopHookActive : undefined,
    messages: messagesOf(payload),
  };
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  return { host: hostOf(host, payload), sessionId, ...Object.fromEntries(known) };
}

function hostOf(given: HookHost | undefined, payload: JsonRecord): HookHost {
  if (given !== undefined && given !== "claude-code") return given;
  const looks = guessHost(payload);
  return given === undefined || looks === "cursor" || looks === "vscode" ? looks : given;
}

/** VS Code knows one way to begin, and calls it `new`. */
function sourceOf(payload: JsonRecord): string | undefined {
  const source = firstText(payload, ["source"]);
  return source === "new" ? "startup" : source;
}

/** The host that a payload looks like; Claude Code where nothing tells, since others follow its form. */
function guessHost(payload: JsonRecord): HookHost {
  if (payload["conversation_id"] !== undefined || payload["workspace_roots"] !== undefined) return "cursor";
  if (payload["hookEventName"] !== undefined) return "vscode";
  if (payload["sessionID"] !== undefined) return "opencode";
  const transcript = (firstText(payload, ["transcript_path"]) ?? "").replaceAll("\\", "/");
  if (/\/rollout-[^/]*\.jsonl$/u.test(transcript) || transcript.includes("/.codex/")) return "codex";
  const name = eventName(payload);
  const isGemini = transcript.includes("/.gemini/") || /^(?:before|after)(?:agent|tool|model)|^precompress$/u.test(name);
  return isGemini ? "gemini" : "claude-code";
}

function eventOf(payload: JsonRecord): HookEvent | undefined {
  const name = eventName(payload);
  return Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
}

function eventName(payload: JsonRecord): string {
  return (firstText(payload, ["hook_event_name", "hookEventName", "event"]) ?? "").toLowerCase().replaceAll(/[-_.\s]/gu, "");
}

/** An empty type is told too: it marks a sub-agent of the host's own. */
function agentTypeOf(payload: JsonRecord): string | undefined {
  const type = payload["agent_type"] ?? payload["agentType"];
  return typeof type === "string" ? cut(type, MAX_TEXT_CHARS) : undefined;
}

/** An empty list counts as missing: it tells nothing of a session in which something was said before. */
function messagesOf(payload: JsonRecord): readonly unknown[] | undefined {
  const messages: unknown = payload["messages"];
  return Array.isArray(messages) && messages.length > 0 ? (messages as readonly unknown[]).slice(-MAX_MESSAGES) : undefined;
}

function firstRoot(payload: JsonRecord): string | undefined {
  const roots = payload["workspace_roots"];
  const [root] = Array.isArray(roots) ? (roots as readonly unknown[]) : [];
  return typeof root === "string" && root !== "" ? cut(root, MAX_TEXT_CHARS) : undefined;
}

function firstText(payload: JsonRecord, names: readonly string[], maxChars: number = MAX_TEXT_CHARS): string | undefined {
  for (const name of names) {
    const value = payload[name];
    if (typeof value === "string" && value !== "") return cut(value, maxChars);
  }
  return undefined;
}

/** Cut between characters: half of one is no text. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? maxChars - 1 : maxChars);
}
