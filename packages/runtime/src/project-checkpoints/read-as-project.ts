import {
  cutText,
  isJsonObject,
  firstCharacters,
  hasAtMost,
  wordsOf,
  type Context,
  type JsonObject,
  type JsonValue,
  type CheckpointKind,
} from "@workrail/core";
import { isScalar, type ProjectContext, type ProjectDraft } from "./project-draft.ts";
import { PROJECT_LIMITS } from "./project-limits.ts";

/** Returns the context that a draft is saved as. It contains the whole draft. */
export function contextOfDraft({ summary, description, context }: ProjectDraft): Context {
  return { summary, ...(description === undefined ? {} : { description }), ...(context === undefined ? {} : { context }) };
}

/** Input of `readAsProject`: the saved context, and labels from the record. */
export interface ReadAsProject {
  readonly kind: CheckpointKind;
  readonly name: string | undefined;
  readonly context: Context;
  /** Origin of another tool's checkpoint, such as its session. */
  readonly labels: JsonObject;
}

/** Checkpoint in the form of `ProjectDraft`. */
export interface ProjectText {
  /** 1 to 500 characters. */
  readonly summary: string;
  /** At most 10,000 characters; `""` for none. */
  readonly description: string;
  /** True when `description` is only the beginning of the context's JSON. */
  readonly isCut: boolean;
  readonly context: ProjectContext;
  /** True when there are more labels than `context` can hold. */
  readonly isContextCut: boolean;
}

/** Summary for a nameless checkpoint whose context has no text. */
const NOTHING_SAID = "(no summary)";

/** Last words of keys that describe the subject of a context, best first. */
const SUBJECTS = ["summary", "goal", "objective", "task", "topic", "title"];

/**
 * Reads any checkpoint as a project checkpoint. The output of `contextOfDraft` comes back unchanged. For others, the
 * summary is the name, else the subject stated in the context, else its first text; the description is the context as JSON.
 */
export function readAsProject({ kind, name, context, labels }: ReadAsProject): ProjectText {
  const { summary, description = "", context: pairs = {}, ...others } = context;
  const isDraft = kind === "project" && typeof summary === "string" && typeof description === "string" && isProjectContext(pairs);
  if (isDraft && Object.keys(others).length === 0) return { summary, description, isCut: false, context: pairs, isContextCut: false };
  const text = JSON.stringify(context);
  const scalars = scalarsOf(labels);
  return {
    summary: inOneLine(name ?? subjectOf(context) ?? firstText(context) ?? NOTHING_SAID),
    description: firstCharacters(PROJECT_LIMITS.descriptionLength, text),
    isCut: !hasAtMost(PROJECT_LIMITS.descriptionLength, text),
    context: scalars,
    isContextCut: Object.keys(scalars).length < Object.keys(labels).length,
  };
}

/** Returns the whole content of a project checkpoint as text. Tokens are counted on it, and an embedder gets its beginning. */
export function textOfProject({ summary, description, context, tags = [] }: ProjectDraft): string {
  const pairs = Object.entries(context ?? {}).map(([key, value]) => `${key}: ${String(value)}`);
  return [summary, description ?? "", ...pairs, tags.join(", ")].filter((line) => line !== "").join("\n");
}

function isProjectContext(value: JsonValue): value is ProjectContext {
  return isJsonObject(value) && Object.values(value).every(isScalar);
}

function subjectOf(context: Context): string | undefined {
  const entries = Object.entries(context).filter((entry): entry is [string, string] => hasWords(entry[1]));
  for (const subject of SUBJECTS) {
    const found = entries.find(([key]) => wordsOf(key).at(-1) === subject);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

/** Searches in the order of the JSON text. Iterative, because a context may be nested deeply. */
function firstText(context: Context): string | undefined {
  const pending: JsonValue[] = [context];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (hasWords(value)) return value;
    if (typeof value !== "object" || value === null) continue;
    for (const each of Object.values(value as JsonObject).toReversed()) pending.push(each);
  }
  return undefined;
}

function hasWords(value: JsonValue): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function inOneLine(text: string): string {
  const line = cutText(text, PROJECT_LIMITS.summaryLength * 4)
    .trim()
    .replaceAll(/\s+/gu, " ");
  return hasAtMost(PROJECT_LIMITS.summaryLength, line) ? line : `${firstCharacters(PROJECT_LIMITS.summaryLength - 3, line)}...`;
}

/** Returns the labels that a project checkpoint's context can hold. */
function scalarsOf(labels: JsonObject): ProjectContext {
  const { contextPairs, contextKeyLength, contextValueLength } = PROJECT_LIMITS;
  const fitting = Object.entries(labels).filter((entry): entry is [string, ProjectContext[string]] => {
    const [key, value] = entry;
    return hasAtMost(contextKeyLength, key) && isScalar(value) && !(typeof value === "string" && !hasAtMost(contextValueLength, value));
  });
  return Object.fromEntries(fitting.slice(0, contextPairs));
}
