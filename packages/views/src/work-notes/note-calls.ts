import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { workStateOf } from "../handoff/cues.ts";
import { cut } from "../handoff/read/plain.ts";
import { statusKeyOf } from "../handoff/read/records.ts";
import { LONGEST_NOTED, type PlanItem, type TouchedFile } from "./work-notes.ts";

const PATH_KEYS = ["file_path", "filePath", "absolute_path", "notebook_path", "path", "file", "filename", "target_file"];
const COMMAND_KEYS = ["command", "cmd", "script"];
const EDITS = /edit|write|create|replace|patch|insert|update|notebook|delete|move/iu;
const LISTS = /^(?:ls|list|glob|grep|search|find)/iu;

/** The command that a call runs, in one line; `undefined` when it runs none. */
export function commandOf(input: JsonValue): string | undefined {
  if (!isJsonObject(input)) return undefined;
  const given = COMMAND_KEYS.map((key) => input[key]).find((value) => typeof value === "string" || isTexts(value));
  if (given === undefined) return undefined;
  // Some hosts pass a list that begins with a shell: `bash -lc COMMAND`.
  const text = isTexts(given) ? (/^(?:.*\/)?(?:ba|z|da)?sh$/u.test(given[0] ?? "") ? (given.at(-1) ?? "") : given.join(" ")) : given;
  return isPatch(text) ? undefined : shortened(text);
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

/** Shortens a here-document to its first line. */
function shortened(command: string): string {
  const [first = "", ...rest] = command.trim().split("\n");
  const isHereDocument = /<<-?\s*['"]?\w+/u.test(first);
  const line = rest.length === 0 || isHereDocument ? first : command.trim().replaceAll(/\s*\n\s*/gu, "; ");
  return cut(line, LONGEST_NOTED.command);
}

/** Files that the arguments of a call name. */
export function filesOf(tool: string, input: JsonValue): readonly TouchedFile[] {
  const patched = patchedFiles(input);
  if (patched.length > 0) return patched.map((path) => ({ path, isEdit: true }));
  if (!isJsonObject(input)) return [];
  const paths = PATH_KEYS.flatMap((key) => {
    const value = input[key];
    return typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_NOTED.path && !value.includes("\n") ? [value] : [];
  });
  if (LISTS.test(tool) || commandOf(input) !== undefined) return [];
  const isEdit = EDITS.test(tool);
  return paths.slice(0, 1).map((path) => ({ path, isEdit }));
}

function isPatch(text: string): boolean {
  return text.trimStart().startsWith("*** Begin Patch");
}

/** File headers in patches of Codex: https://github.com/openai/codex, `apply_patch`. */
function patchedFiles(input: JsonValue): string[] {
  const texts =
    typeof input === "string"
      ? [input]
      : isJsonObject(input)
        ? Object.values(input).flatMap((value) => (typeof value === "string" ? [value] : isTexts(value) ? value : []))
        : [];
  const patch = texts.find((text) => text.includes("*** Begin Patch"));
  if (patch === undefined) return [];
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gmu)].map(([, file, moved]) =>
    (file ?? moved ?? "").trim(),
  );
}

/** Names of tools that write a plan, and of its list. Other tools are called with records that have a status, such as issues. */
const PLANS = /todo|plan|task|step|checklist/iu;

/** The whole plan, if a call writes one: a list of records with a status. An empty list ends the plan. */
export function planIn(tool: string, input: JsonValue): readonly PlanItem[] | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const [name, list] of Object.entries(input)) {
    if (!Array.isArray(list) || !(PLANS.test(name) || PLANS.test(tool))) continue;
    if (list.length === 0 && PLANS.test(name) && PLANS.test(tool)) return [];
    const records = list.filter(isJsonObject);
    const key = records.length === 0 ? undefined : isHostPlan(records) ? "status" : statusKeyOf(records);
    if (key !== undefined) return records.map((record) => ({ text: textOf(record), state: stateOf(record[key]) }));
  }
  return undefined;
}

function isHostPlan(records: readonly JsonObject[]): boolean {
  return records.every(({ status }) => HOST_STATES.has(status));
}

const TEXT_KEYS = ["content", "step", "text", "description", "title", "task", "subject", "name"];

export function textOf(record: JsonObject): string {
  const text = TEXT_KEYS.map((key) => record[key]).find((value) => typeof value === "string" && value !== "");
  return cut(typeof text === "string" ? text : JSON.stringify(record), LONGEST_NOTED.sentence);
}

/** The states that hosts write themselves. Other words are looked up in the vocabulary of six languages. */
const HOST_STATES: ReadonlyMap<JsonValue | undefined, PlanItem["state"]> = new Map([
  ["pending", "pending"],
  ["in_progress", "active"],
  ["completed", "done"],
  ["cancelled", "done"],
]);

export function stateOf(status: JsonValue | undefined): PlanItem["state"] {
  const known = HOST_STATES.get(status);
  if (known !== undefined) return known;
  return typeof status === "string" ? (workStateOf(status) ?? "pending") : status === true ? "done" : "pending";
}
