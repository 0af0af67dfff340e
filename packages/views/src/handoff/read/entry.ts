import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { type HandoffPart, isHistoryName, isLatestName, isObsoleteName, partOfName } from "../handoff-part.ts";
import { parseData } from "../../condense/outline-data.ts";
import type { Excerpt } from "../excerpt.ts";
import { isCell, isSteps, readCells, readConversation, readSteps } from "./conversations.ts";
import { isConversation, speechFieldsOf } from "./messages.ts";
import { later, OF_PART, orderOf, type Place, push, type Reading, SMALL, SMALL_ENTRY, weigh } from "./place.ts";
import { cut, isEmpty, plain, widthOf } from "./plain.ts";
import { readRecords, readRows, statusKeyOf } from "./records.ts";
import { readLine, readText } from "./texts.ts";

/** Characters shown of an entry without words. */
const MOST_OF_SHAPE = 200;

/** Fields with the output of a tool. */
const OUTPUTS = /^(?:result|results|output|outputs|stdout|stderr|observation|response|content)$/iu;
const OF_OUTPUT = 16;

/** Bonus for an entry named as the newest of its kind. */
const OF_LATEST = 8;

/** Importance of an empty value. */
const BLANK = 30;

function isBlank(value: JsonValue): boolean {
  return isEmpty(value) || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Highest importance of a member named obsolete. */
const OBSOLETE = 30;

/** Splits an entry of a context into excerpts, in order. */
export function readEntry(key: string, value: JsonValue): Excerpt[] {
  const part = partOfName(key);
  const latest = isLatestName(key) ? OF_LATEST : 0;
  const place: Place = { key, part, base: OF_PART[part ?? "rest"] + latest, isHistory: isHistoryName(key), depth: 0 };
  const json = JSON.stringify(value);
  if (widthOf(json) <= SMALL_ENTRY && !isStateful(value)) {
    const weighed = weigh(json, place);
    const least = part === undefined ? 60 + latest : 0;
    return [{ key, text: json, value, part: weighed.part, base: isBlank(value) ? BLANK : Math.max(weighed.base, least) }];
  }
  const out: Excerpt[] = [];
  readingInto(out).value(value, place);
  // Represents a value without words by its beginning.
  return out.length > 0 ? out : [{ key, text: cut(json, MOST_OF_SHAPE), part: "rest", base: place.base }];
}

function readingInto(out: Excerpt[]): Reading {
  const reading: Reading = { out, value: (value, place) => readValue(value, place, reading), into: readingInto };
  return reading;
}

/** True for a list of records with a status, which is read as work even when short. */
function isStateful(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 1 && statusKeyOf(value) !== undefined;
}

function readValue(value: JsonValue, place: Place, to: Reading): void {
  if (typeof value === "string") readText(value, place, to);
  else if (Array.isArray(value)) readList(value, place, to);
  else if (isJsonObject(value)) readObject(value, place, to);
  else push(to, place, { text: plain(value) });
}

function readObject(value: JsonObject, place: Place, to: Reading): void {
  const members = Object.entries(value);
  const cells = value["cells"];
  if (Array.isArray(cells) && cells.some(isCell)) {
    for (const [name, member] of members) if (name !== "cells") readMember({ name, member }, place, to);
    readCells(cells, { ...place, member: place.depth === 0 ? "cells" : place.member, isHistory: true }, to);
    return;
  }
  const records = members.map(([, member]) => member);
  if (members.length > 2 && records.every(isJsonObject) && statusKeyOf(records) !== undefined) {
    readRecords(
      members.map(([name, member]) => ({ [freeName(records)]: name, ...(member as JsonObject) })),
      place,
      to,
    );
    return;
  }
  for (const [name, member] of members) readMember({ name, member }, place, to);
}

/** Returns a field name for the names of records that no record has. */
function freeName(records: readonly JsonValue[]): string {
  return ["name", "key", "#", "…"].find((name) => records.every((record) => !isJsonObject(record) || !Object.hasOwn(record, name))) ?? "…";
}

function readMember({ name, member }: { readonly name: string; readonly member: JsonValue }, place: Place, to: Reading): void {
  const isObsolete = isObsoleteName(name);
  const own = isObsolete ? undefined : partOfName(name);
  const isHistory = isHistoryName(name);
  // The history of a work item is not open work.
  const part = own ?? (isHistory || isObsolete ? undefined : place.part);
  const isTop = place.depth === 0;
  const path = isTop ? name : [place.label, name].filter((each) => each !== undefined).join(".");
  const base =
    own === undefined
      ? isObsolete
        ? Math.min(place.base, OBSOLETE)
        : isHistory
          ? Math.min(place.base, OF_PART.rest)
          : place.base
      : Math.max(OF_PART[own] - 4, place.part === undefined ? 0 : place.base - 6);
  const isOutput = place.depth > 0 && OUTPUTS.test(name);
  const inside: Place = {
    ...place,
    part: isOutput ? undefined : part,
    base: isOutput ? Math.min(base, place.base - OF_OUTPUT) : base,
    depth: place.depth + 1,
    isHistory: place.isHistory || isHistory,
    member: isTop ? name : place.member,
    label: isTop ? undefined : path,
  };
  const json = JSON.stringify(member);
  if (widthOf(json) <= SMALL && !isStateful(member)) {
    const weighed = weigh(`${name} ${json}`, inside);
    const small = isBlank(member) ? Math.min(weighed.base, BLANK) : weighed.base + (json.length < 60 ? 2 : 0);
    if (isTop) to.out.push({ key: place.key, member: name, text: json, value: member, part: weighed.part, base: small });
    else
      to.out.push({
        key: place.key,
        member: place.member,
        index: place.index,
        label: place.label,
        text: `${name}: ${plain(member)}`,
        part: weighed.part,
        base: small,
      });
    return;
  }
  readValue(member, inside, to);
}

/** Number of consecutive numbers summarised as a series. */
const MANY_NUMBERS = 9;

function seriesOf(numbers: readonly number[]): string {
  const least = numbers.reduce((found, each) => Math.min(found, each));
  const most = numbers.reduce((found, each) => Math.max(found, each));
  return `${numbers.length} numbers: first ${numbers[0]}, least ${least}, most ${most}, last ${numbers.at(-1)}`;
}

/** Parts in which records are not messages. */
const RECORDED: ReadonlySet<HandoffPart> = new Set(["decisions", "failures", "rules"]);

function readList(items: readonly JsonValue[], place: Place, to: Reading): void {
  if (items.length === 0) return push(to, place, { text: "none" });
  const numbers = items.filter((item) => typeof item === "number");
  if (numbers.length >= MANY_NUMBERS && numbers.length === items.length) return push(to, place, { text: seriesOf(numbers) });
  const parsed = items.map((item) => (typeof item === "string" ? (parseData(item) ?? item) : item));
  if (parsed.some(isCell)) return readCells(parsed, place, to);
  const records = parsed.filter(isJsonObject);
  if (records.length === items.length && statusKeyOf(records) !== undefined) return readRecords(records, place, to);
  // The author of a decision or a finding is not a speaker.
  const isSaid = place.part === undefined || !RECORDED.has(place.part) || records.some((record) => record["role"] !== undefined);
  if (isSaid && records.length >= items.length * 0.7 && isConversation(parsed)) return readConversation(parsed, { place }, to);
  const fields = isSaid ? speechFieldsOf(parsed) : undefined;
  if (fields !== undefined) return readConversation(parsed, { place, fields }, to);
  if (records.length === items.length && isSteps(records)) return readSteps(records, place, to);
  if (records.length === items.length) return readRows(records, place, to);
  if (parsed.every((item) => Array.isArray(item))) return readTable(parsed as readonly (readonly JsonValue[])[], place, to);
  items.forEach((item, index) => {
    const at = later({ ...place, index, depth: place.depth }, orderOf(index, items.length, place));
    if (typeof item === "string" && widthOf(item) > SMALL) readText(item, at, to);
    else if (typeof item === "object" && item !== null && JSON.stringify(item).length > SMALL)
      readValue(item, { ...at, depth: place.depth + 1 }, to);
    else if (typeof item === "string") readLine({ line: plain(item) }, at, to);
    else push(to, at, { text: plain(item) });
  });
}

/** Reads a table: rows below a header become records; others stay as they are. */
function readTable(rows: readonly (readonly JsonValue[])[], place: Place, to: Reading): void {
  const [first = []] = rows;
  const isEven = rows.every((row) => row.length <= first.length);
  const isHeader =
    rows.length > 2 && first.length > 1 && first.every((cell) => typeof cell === "string" && cell.length < 60 && !/\d{2}/u.test(cell));
  if (isHeader && isEven && new Set(first).size === first.length) {
    const records = rows.slice(1).map((row) => Object.fromEntries(first.map((name, at) => [plain(name), row[at] ?? null])));
    if (statusKeyOf(records) !== undefined) return readRecords(records, place, to);
  }
  const label = isHeader ? first.map((cell) => plain(cell)).join(" | ") : place.label;
  rows.forEach((row, index) => {
    if (isHeader && index === 0) return;
    const text = row.map((cell) => plain(cell)).join(" | ");
    const at = { ...place, index, label, base: place.base - 8 - Math.min(12, index * 0.3) + (index === rows.length - 1 ? 10 : 0) };
    if (text.length > 420) readText(text, at, to);
    else push(to, at, { text });
  });
}
