import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { parseData } from "../../condense/outline-data.ts";
import { cut, isEmpty, ownMember, plain, widthOf } from "./plain.ts";

/** Kind of speech: a person asks, an agent says or acts, a tool reports, the system rules. */
export type Voice = "asks" | "says" | "acts" | "reports" | "rules" | "notes";

/** Text or tool call of a message. */
export interface MessagePart {
  readonly voice: Voice;
  readonly text: string;
  /** Input of a tool call. */
  readonly input?: JsonValue | undefined;
  readonly tool?: string | undefined;
}

/** Content of a message, in order. */
export interface Message {
  readonly speaker: string;
  readonly said: readonly MessagePart[];
}

const ASKERS =
  /^(?:users?|humans?|customers?|clients?|callers?|patients?|visitors?|boss|requester|owner|you|me|auftraggeber(?:in)?|kund(?:e|in)|nutzer(?:in)?|benutzer(?:in)?|anwender(?:in)?|chef(?:in)?|utilisateur|utilisatrice|cliente?|usuari[oa]|student|pupil|guest|schüler(?:in)?|élève|alumn[oa]|用户|客户|顾客|老板|客人|旅客|学生|患者|家长|生徒|お客|ユーザー|利用者|お客様|顧客|依頼者|上司|humanmessage|human_message)$/iu;
const ANSWERERS =
  /^(?:assistant|ai|model|bot|agent|claude|chatgpt|gpt|gemini|copilot|assistent(?:in)?|agente|asistente|助手|助理|代理|客服|老师|アシスタント|エージェント|プランナー|先生|tutor(?:in)?|planner|aimessage|ai_message|aimessagechunk)$/iu;
const REPORTERS =
  /^(?:tool|function|ipython|observation|environment|tool_result|toolresult|tool_output|result|output|shell|system_output|werkzeug|outil|herramienta|工具|ツール|toolmessage|tool_message|functionmessage)$/iu;
const RULERS = /^(?:system|developer|systemmessage|system_message)$/iu;

/** Returns the voice that a role name stands for; `undefined` for a personal name. */
export function voiceOfName(name: string): Voice | undefined {
  const trimmed = name.trim();
  if (ASKERS.test(trimmed)) return "asks";
  if (ANSWERERS.test(trimmed)) return "says";
  if (REPORTERS.test(trimmed)) return "reports";
  return RULERS.test(trimmed) ? "rules" : undefined;
}

const SPEAKER_KEYS = [
  "role",
  "speaker",
  "author",
  "from",
  "sender",
  "who",
  "by",
  "actor",
  "name",
  "user",
  "source",
  "type",
  "wer",
  "von",
  "autor",
  "qui",
  "auteur",
  "de",
  "quien",
  "quién",
  "谁",
  "角色",
  "发言人",
  "说话人",
  "誰",
  "話者",
  "役割",
  "発言者",
];
const CONTENT_KEYS = [
  "content",
  "text",
  "message",
  "parts",
  "body",
  "said",
  "what",
  "says",
  "msg",
  "utterance",
  "was",
  "quoi",
  "texte",
  "que",
  "qué",
  "texto",
  "mensaje",
  "nachricht",
  "内容",
  "发言",
  "文本",
  "発言",
  "本文",
];

/** Returns the speaker that a field names. `type` counts only if it names a voice: it may also name a form of content. */
function nameIn(item: JsonObject, key: string): string | undefined {
  const name = item[key];
  if (typeof name !== "string" || name === "" || name.length > 60) return undefined;
  return key !== "type" || voiceOfName(name) !== undefined ? name : undefined;
}

/** Reads items that stand next to messages in some APIs: a call, its output, or reasoning. */
function itemOf(item: JsonObject, calls: Map<string, string>): Message | undefined {
  const type = typeOf(item);
  const id = item["call_id"] ?? item["id"] ?? null;
  if (type.endsWith("_output") && type !== "computer_output") {
    const output = item["output"] ?? item["content"] ?? null;
    const said = typeof output === "string" || Array.isArray(output) ? readContent(output, "reports", calls) : readReport(output);
    return { speaker: calls.get(idOf(id)) ?? "tool", said: said.map(({ text }) => ({ voice: "reports", text })) };
  }
  if (/^(?:function|custom_tool|local_shell|tool)_call$/u.test(type)) {
    const input = item["arguments"] ?? item["input"] ?? item["action"] ?? null;
    const name = typeof item["name"] === "string" ? item["name"] : type;
    calls.set(idOf(id), name);
    return { speaker: "assistant", said: readCall({ type, name, input: parsedInput(input) ?? input }, calls) };
  }
  if (type !== "reasoning") return undefined;
  return { speaker: "assistant", said: readContent(item["summary"] ?? item["content"] ?? null, "notes", calls) };
}

