import type { HookEvent, HookHost, HookPayload } from "./hook-payload.ts";
import { type JsonRecord, recordOf } from "./json-record.ts";

/** Events by their names in lower case without separators, because hosts spell them differently. */
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
/** Members with the sub-agent's own transcript. Its events also name the parent's transcript, which holds the parent's work. */
const SUBAGENT_TRANSCRIPT = ["agent_transcript_path", "agentTranscriptPath"];

const MAX_PROMPT_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 4096;
const MAX_MESSAGES = 10_000;

/**
 * Parses the JSON that a host sends to a hook.
 *
 * A member of an unexpected type counts as missing, and long text is cut. Never throws.
 *
 * @param host `undefined`: guessed from the members. Editors run the hooks of Claude Code too, and are recognized by the members.
 * @returns `undefined` for JSON without the id of a session.
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

/** VS Code names every start `new`. */
function sourceOf(payload: JsonRecord): string | undefined {
  const source = firstText(payload, ["source"]);
  return source === "new" ? "startup" : source;
}

/** Guesses the host of a payload. The default is Claude Code, because others copy its form. */
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

/** Keeps an empty type: it marks a sub-agent that the host started itself. */
function agentTypeOf(payload: JsonRecord): string | undefined {
  const type = payload["agent_type"] ?? payload["agentType"];
  return typeof type === "string" ? cut(type, MAX_TEXT_CHARS) : undefined;
}

/** An empty list counts as missing, because the session may have earlier messages. */
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

/** Cuts between characters, because half a character is not valid text. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? maxChars - 1 : maxChars);
}
