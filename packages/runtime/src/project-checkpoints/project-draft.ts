import { isJsonObject, hasAtMost, WorkrailError } from "@workrail/core";
import { PROJECT_LIMITS } from "./project-limits.ts";

/** Context of a project checkpoint: scalar values by key, kept as given. */
export type ProjectContext = { readonly [key: string]: string | number | boolean | null };

/** Draft of a project checkpoint, bounded by `PROJECT_LIMITS`. */
export interface ProjectDraft {
  /** One line about the work done. It becomes the checkpoint's name. */
  readonly summary: string;
  readonly description?: string | undefined;
  readonly context?: ProjectContext | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A lone surrogate has no UTF-8 form, so its text could not be searched for. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Checks a draft against `PROJECT_LIMITS`.
 *
 * @throws INVALID_INPUT with `details.field` and `details.rule`, such as `summary must be 1-500 characters`.
 */
export function checkProjectDraft({ summary, description, context, tags }: ProjectDraft): void {
  checkSummary(summary);
  if (description !== undefined) checkDescription(description);
  if (context !== undefined) checkProjectContext(context);
  if (tags !== undefined) checkProjectTags(tags);
}

/**
 * Checks the tags of a draft.
 *
 * @throws INVALID_INPUT as `checkProjectDraft` does.
 */
export function checkProjectTags(tags: readonly string[]): void {
  const most = PROJECT_LIMITS.tags;
  if (!Array.isArray(tags) || tags.length > most) throw invalidField("tags", `tags must be a list of at most ${most}`);
  checkWhole("tags", "each of tags", tags);
  const isTag = (tag: unknown): boolean => isText(tag) && tag !== "" && hasAtMost(PROJECT_LIMITS.tagLength, tag);
  if (!tags.every(isTag)) throw invalidField("tags", `each of tags must be 1-${PROJECT_LIMITS.tagLength} characters`);
}

interface CountRange {
  readonly least: number;
  /** Default: none. */
  readonly most?: number;
}

/**
 * Checks a count.
 *
 * @throws INVALID_INPUT unless it is a whole number from `least` to `most`.
 */
export function checkCount(field: string, value: number, { least, most = Number.MAX_SAFE_INTEGER }: CountRange): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `${least}-${most}`;
  throw invalidField(field, `${field} must be a whole number ${range}`);
}

/** Returns the error for an invalid field, in the form that all checks of project checkpoints use. */
export function invalidField(field: string, rule: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${rule}.`, { details: { field, rule }, hint: `Correct ${field} and call again.` });
}

function checkSummary(summary: string): void {
  checkWhole("summary", "summary", [summary]);
  const most = PROJECT_LIMITS.summaryLength;
  if (!isText(summary) || summary.trim() === "" || !hasAtMost(most, summary)) {
    throw invalidField("summary", `summary must be 1-${most} characters`);
  }
}

function checkDescription(description: string): void {
  checkWhole("description", "description", [description]);
  const most = PROJECT_LIMITS.descriptionLength;
  if (!isText(description) || !hasAtMost(most, description)) {
    throw invalidField("description", `description must be at most ${most} characters`);
  }
}

function checkProjectContext(context: ProjectContext): void {
  const { contextPairs, contextKeyLength, contextValueLength } = PROJECT_LIMITS;
  if (!isJsonObject(context)) throw invalidField("context", "context must be an object");
  const pairs = Object.entries(context);
  if (pairs.length > contextPairs) throw invalidField("context", `context must have at most ${contextPairs} key-value pairs`);
  checkWhole("context", "each key and value of context", pairs.flat());
  if (pairs.some(([, value]) => typeof value === "number" && !Number.isFinite(value))) {
    throw invalidField("context", "each number of context must be within the range of a double");
  }
  if (pairs.some(([key]) => !hasAtMost(contextKeyLength, key) || !isText(key))) {
    throw invalidField("context", `each key of context must be at most ${contextKeyLength} characters`);
  }
  if (!pairs.every(([, value]) => isScalar(value))) {
    throw invalidField("context", "each value of context must be a text, a number, true, false or null");
  }
  if (pairs.some(([, value]) => typeof value === "string" && !hasAtMost(contextValueLength, value))) {
    throw invalidField("context", `each value of context must be at most ${contextValueLength} characters`);
  }
}

function checkWhole(field: string, subject: string, values: readonly unknown[]): void {
  if (values.some((value) => typeof value === "string" && !isText(value))) {
    throw invalidField(field, `${subject} must not contain half of a surrogate pair`);
  }
}

/** True when a value is allowed in a project checkpoint's context, apart from its length. */
export function isScalar(value: unknown): value is ProjectContext[string] {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "boolean" || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !LONE_SURROGATE.test(value);
}