/** Unwraps a serialised LangChain message. */
function unwrapped(item: JsonObject): JsonObject {
  const { kwargs, data, id, type, message } = item;
  const name = Array.isArray(id) ? id.at(-1) : undefined;
  if (isJsonObject(kwargs) && typeof name === "string") return { ...kwargs, role: name };
  if (isJsonObject(data) && typeof type === "string" && data["content"] !== undefined) return { ...data, role: type };
  // Transcripts of hosts wrap the message in a record.
  if (isJsonObject(message) && typeof message["role"] === "string") return message;
  return item;
}

/** Speaker and content fields, detected by their values. */
export interface SpeechFields {
  readonly speaker: string;
  readonly content: string;
}

/** Smallest average width of a spoken text. */
const LEAST_SAID = 16;
const LONGEST_SPEAKER = 24;
/**
 * Detects a conversation by its shape: among the fields of all records, one has varied texts, and another has few short names that
 * alternate.
 */
export function speechFieldsOf(items: readonly JsonValue[]): SpeechFields | undefined {
  const records = items.filter(isJsonObject);
  if (records.length < 3 || records.length < items.length) return undefined;
  const fields = Object.keys(records[0] ?? {}).filter(
    (key) => records.filter((record) => typeof record[key] === "string").length >= records.length * 0.9,
  );
  const texts = (key: string): readonly string[] => records.map((record) => plain(ownMember(record, key) ?? ""));
  const averages = new Map(fields.map((key) => [key, texts(key).reduce((sum, text) => sum + widthOf(text), 0) / records.length]));
  const [content] = fields.toSorted((left, right) => (averages.get(right) ?? 0) - (averages.get(left) ?? 0));
  if (content === undefined || (averages.get(content) ?? 0) < LEAST_SAID || new Set(texts(content)).size < records.length * 0.3)
    return undefined;
  const speaker = fields.find((key) => key !== content && takesTurns(texts(key), SPEAKER_KEYS.includes(key.toLowerCase())));
  if (speaker === undefined) return undefined;
  const others = records.flatMap((record) => Object.entries(record).filter(([key]) => key !== speaker && key !== content));
  return others.every(([key, value]) => isPlaceInTime(key, value)) ? { speaker, content } : undefined;
}

/** True for a running number, a time, or a date. */
function isPlaceInTime(key: string, value: JsonValue): boolean {
  return (
    value === null || (typeof value === "number" && ABOUT.test(key)) || (typeof value === "string" && /^[\d:./TZ +-]{0,30}$/u.test(value))
  );
}

function takesTurns(names: readonly string[], isNamed: boolean): boolean {
  const distinct = new Set(names);
  const changes = names.filter((name, at) => at > 0 && name !== names[at - 1]).length;
  return (
    names.every((name) => name.length <= LONGEST_SPEAKER && !/\d/u.test(name)) &&
    distinct.size > 1 &&
    distinct.size <= Math.max(2, names.length * (isNamed ? 1 : 0.34)) &&
    changes >= names.length * 0.4
  );
}

/** Reads an item of a list as a message; `undefined` when it has no speaker or no content. */
export function messageOf(given: JsonValue, calls: Map<string, string>, fields?: SpeechFields): Message | undefined {
  if (!isJsonObject(given)) return undefined;
  if (fields !== undefined) {
    const speaker = plain(ownMember(given, fields.speaker) ?? "");
    return { speaker, said: readContent(ownMember(given, fields.content) ?? null, voiceOfName(speaker) ?? "notes", calls) };
  }
  const item = unwrapped(given);
  const apart = itemOf(item, calls);
  if (apart !== undefined) return apart;
  const speaker = SPEAKER_KEYS.map((key) => nameIn(item, key)).find((name) => name !== undefined);
  if (speaker === undefined) return undefined;
  // `parts` repeats the text beside it, and adds tool calls.
  const keys = Array.isArray(item["parts"]) && item["parts"].length > 0 ? ["parts"] : CONTENT_KEYS;
  const contents = keys.flatMap((key) => (Object.hasOwn(item, key) && item[key] !== speaker ? [item[key] ?? null] : []));
  const called = [...listOf(item["tool_calls"]), ...(isJsonObject(item["function_call"]) ? [item["function_call"]] : [])];
  if (contents.length === 0 && called.length === 0) return undefined;
  const tool = calls.get(idOf(item["tool_call_id"] ?? item["tool_use_id"]));
  const voice = voiceOfName(speaker) ?? "notes";
  const said = [
    ...contents.slice(0, 1).flatMap((content) => readContent(content, voice, calls)),
    ...called.flatMap((call) => readCall(call, calls)),
    ...besideContent(item, speaker, keys),
  ];
  const name = voice === "reports" ? (tool ?? (typeof item["name"] === "string" ? item["name"] : speaker)) : speaker;
  // Some APIs return tool results with the role of the user.
  const isReport = said.length > 0 && said.every((each) => each.voice === "reports");
  return { speaker: isReport && voice === "asks" ? "tool" : shortName(name), said };
}

