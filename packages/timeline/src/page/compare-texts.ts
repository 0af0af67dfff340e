import { diffArrays, diffWordsWithSpace } from "diff";

/** The page must answer within 100 ms: a comparison that takes longer is given up. */
const TIMEOUT_MS = 40;

/** A part of two texts: the same in both, or the old words in place of which the new ones stand. */
export interface TextPart {
  readonly same?: string;
  readonly del?: string;
  readonly ins?: string;
}

/** Share of the characters up to which a text was written anew. */
const REWRITTEN = 1 / 2;

/** Compares two texts by word. Neighbouring changes are one. `undefined`: too little is the same to tell by word. */
export function compareWords(from: string, to: string): readonly TextPart[] | undefined {
  const parts = diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS });
  if (parts === undefined) return undefined;
  const joined: { same?: string; del?: string; ins?: string }[] = [];
  let kept = 0;
  for (const [index, { value, added, removed }] of parts.entries()) {
    const last = joined.at(-1);
    const isChange = added || removed;
    const isBetween = !isChange && value.trim() === "" && index > 0 && index < parts.length - 1;
    if (!isChange && !isBetween) {
      kept += sizeOf(value);
      joined.push({ same: value });
      continue;
    }
    const del = added ? "" : value;
    const ins = removed ? "" : value;
    if (last === undefined || last.same !== undefined) joined.push({ del, ins });
    else Object.assign(last, { del: `${last.del ?? ""}${del}`, ins: `${last.ins ?? ""}${ins}` });
  }
  // An addition to a text, or an omission, leaves the rest as it was.
  return kept >= REWRITTEN * Math.min(sizeOf(from), sizeOf(to)) && kept > 0 ? joined : undefined;
}

function sizeOf(text: string): number {
  return text.replaceAll(/\s/gu, "").length;
}

/** A line of two texts. `words` tell which words of a changed line differ. */
export interface LinePart {
  readonly kind: "same" | "del" | "ins";
  readonly text: string;
  readonly words?: readonly TextPart[] | undefined;
}

/** Compares two texts by line, and lines that replace others by word. A different end of a line is not a change. */
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
