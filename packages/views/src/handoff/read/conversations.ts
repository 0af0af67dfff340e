import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import type { HandoffPart } from "../handoff-part.ts";
import { parseData } from "../../condense/outline-data.ts";
import { cuesIn } from "../cues.ts";
import type { Excerpt } from "../excerpt.ts";
import { type Message, messageOf, type MessagePart, type SpeechFields, type Voice, voiceOfName } from "./messages.ts";
import { OF_PART, type Place, push, type Reading } from "./place.ts";
import { statusKeyOf } from "./records.ts";
import { isEmpty, plain, plainLong } from "./plain.ts";
import { ERROR_LINE, kindOfLine, sentencesOf } from "./sentences.ts";

const ACTS = ["action", "command", "cmd", "tool", "tool_call", "call", "tool_name", "aktion", "acción", "操作", "动作"];
const RESULTS = [
  "observation",
  "result",
  "output",
  "stdout",
  "stderr",
  "response",
  "error",
  "outcome",
  "ergebnis",
  "resultado",
  "résultat",
  "结果",
  "結果",
];

export function isSteps(records: readonly JsonObject[]): boolean {
  const read = records.filter((record) => ACTS.some((key) => Object.hasOwn(record, key)) && Object.keys(record).length > 1);
  return records.length > 1 && read.length >= records.length * 0.7;
}

/** Reads actions and their results as a conversation with tools. */
export function readSteps(records: readonly JsonObject[], place: Place, to: Reading): void {
  const messages = records.flatMap((record, index): readonly (Message & { readonly index: number })[] => {
    const act = ACTS.find((key) => typeof record[key] === "string");
    const name = act === undefined ? "" : plain(record[act] ?? "");
    const voice = voiceOfName(name);
    const rest = Object.entries(record).filter(
      ([key, value]) => key !== act && !(PLACE.test(key) && (typeof value !== "string" || !value.includes(" "))) && !isEmpty(value),
    );
    if (voice === "asks" || voice === "says" || voice === "rules") {
      return [{ speaker: name, index, said: rest.map(([, value]) => ({ voice, text: plainLong(value) })) }];
    }
    const said: { voice: Voice; text: string }[] = [];
    const inputs = rest.filter(([key]) => INPUTS.test(key)).flatMap(([, value]) => argumentsOf(value));
    const isShort = (text: string): boolean => text.length <= LONGEST_ARGUMENT && !text.includes("\n");
    if (name !== "") said.push({ voice: "acts", text: [name, ...inputs.filter(isShort)].join(" ") });
    for (const text of inputs) if (!isShort(text)) said.push({ voice: "acts", text });
    for (const [key, value] of rest) {
      if (INPUTS.test(key)) continue;
      said.push({ voice: RESULTS.includes(key.toLowerCase()) ? "reports" : "says", text: plainLong(value) });
    }
    return [{ speaker: "", index, said }];
  });
  readMessages(messages, place, to);
}

/** Keys with the position of a step, ignored unless their value is a sentence. */
const PLACE = /^(?:n|nr|i|id|index|step|at|ts|time)$/iu;
const INPUTS = /^(?:input|args?|arguments|params|parameters|path|target|query)$/iu;
/** In characters; longer arguments, such as a diff, are read line by line. */
const LONGEST_ARGUMENT = 120;

function argumentsOf(value: JsonValue): readonly string[] {
  return isJsonObject(value) ? Object.values(value).map((each) => plainText(each)) : [plainText(value)];
}

function plainText(value: JsonValue): string {
  return typeof value === "string" ? value : plain(value);
}

/** True when a value is a notebook cell (nbformat 4). */
export function isCell(value: JsonValue): boolean {
  return isJsonObject(value) && value["cell_type"] !== undefined;
}

export function readCells(cells: readonly JsonValue[], place: Place, to: Reading): void {
  const messages = cells.flatMap((cell, index): readonly (Message & { readonly index: number })[] => {
    if (!isJsonObject(cell) || cell["source"] === undefined)
      return [{ speaker: "", index, said: [{ voice: "notes", text: plainLong(cell) }] }];
    const source = joined(cell["source"]);
    const isCode = cell["cell_type"] === "code";
    const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].map((output: JsonValue) => outputText(output)) : [];
    return [
      {
        speaker: isCode ? "code" : "",
        index,
        said: [{ voice: isCode ? "acts" : "says", text: source }, ...outputs.map((text) => ({ voice: "reports" as const, text }))],
      },
    ];
  });
  readMessages(messages, place, to);
}

function joined(value: JsonValue): string {
  return Array.isArray(value) ? value.map((each) => String(each)).join("") : plainLong(value);
}

function outputText(output: JsonValue): string {
  if (!isJsonObject(output)) return plainLong(output);
  const data = isJsonObject(output["data"]) ? (output["data"]["text/plain"] ?? "") : "";
  const error = typeof output["ename"] === "string" ? `${output["ename"]}: ${plain(output["evalue"] ?? "")}` : "";
  return [joined(output["text"] ?? ""), joined(data), error].filter((text) => text !== "").join("\n");
}

interface ConversationPlace {
  readonly place: Place;
  /** Speaker and content fields, when their names do not tell. */
  readonly fields?: SpeechFields;
}

export function readConversation(items: readonly JsonValue[], { place, fields }: ConversationPlace, to: Reading): void {
  const calls = new Map<string, string>();
  const messages = items.flatMap((item, index) => {
    const message = messageOf(item, calls, fields);
    return message === undefined
      ? [{ speaker: "", index, said: [{ voice: "notes" as const, text: plainLong(item) }] }]
      : [{ ...message, index }];
  });
  readMessages(messages, place, to);
}

