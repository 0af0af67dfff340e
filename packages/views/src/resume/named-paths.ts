import type { JsonValue } from "@workrail/core";

/** Most paths and characters to examine. A text that names more paths names none in particular. */
const MOST_PATHS = 1_000;
const MOST_CHARACTERS = 2_000_000;
const LONGEST_PATH = 260;

/** Brackets are part of paths in some frameworks: `app/[id]/(group)/page.tsx`. */
const CANDIDATE = /[\p{L}\p{N}_@.~+$%#=,:/\\()[\]-]+/gu;
const EXTENSION = /[^./\\]\.[A-Za-z][A-Za-z0-9]{0,9}$/u;

/**
 * Returns texts in a context (keys included) that look like file paths, each once, without surrounding characters: `(see
 * src/a.ts:12)` names `src/a.ts`. Does not check whether the files exist.
 */
export function namedPaths(context: JsonValue): string[] {
  const paths = new Set<string>();
  let left = MOST_CHARACTERS;
  for (const text of textsOf(context)) {
    left -= text.length;
    if (left < 0 || paths.size >= MOST_PATHS) break;
    // A whole text may be a path with spaces.
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

/** Returns the forms of a found path: as found, and without diff prefixes, punctuation, and line numbers of compilers. */
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
