import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { type WorkState, workStateOf } from "../cues.ts";
import { later, orderOf, type Place, push, type Reading } from "./place.ts";
import { cut, isEmpty, ownMember, plain, widthOf } from "./plain.ts";
import { sentencesOf } from "./sentences.ts";

const STATUS =
  /^(?:status|state|done|completed?|checked|finished|resolved|progress|phase|stage|stand|zustand|erledigt|fertig|statut|état|etat|fait|terminé|estado|hecho|terminad[oa]|状态|完成|状態|進捗|ステータス|完了|result|outcome|ergebnis|résultat|resultat|resultado|结果|結果)$/iu;

/** Returns the field of records that holds their status; `undefined` when there is none. */
export function statusKeyOf(records: readonly JsonValue[]): string | undefined {
  const counts = new Map<string, number>();
  let objects = 0;
  for (const record of records) {
    if (!isJsonObject(record)) return undefined;
    objects += 1;
    for (const [key, value] of Object.entries(record)) {
      if (!STATUS.test(key)) continue;
      const says = typeof value === "boolean" || (typeof value === "string" && value.length <= 120 && workStateOf(value) !== undefined);
      if (says) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const [best] = [...counts].sort((left, right) => right[1] - left[1]);
  return best !== undefined && best[1] >= objects * 0.6 ? best[0] : undefined;
}

function stateOf(record: JsonObject, key: string): WorkState | undefined {
  const value = record[key];
  if (typeof value === "boolean") return value ? "done" : "pending";
  return typeof value === "string" ? workStateOf(value) : undefined;
}

const OF_STATE: Readonly<Record<WorkState | "unknown", number>> = { active: 94, blocked: 92, pending: 80, done: 34, unknown: 44 };

/** Reads records with a status: counts by status, details of open ones, names of done ones. */
export function readRecords(records: readonly JsonObject[], place: Place, to: Reading): void {
  const statusKey = statusKeyOf(records) as string;
  const columns = commonColumns(records);
  const label = [place.label, columns.join(" | ")].filter((each) => each !== undefined && each !== "").join(": ");
  const seen: Record<WorkState | "unknown", number> = { active: 0, blocked: 0, pending: 0, done: 0, unknown: 0 };
  const said = new Map<string, number>();
  const done: string[] = [];
  const isWork = place.part === undefined || place.part === "work" || place.part === "goal";
  const hasOpen = records.some((record) => (stateOf(record, statusKey) ?? "done") !== "done");
  records.forEach((record, index) => {
    const state = stateOf(record, statusKey) ?? "unknown";
    const status = plain(record[statusKey] ?? "");
    said.set(status, (said.get(status) ?? 0) + 1);
    const order = seen[state]++;
    if (state === "done") done.push(nameOfRecord(record));
    const worth = isWork ? OF_STATE[state] : Math.max(place.base - 4, OF_STATE[state] - 12);
    const at: Place = {
      ...place,
      index,
      label,
      part: isWork ? "work" : place.part,
      base: worth - Math.min(30, order * (state === "pending" ? 3.2 : 1.6)),
    };
    readRecord({ record, columns }, at, to);
  });
  if (records.length > 4) {
    const counts = [...said]
      .sort((left, right) => right[1] - left[1])
      .slice(0, 6)
      .map(([status, count]) => `${count} ${status}`);
    push(
      to,
      { ...place, label: undefined, base: 82 },
      { text: `${records.length} in all: ${counts.join(", ")}`, part: "work", base: 82, index: -2 },
    );
  }
  // Names shared by many records identify none of them.
  if (done.length > 0 && hasOpen && records.length > 4 && new Set(done).size > done.length / 2) {
    push(to, { ...place, label: undefined, base: 56 }, { text: `done: ${cut(done.join(", "), 400)}`, part: "work", base: 58, index: -1 });
  }
}

/** Lowest importance of a long text in a record. */
const LEAST_OF_TEXT = 34;

const NAMES = [
  "date",
  "日付",
  "日期",
  "fecha",
  "datum",
  "at",
  "id",
  "key",
  "code",
  "name",
  "title",
  "nr",
  "no",
  "n",
  "number",
  "step",
  "task",
  "编号",
  "番号",
];

function nameOfRecord(record: JsonObject): string {
  const name = NAMES.map((key) => record[key]).find(
    (value) => (typeof value === "string" && value.length <= 60) || typeof value === "number",
  );
  return name === undefined ? cut(plain(Object.values(record)[0] ?? ""), 40) : plain(name);
}

/** Widest text in a row; wider ones are read by sentence. */
const LONGEST_CELL = 130;

/** Returns the fields that most records have, in order. They become the header of the rows. */
function commonColumns(records: readonly JsonObject[]): readonly string[] {
  if (records.length < 2) return [];
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) if (isShortScalar(value)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > records.length * 0.7).map(([key]) => key);
}

function isShortScalar(value: JsonValue): boolean {
  return typeof value === "object" && value !== null
    ? Array.isArray(value) && JSON.stringify(value).length <= 60
    : typeof value !== "string" || (widthOf(value) <= LONGEST_CELL && sentencesOf(value).length === 1);
}

/** Reads a record: short values as one row, long ones line by line. */
function readRecord(
  { record, columns }: { readonly record: JsonObject; readonly columns: readonly string[] },
  place: Place,
  to: Reading,
): void {
  const row: string[] = columns.map((key) => {
    const value = ownMember(record, key);
    return value === undefined || !isShortScalar(value) ? "" : plain(value);
  });
  const long: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(record)) {
    if (columns.includes(key) && isShortScalar(value)) continue;
    if (isEmpty(value)) continue;
    if (isShortScalar(value)) row.push(`${key}: ${plain(value)}`);
    else long.push([key, value]);
  }
  const texts = row.join(" | ").replace(/(?: \| )+$/u, "");
  if (texts !== "") push(to, place, { text: texts, ...(place.part === "work" ? { part: "work", base: place.base } : {}) });
  const name = nameOfRecord(record);
  const isOnly = long.length === 1;
  for (const [key, value] of long) {
    // Findings of a finished task outlive it.
    const base = Math.max(place.base - 5, LEAST_OF_TEXT);
    to.value(value, { ...place, label: isOnly && row.length > 0 ? name : `${name} ${key}`, base, depth: place.depth + 1 });
  }
}

const MANY_STEPS = 6;
const OF_PAST = 56;

export function readRows(records: readonly JsonObject[], given: Place, to: Reading): void {
  const columns = commonColumns(records);
  const label = [given.label, columns.join(" | ")].filter((each) => each !== undefined && each !== "").join(": ");
  const dated = records.every((record) =>
    Object.keys(record).some((key) => /^(?:at|ts|date|time|day|when|timestamp|datum|tag|fecha|日期|日付|日時|created_?at)$/iu.test(key)),
  );
  // Steps with times are history, not open work.
  const isPast = dated && given.part === "work" && records.length >= MANY_STEPS;
  const place: Place = isPast ? { ...given, part: undefined, base: Math.min(given.base, OF_PAST) } : given;
  const isHistory = place.isHistory || dated;
  records.forEach((record, index) => {
    const at = later(
      { ...place, isHistory, index, label: label === "" ? undefined : label },
      orderOf(index, records.length, { ...place, isHistory }),
    );
    readRecord({ record, columns }, at, to);
  });
}
