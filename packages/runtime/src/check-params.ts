import { invalidInput } from "@workrail/core";

/** Fields that mean the same whatever call has them, and what they must be. Those not named here are checked where they are used. */
const TEXTS = [
  "agentId",
  "checkpointId",
  "cursor",
  "file",
  "focus",
  "hint",
  "name",
  "notProject",
  "phase",
  "query",
  "sessionId",
  "workflowId",
];
const LISTS = ["add", "checkpointIds", "remove", "tags"];
const FLAGS = [
  "critical",
  "dryRun",
  "force",
  "full",
  "inTrash",
  "includeKept",
  "isPeek",
  "permanently",
  "sparesKept",
  "upkeep",
  "worktrees",
];

/**
 * What a call is given. TypeScript sees to the rest; this is for what it does not see: a field of another type than the one that is meant
 * would be passed over, or take in everything. A text where a list belongs would be taken for its letters, and a `dryRun` that is
 * no `true` would remove things.
 *
 * @param what what the caller calls it.
 * @throws INVALID_INPUT naming the field.
 */
export function checkParams(params: object, what = "params"): void {
  const given: unknown = params;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalid(what, "an object");
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (TEXTS.includes(field) || (field === "project" && value !== null)) checkText(value, field);
    if (LISTS.includes(field) && !(Array.isArray(value) && value.every((item) => typeof item === "string"))) {
      throw invalid(field, "a list of texts");
    }
    if (FLAGS.includes(field) && typeof value !== "boolean") throw invalid(field, "true or false");
  }
}

/** @throws INVALID_INPUT unless it is a text, and not an empty one. */
export function checkPlace(given: string, field: string): void {
  if (typeof given !== "string" || given === "") throw invalid(field, "a path");
}

function checkText(value: unknown, field: string): void {
  if (typeof value !== "string") throw invalid(field, "a text");
}

function invalid(field: string, rule: string): Error {
  return invalidInput(field, `${field} must be ${rule}.`, `Correct ${field} and call again.`);
}
