import { invalidInput, type WorkrailError } from "../../errors.ts";
import { hasAtMost } from "../../model/characters.ts";
import { isJsonObject, type JsonObject } from "../../model/context.ts";
import { DEFAULT_LIMITS, LABEL_LIMITS } from "../../model/limits.ts";
import { checkJson } from "../../json/check-json.ts";

/**
 * Characters that a database may not return: a lone surrogate has no UTF-8 form, `node:sqlite` of Node 22 cuts a text at NUL, and PostgreSQL
 * refuses NUL.
 */
const UNSTORABLE: RegExp = /[\0\p{Surrogate}]/u;

/**
 * Checks a name, agent id or workflow id.
 *
 * @throws INVALID_INPUT when it is too long, empty or not text.
 */
export function checkName(value: string | undefined, field: string): void {
  if (value === undefined) return;
  if (typeof value !== "string" || value.length === 0 || !hasAtMost(LABEL_LIMITS.nameLength, value) || UNSTORABLE.test(value)) {
    throw invalid(field, `must be 1 to ${LABEL_LIMITS.nameLength} characters of well-formed text`);
  }
}

/**
 * Checks a path. Callers that know the operating system check whether it is absolute.
 *
 * @throws INVALID_INPUT when it is too long, empty or not text.
 */
export function checkPath(value: string | undefined, field: string): void {
  if (value === undefined || isStorablePath(value)) return;
  throw invalidInput(field, `${field} must be a path, in well-formed text.`);
}

/** Tells whether a path has a length, and characters, that every storage keeps. */
export function isStorablePath(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= LABEL_LIMITS.pathLength && !UNSTORABLE.test(value);
}

/**
 * Checks tags.
 *
 * @throws INVALID_INPUT when there are too many, or one is too long, empty or not text.
 */
export function checkTags(tags: readonly string[], field = "tags"): void {
  if (!Array.isArray(tags) || tags.length > LABEL_LIMITS.tags) throw invalid(field, `must be a list of at most ${LABEL_LIMITS.tags}`);
  const isTag = (tag: unknown): boolean =>
    typeof tag === "string" && tag.length > 0 && hasAtMost(LABEL_LIMITS.tagLength, tag) && !UNSTORABLE.test(tag);
  if (!tags.every(isTag)) throw invalid(field, `must each be 1 to ${LABEL_LIMITS.tagLength} characters of well-formed text`);
}

/**
 * Checks attributes.
 *
 * @throws INVALID_INPUT when they are not JSON, or too long.
 */
export function checkAttributes(attributes: JsonObject, field = "metadata"): void {
  if (!isJsonObject(attributes)) throw invalid(field, "must be an object");
  checkJson(attributes, DEFAULT_LIMITS, field);
  if (JSON.stringify(attributes).length > LABEL_LIMITS.attributesLength) {
    throw invalid(field, `must be at most ${LABEL_LIMITS.attributesLength} characters of JSON`);
  }
}

function invalid(field: string, rule: string): WorkrailError {
  return invalidInput(field, `${field} ${rule}.`, "Shorten it, or put longer text into the context.");
}