/** Importance by voice. */
const OF_VOICE: Readonly<Record<Voice, number>> = { asks: 58, says: 42, acts: 36, reports: 22, rules: 46, notes: 44 };

/** Bonus by age: 40 for the newest turn, decaying with each later turn. */
function ofAge(age: number): number {
  return 40 * Math.exp(-age / 3.2);
}

export function readMessages(messages: readonly (Message & { readonly index: number })[], place: Place, to: Reading): void {
  const isSpoken = ({ said }: Message): boolean => said.some(({ voice, text }) => voice !== "reports" && text.trim() !== "");
  let age = messages.filter(isSpoken).length;
  let asked = 0;
  const latest = latestWork(messages);
  for (const message of messages) {
    if (isSpoken(message)) age -= 1;
    const isFirstAsked = message.said.some(({ voice }) => voice === "asks") && asked++ === 0;
    for (const said of message.said) {
      const { voice, text } = said;
      const work = workIn(said);
      if (work !== undefined) {
        // An earlier version of a work list is obsolete.
        if (latest.has(said))
          to.value(work, { ...place, index: message.index, label: said.tool, part: "work", base: OF_PART.work, depth: 0 });
        continue;
      }
      const base = OF_VOICE[voice] + ofAge(age) * (voice === "reports" ? 0.7 : 1);
      const at: Place = {
        ...place,
        index: message.index,
        label: message.speaker === "" ? place.label : message.speaker,
        part: undefined,
        base,
        depth: 0,
        isHistory: true,
      };
      readSpeech({ text, voice, age, isFirstAsked }, at, to);
    }
  }
}

/** Turns after which an error in tool output is old. */
const RECENT = 10;

/** Returns the list of records with a status in the input of a tool call. */
function workIn({ input }: MessagePart): readonly JsonValue[] | undefined {
  if (!isJsonObject(input)) return undefined;
  return Object.values(input).find(
    (member): member is readonly JsonValue[] => Array.isArray(member) && member.length > 1 && statusKeyOf(member) !== undefined,
  );
}

/** Returns the last work list of each tool. */
function latestWork(messages: readonly Message[]): ReadonlySet<MessagePart> {
  const latest = new Map<string, MessagePart>();
  for (const said of messages.flatMap((message) => message.said)) if (workIn(said) !== undefined) latest.set(said.tool ?? "", said);
  return new Set(latest.values());
}

interface Speech {
  readonly text: string;
  readonly voice: Voice;
  readonly age: number;
  readonly isFirstAsked: boolean;
}

function readSpeech({ text, voice, age, isFirstAsked }: Speech, place: Place, to: Reading): void {
  const data = parseData(text);
  if (data !== undefined && voice !== "asks") return readData(data, place, to);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isPasted = voice === "asks" && lines.length > 12;
  const units = lines.flatMap((line, at) => sentencesOf(line.trim()).map((unit) => ({ unit, at })));
  units.forEach(({ unit, at }, order) => {
    const kind = kindOfLine(unit);
    const fromEnd = units.length - 1 - order;
    const edge = Math.min(order, fromEnd);
    const isProse = kind === "prose";
    const cues = cuesIn(unit);
    const isComment = voice === "acts" && /^(?:#|\/\/|--)\s+\p{L}/u.test(unit);
    let base =
      place.base - Math.min(14, edge * (voice === "reports" ? 1.2 : 0.8)) + (isComment ? 8 : isProse ? 0 : voice === "reports" ? -4 : -12);
    if (voice === "reports" && isProse) base += 8;
    if (voice === "reports" && ERROR_LINE.test(unit)) base += age < RECENT ? 22 : 12;
    let part: HandoffPart = age < 4 ? "turns" : "rest";
    if (voice === "asks" && isProse) {
      if (isFirstAsked) [base, part] = [Math.max(base, 92 - Math.min(24, order * 1.5) - (isPasted && at > 2 ? 12 : 0)), "goal"];
      const worth = cues.forbids ? 88 : cues.demands ? 80 : cues.restricts ? 72 : 0;
      if (worth > 0) [base, part] = [Math.max(base, worth - Math.min(14, order * 0.5)), part === "goal" ? "goal" : "rules"];
    } else if (isProse && voice !== "reports") {
      if (cues.forbids) base += voice === "rules" ? 18 : 14;
      else if (cues.restricts) base += 4;
      else if (cues.demands) base += voice === "rules" ? 9 : 6;
      else if (cues.decides) base += 9;
      else if (cues.fails) base += 8;
      else if (cues.isOpen) base += 5;
      if (cues.forbids && voice !== "says") part = "rules";
      else if (cues.isOpen && age < 6) part = "work";
      else if (cues.decides) part = "decisions";
      else if (cues.fails) part = "failures";
      base = Math.min(base, 90);
    }
    push(to, { ...place, base }, { text: unit, part, base });
  });
}

/** Reads JSON that a tool received or returned. */
function readData(data: JsonValue, place: Place, to: Reading): void {
  const json = JSON.stringify(data);
  if (json.length <= 240) return push(to, place, { text: plain(data), part: place.base > 60 ? "turns" : "rest", base: place.base });
  const inside: Excerpt[] = [];
  to.into(inside).value(data, { ...place, depth: 2, part: "rest" });
  inside.forEach(({ value: _value, ...each }, order) => {
    const text =
      each.label !== undefined && each.label !== place.label
        ? `${each.label}: ${each.text}`
        : each.member === undefined || each.member === place.member
          ? each.text
          : `${each.member}: ${each.text}`;
    to.out.push({
      ...each,
      member: place.member,
      index: place.index,
      label: place.label,
      text,
      base: Math.min(each.base, place.base) - Math.min(12, order * 0.8),
      part: "rest",
    });
  });
}
