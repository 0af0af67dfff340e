import { invalidInput } from "@workrail/core";
import { type MethodWithParams, PARAM_FIELDS } from "./param-fields.ts";

/** Fields that mean the same in every call, by their type. All other fields are checked where they are used. */
const TEXTS = [
  "agentId",
  "checkpointId",
  "cursor",
  "cwd",
  "expected",
  "file",
  "focus",
  "hint",
  "name",
  "notProject",
  "phase",
  "query",
  "sessionId",
  "since",
  "until",
  "workflowId",
];
const LISTS = ["actions", "add", "checkpointIds", "kinds", "remove", "sessionIds", "tags"];
const FLAGS = [
  "critical",
  "dryRun",
  "force",
  "full",
  "inTrash",
  "includeKept",
  "isPeek",
  "overwrites",
  "permanently",
  "remembersSessions",
  "reportsDropped",
  "sparesKept",
  "upkeep",
  "withRecords",
  "worktrees",
];

/**
 * Checks the names and types of a call's parameters for callers that TypeScript does not check.
 *
 * A field of the wrong type would be ignored, or would match everything: a string in place of a list would be read as its letters, and a
 * `dryRun` that is not `true` would remove things.
 *
 * @param what name of the parameters in the caller's words.
 * @throws INVALID_INPUT naming the field.
 */
export function checkParams(params: object, method: MethodWithParams, what = "params"): void {
  const given: unknown = params;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalid(what, "an object");
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(PARAM_FIELDS[method], field)) throw unknown(method, field);
    const isText = TEXTS.includes(field) || (field === "project" && value !== null);
    if (isText && typeof value !== "string") throw invalid(field, "a text");
    if (LISTS.includes(field) && !(Array.isArray(value) && value.every((item) => typeof item === "string"))) {
      throw invalid(field, "a list of texts");
    }
    if (FLAGS.includes(field) && typeof value !== "boolean") throw invalid(field, "true or false");
  }
}

/** Checks that a path is a string that is not empty. @throws INVALID_INPUT otherwise. */
export function checkPlace(given: string, field: string): void {
  if (typeof given !== "string" || given === "") throw invalid(field, "a path");
}

function unknown(method: MethodWithParams, field: string): Error {
  const known = Object.keys(PARAM_FIELDS[method]);
  return invalidInput(field, `${method} has no parameter ${JSON.stringify(field)}.`, `Its parameters are ${known.join(", ")}.`);
}

function invalid(field: string, rule: string): Error {
  return invalidInput(field, `${field} must be ${rule}.`, `Correct ${field} and call again.`);
}

/** Parses a parameter that may be absent. */
export function optional<T, R>(value: T | undefined, parse: (value: T) => R): R | undefined {
  return value === undefined ? undefined : parse(value);
}
