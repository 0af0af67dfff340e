import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { withoutBlobs } from "../condense/without-blobs.ts";
import { isUser, type Part, speakerOf, type Turn } from "./turn.ts";

/** Reads messages in the formats of OpenAI (chat completions and responses) and Anthropic; other content is shown as JSON. */
export function messageTurns(messages: readonly JsonObject[]): readonly Turn[] {
  const calls = new Map<string, string>();
  return messages.map((message) => readMessage(message, calls));
}

/** @param calls tool names so far, by the id of the call. */
function readMessage(message: JsonObject, calls: Map<string, string>): Turn {
  const role = isText(message["role"]) ? message["role"] : roleOfItem(message);
  const name = isText(message["name"]) && message["type"] !== "function_call" ? message["name"] : undefined;
  const said = readContent(contentOf(message), { calls, tool: toolOf(message, calls, name), isReport: REPORTS.has(role.toLowerCase()) });
  const called = [...listOf(message["tool_calls"]), ...given(message["function_call"])].flatMap((call) => readCall(call, calls));
  const parts = [...said, ...readText(message["refusal"]), ...called];
  // Anthropic's API returns tool results with the role of the user.
  const isReport = isUser(role) && parts.length > 0 && parts.every(({ kind }) => kind === "result");
  const speaker = speakerOf(isReport ? "tool" : role, name);
  return { speaker, isUser: isUser(role) && !isReport, parts };
}

/** Some APIs put tool calls and results into separate items. */
function roleOfItem({ type }: JsonObject): string {
  return isText(type) && type.endsWith("_output") ? "tool" : "assistant";
}

function contentOf(message: JsonObject): JsonValue {
  const { content, parts, text } = message;
  if (content !== undefined && content !== null) return content;
  if (message["role"] === undefined) return [message];
  return parts ?? text ?? null;
}

const REPORTS: ReadonlySet<string> = new Set(["tool", "function"]);

function toolOf(message: JsonObject, calls: ReadonlyMap<string, string>, name: string | undefined): string | undefined {
  return name ?? calls.get(idOf(message["tool_call_id"] ?? message["tool_use_id"] ?? message["call_id"]));
}

interface Around {
  readonly calls: Map<string, string>;
  readonly tool?: string | undefined;
  /** True for the result of a tool, in any form. */
  readonly isReport?: boolean;
}

function readContent(content: JsonValue, around: Around): readonly Part[] {
  const parts = (Array.isArray(content) ? content : [content]).flatMap((part: JsonValue) => readPart(part, around));
  if (around.isReport !== true) return parts;
  return parts.map((part) => (isReportable(part) ? { kind: "result", tool: around.tool, failed: false, text: part.text } : part));
}

function isReportable({ kind }: Part): boolean {
  return kind === "text" || kind === "data";
}

function readPart(part: JsonValue, around: Around): readonly Part[] {
  if (part === null) return [];
  if (typeof part === "string") return readText(part);
  if (!isJsonObject(part)) return [{ kind: "data", text: json(part) }];
  const type = isText(part["type"]) ? part["type"] : "";
  if (/(?:^|_)(?:text|refusal)$/u.test(type)) return readText(part["text"] ?? part["refusal"]);
  if (CALLS.has(type)) return readCall(part, around.calls);
  if (/(?:tool_result|function_call_output)$/u.test(type)) return readResult(part, around.calls);
  if (type === "thinking" || type === "reasoning") return readThinking(part);
  if (type === "redacted_thinking") return [];
  const attached = attachment(part, type);
  if (attached !== undefined) return [{ kind: "attachment", text: attached }];
  if (type === "" && isText(part["text"])) return readText(part["text"]);
  return Object.keys(part).length === 0 ? [] : [{ kind: "data", text: json(part) }];
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use", "function", "function_call", "tool_call"]);

function readText(text: JsonValue | undefined): readonly Part[] {
  return isText(text) && text.trim() !== "" ? [{ kind: "text", text }] : [];
}

function readThinking({ thinking, text, summary, content }: JsonObject): readonly Part[] {
  const pieces = [thinking, text, ...listOf(summary), ...listOf(content)].map((piece) => (isJsonObject(piece) ? piece["text"] : piece));
  const said = pieces
    .filter(isText)
    .filter((piece) => piece.trim() !== "")
    .join("\n\n");
  return said === "" ? [] : [{ kind: "thinking", text: said }];
}

function readCall(call: JsonValue, calls: Map<string, string>): readonly Part[] {
  if (!isJsonObject(call)) return [{ kind: "data", text: json(call) }];
  const called = isJsonObject(call["function"]) ? call["function"] : call;
  const tool = isText(called["name"]) ? called["name"] : "unknown";
  for (const id of [call["id"], call["call_id"]]) if (id !== undefined) calls.set(idOf(id), tool);
  const input = called["arguments"] ?? called["input"] ?? null;
  return [{ kind: "call", tool, text: isText(input) ? prettied(input) : json(input) }];
}

function readResult(part: JsonObject, calls: Map<string, string>): readonly Part[] {
  const tool = calls.get(idOf(part["tool_use_id"] ?? part["call_id"]));
  const inside = readContent(part["content"] ?? part["output"] ?? null, { calls });
  const failed = part["is_error"] === true;
  const parts = inside.map((each): Part => (isReportable(each) ? { kind: "result", tool, failed, text: each.text } : each));
  // An empty tool result is worth knowing too.
  return parts.length > 0 ? parts : [{ kind: "result", tool, failed, text: "(nothing)" }];
}

/** Describes an attachment in one line: its kind and known facts. `undefined` when it is not an attachment. */
function attachment(part: JsonObject, type: string): string | undefined {
  const kind = /(?:^|_)(image|audio|video|document|file)(?:_url)?$/u.exec(type)?.[1];
  if (kind === undefined) return undefined;
  const inside = ["source", "image_url", "input_audio", "file"]
    .map((key) => part[key])
    .find((value) => value !== undefined && value !== null);
  const facts = { ...part, ...(isJsonObject(inside) ? inside : { url: inside ?? null }) };
  const told = ["title", "name", "filename", "media_type", "mimeType", "format", "file_id", "url", "uri"]
    .map((key) => facts[key])
    .filter(isText)
    .filter((value) => value !== "")
    .map((value) => withoutBlobs(value));
  const bytes = ["data", "file_data"].map((key) => facts[key]).find(isText);
  return [kind, ...new Set(told), ...(bytes === undefined ? [] : [`${bytes.length} characters of base64`])].join(", ");
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function json(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/** Formats arguments that come as JSON text. */
function prettied(text: string): string {
  try {
    return json(JSON.parse(text) as JsonValue);
  } catch {
    // A model may write invalid JSON, which is shown unchanged.
    return text;
  }
}

function idOf(id: JsonValue | undefined): string {
  return JSON.stringify(id ?? null);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function given(value: JsonValue | undefined): readonly JsonValue[] {
  return value === undefined || value === null ? [] : [value];
}
