import type { JsonValue } from "../model/context.ts";

/** Paths and characters that are looked at, at most: who names more names none in particular. */
const MOST_PATHS = 1_000;
const MOST_CHARACTERS = 2_000_000;
const LONGEST_PATH = 260;

/** Brackets are part of a path in some frameworks: `app/[id]/(group)/page.tsx`. */
const CANDIDATE = /[\p{L}\p{N}_@.~+$%#=,:/\\()[\]-]+/gu;
const EXTENSION = /[^./\\]\.[A-Za-z][A-Za-z0-9]{0,9}$/u;

/**
 * What looks like the path of a file in the texts of a context, keys included, each once and as it is written but for what
 * stands around it: `(see src/a.ts:12)` names `src/a.ts`. Whether there is such a file is not known here.
 */
export function namedPaths(context: JsonValue): string[] {
  const paths = new Set<string>();
  let left = MOST_CHARACTERS;
  for (const text of textsOf(context)) {
    left -= text.length;
    if (left < 0 || paths.size >= MOST_PATHS) break;
    // A whole text may be a path with spaces in it.
    if (text.length <= LONGEST_PATH && isPath(text)) paths.add(text);
    for (const [found] of text.matchAll(CANDIDATE)) for (const path of formsOf(found)) paths.add(path);
  }
  return [...paths].slice(0, MOST_PATHS);
}

function* textsOf(value: JsonValue): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* textsOf(member);
    }
  }
}

/** The path itself, and without what diffs put before it and sentences and compilers put around it. */
function formsOf(found: string): string[] {
  if (found.includes("://")) return [];
  const inside = found.replace(/^[([,:=]+/u, "").replace(/[.,:=]+$/u, "");
  const balanced = isBalanced(inside) ? inside : inside.replace(/[)\]]+$/u, "");
  const bare = balanced.replace(/(?::\d+){1,2}$|#L?\d+(?:-L?\d+)?$|\(\d+(?:,\d+)?\)$/u, "");
  const forms = [bare, bare.replace(/^[ab]\//u, ""), bare.slice(bare.lastIndexOf("=") + 1)];
  return [...new Set(forms)].filter((form) => form.length <= LONGEST_PATH && isPath(form));
}

function isPath(text: string): boolean {
  return !/\p{Cc}|:\/\//u.test(text) && (/[^/\\][/\\][^/\\]|^[/\\][^/\\]/u.test(text) || EXTENSION.test(text));
}

function isBalanced(text: string): boolean {
  return text.split(/[([]/u).length === text.split(/[)\]]/u).length;
}