function shortName(name: string): string {
  return name.replace(/Message(?:Chunk)?$/u, "").toLowerCase() === "human" ? "user" : /^ai(?:message)?$/iu.test(name) ? "assistant" : name;
}

/** Tool output that hosts and harnesses report with the role of the user. */
const PASTED_RESULT =
  /^\s*(?:\[?(?:tool|command|function)[ _-]?(?:result|output|response)s?\b|OBSERVATION:|<(?:tool_result|function_results|system-reminder|command-|local-command)|\[result of|Exit code \d|stdout:|Output:)/iu;

function readContent(content: JsonValue, voice: Voice, calls: Map<string, string>): Message["said"] {
  if (content === null) return [];
  if (typeof content === "string")
    return content.trim() === "" ? [] : [{ voice: voice === "asks" && PASTED_RESULT.test(content) ? "reports" : voice, text: content }];
  if (Array.isArray(content)) return content.flatMap((part: JsonValue) => readPart(part, voice, calls));
  return readPart(content, voice, calls);
}

function readPart(part: JsonValue, voice: Voice, calls: Map<string, string>): Message["said"] {
  if (typeof part === "string" || Array.isArray(part)) return readContent(part, voice, calls);
  if (!isJsonObject(part)) return part === null ? [] : [{ voice, text: plain(part) }];
  const type = typeOf(part);
  const invoked = invocationOf(part);
  if (invoked !== undefined) return [...readCall(invoked, calls), ...resultOf(invoked, calls)];
  if (/tool[-_]?result|function_call_output|function_?response|tool_response/iu.test(type) || isJsonObject(part["functionResponse"])) {
    const inside = part["content"] ?? part["result"] ?? part["output"] ?? part["functionResponse"] ?? null;
    const value = isJsonObject(inside) && inside["value"] !== undefined ? inside["value"] : inside;
    const texts =
      Array.isArray(value) || typeof value === "string"
        ? readContent(value, "reports", calls)
        : [{ voice: "reports" as const, text: JSON.stringify(value) }];
    return texts.map(({ text }) => ({ voice: "reports", text }));
  }
  if (/image|audio|video|redacted|signature/iu.test(type)) return [];
  if (/^(?:input_|reasoning-)?file(?:-|$)/u.test(type)) return readFile(part, voice);
  const call = readCall(part, calls);
  if (call.length > 0) return call;
  for (const key of ["text", "thinking", "reasoning", "content", "refusal", "data", "output"]) {
    const text = part[key];
    if (typeof text === "string")
      return text.trim() === "" ? [] : readContent(text, key === "thinking" || key === "reasoning" ? "notes" : voice, calls);
    if (Array.isArray(text)) return readContent(text, voice, calls);
  }
  return Object.keys(part).length === 0 ? [] : [{ voice, text: JSON.stringify(part) }];
}

/** Returns the text of a file, or its name and type in place of its bytes. */
function readFile(part: JsonObject, voice: Voice): Message["said"] {
  const { data, file } = part;
  if (isJsonObject(data) && typeof data["text"] === "string") return [{ voice, text: data["text"] }];
  const facts = isJsonObject(file) ? { ...part, ...file } : part;
  const told = ["filename", "name", "mediaType", "mimeType", "media_type"].map((key) => facts[key]);
  const text = told.filter((fact) => typeof fact === "string").join(", ");
  return text === "" ? [] : [{ voice, text: `[file ${text}]` }];
}

/** Returns a call with its result in the format of the AI SDK: nested in the part, or, from version 5 on, as the part itself. */
function invocationOf(part: JsonObject): JsonObject | undefined {
  const { toolInvocation } = part;
  if (isJsonObject(toolInvocation)) return toolInvocation;
  const type = typeOf(part);
  if (part["toolCallId"] === undefined || !/^(?:tool-|dynamic-tool)/u.test(type) || /result|invocation/u.test(type)) return undefined;
  return { ...part, toolName: part["toolName"] ?? type.slice("tool-".length) };
}

function resultOf({ result, output, errorText }: JsonObject, calls: Map<string, string>): Message["said"] {
  const value = result ?? output ?? errorText ?? null;
  if (value === null) return [];
  const texts = typeof value === "string" || Array.isArray(value) ? readContent(value, "reports", calls) : readReport(value);
  return texts.map(({ text }) => ({ voice: "reports", text }));
}

/** Reads the answer of a program: its text output if any, else its JSON. */
function readReport(value: JsonValue): Message["said"] {
  const texts = isJsonObject(value) ? ["stdout", "stderr", "output", "text", "error"].map((key) => value[key]) : [];
  const printed = texts.filter((text): text is string => typeof text === "string" && text.trim() !== "");
  return (printed.length > 0 ? printed : [JSON.stringify(value)]).map((text) => ({ voice: "reports", text }));
}

function readCall(part: JsonValue, calls: Map<string, string>): Message["said"] {
  if (!isJsonObject(part)) return [];
  const call = isJsonObject(part["function"]) ? part["function"] : isJsonObject(part["functionCall"]) ? part["functionCall"] : part;
  const name = call["name"] ?? call["toolName"] ?? call["tool"];
  const input = call["arguments"] ?? call["input"] ?? call["args"] ?? call["parameters"];
  if (typeof name !== "string" || (input === undefined && call === part && !/call|use|invocation/iu.test(typeOf(part)))) return [];
  const id = part["id"] ?? part["toolCallId"] ?? part["tool_call_id"];
  if (id !== undefined) calls.set(idOf(id), name);
  const text = input === undefined || input === null ? "" : typeof input === "string" ? input : plainArguments(input);
  return [{ voice: "acts", text: `call ${name}${text === "" || text === "{}" ? "" : ` ${text}`}`, input: parsedInput(input), tool: name }];
}

function parsedInput(input: JsonValue | undefined): JsonValue | undefined {
  return typeof input === "string" ? parseData(input) : input;
}

/** Formats arguments: a single text without its name, otherwise JSON. */
function plainArguments(input: JsonValue): string {
  if (isJsonObject(input)) {
    const values = Object.values(input);
    if (values.length === 1 && typeof values[0] === "string") return values[0];
  }
  return JSON.stringify(input);
}

function typeOf({ type }: JsonObject): string {
  return typeof type === "string" ? type : "";
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function idOf(id: JsonValue | undefined): string {
  return JSON.stringify(id ?? null);
}

/** Message fields without content. */
const ABOUT = /^(?:id|uuid|n|nr|no|seq|at|ts|t|h|time|date|day|when|timestamp|created_?at|status|type|role|name|channel|annotations)$/iu;

/** True for a record, such as a claim with its source: it names somebody but has more fields than speaker, content and time. */
function isRecord(given: JsonValue): boolean {
  if (!isJsonObject(given)) return false;
  const item = unwrapped(given);
  if (item["role"] !== undefined) return false;
  const speaker = SPEAKER_KEYS.map((key) => nameIn(item, key)).find((name) => name !== undefined);
  if (speaker === undefined || voiceOfName(speaker) !== undefined) return false;
  const content = CONTENT_KEYS.find((key) => Object.hasOwn(item, key));
  return Object.entries(item).some(([key, value]) => {
    return key !== content && value !== speaker && !ABOUT.test(key) && !isEmpty(value) && value !== false;
  });
}

/** Message fields of APIs and hosts that are not about the work. */
const OF_APIS =
  /^(?:tool_?calls?|tool_call_id|tool_use_id|call_id|function_call|additional_kwargs|response_metadata|usage(?:_metadata)?|model|stop_(?:reason|sequence)|finish_reason|refusal|toolInvocations|invalid_tool_calls|lc|example|kwargs|content|parts|text|experimental_\w+|is\p{Lu}\w*|parent\w*|session\w*|cwd|version|gitBranch|userType|requestId|logprobs|index|service_tier|system_fingerprint|phase|timestamp\w*)$/iu;
/** Maximum characters of an extra field. */
const MOST_BESIDE = 400;

/** Reads extra fields of a message, such as a decision or a remark. */
function besideContent(item: JsonObject, speaker: string, contents: readonly string[]): Message["said"] {
  return Object.entries(item).flatMap(([key, value]): Message["said"] => {
    if (value === speaker || ABOUT.test(key) || OF_APIS.test(key) || contents.includes(key) || SPEAKER_KEYS.includes(key)) return [];
    if (isEmpty(value) || typeof value === "boolean") return [];
    return [{ voice: "notes", text: `${key}: ${cut(plain(value), MOST_BESIDE)}` }];
  });
}

/** True when nearly all items of a list are messages. */
export function isConversation(items: readonly JsonValue[]): boolean {
  if (items.length === 0) return false;
  const sample = items.length > 40 ? [...items.slice(0, 20), ...items.slice(-20)] : items;
  const calls = new Map<string, string>();
  const messages = sample.map((item) => (isRecord(item) ? undefined : messageOf(item, calls)));
  const read = messages.filter((message) => message !== undefined);
  return read.length >= sample.length * 0.7;
}
