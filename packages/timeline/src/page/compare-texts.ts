import { diffArrays, diffWordsWithSpace } from "diff";

/** Time limit of a comparison: the page must answer within 100 ms. */
const TIMEOUT_MS = 40;

/** Part of a comparison by word: text that both versions have, or removed and added text. */
export interface TextPart {
  readonly same?: string;
  readonly del?: string;
  readonly ins?: string;
}

/** A text that keeps a smaller share of its characters counts as rewritten. */
const LEAST_KEPT = 1 / 2;

/**
 * Compares two texts by word. Changes that only white space separates are joined.
 *
 * @returns `undefined` when the text was rewritten, or when the comparison takes too long.
 */
export function compareWords(from: string, to: string): readonly TextPart[] | undefined {
  const parts = diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS });
  if (parts === undefined) return undefined;
  const joined: { same?: string; del?: string; ins?: string }[] = [];
  let kept = 0;
  for (const [index, { value, added, removed }] of parts.entries()) {
    const last = joined.at(-1);
    const isChange = added || removed;
    const isBlankBetween = !isChange && value.trim() === "" && index > 0 && index < parts.length - 1;
    if (!isChange && !isBlankBetween) {
      kept += sizeOf(value);
      joined.push({ same: value });
      continue;
    }
    const del = added ? "" : value;
    const ins = removed ? "" : value;
    if (last === undefined || last.same !== undefined) joined.push({ del, ins });
    else Object.assign(last, { del: `${last.del ?? ""}${del}`, ins: `${last.ins ?? ""}${ins}` });
  }
  // Measured on the shorter text, so that a long addition or removal is not a rewrite.
  return kept >= LEAST_KEPT * Math.min(sizeOf(from), sizeOf(to)) && kept > 0 ? joined : undefined;
}

function sizeOf(text: string): number {
  return text.replaceAll(/\s/gu, "").length;
}

/** Line of a comparison. `words` compares a changed line with the line that it replaces, or that replaces it. */
export interface LinePart {
  readonly kind: "same" | "del" | "ins";
  readonly text: string;
  readonly words?: readonly TextPart[] | undefined;
}

/** Compares two texts by line, and lines that replace others by word. Line endings are ignored. */
export function compareLines(from: string, to: string): readonly LinePart[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const parts = diffArrays(before, after, { timeout: TIMEOUT_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return parts.flatMap(({ value, added, removed }, index): readonly LinePart[] => {
    if (!added && !removed) return value.map((text) => ({ kind: "same", text }));
    const other = parts[removed ? index + 1 : index - 1];
    const isPair = other !== undefined && (removed ? other.added : other.removed);
    return value.map((text, place): LinePart => {
      const pair = isPair ? other.value[place] : undefined;
      if (pair === undefined) return { kind: removed ? "del" : "ins", text };
      return { kind: removed ? "del" : "ins", text, words: removed ? compareWords(text, pair) : compareWords(pair, text) };
    });
  });
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/u, "").split(/\r?\n/u);
}
