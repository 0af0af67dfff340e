import { isJsonObject, type JsonValue, wordsOf } from "@workrail/core";
import { classifyWords } from "./classify-key.ts";
import { byShape } from "./fleeting-shape.ts";
import { firstKeys, firstMembers, isMaterial, isWideText } from "./value-shape.ts";
import { GAUGES, LOGS, OF_MACHINES, OPAQUE, THROWAWAY, TWO_FACED } from "./vocabulary.ts";
import { isOneOf } from "./find-head.ts";

/**
 * Tells whether a value is as ephemeral as its name: figures, flags, single words, identifiers, fields of a gauge. A text of
 * several words is not, nor is a list or object that holds one; an ephemeral name alone is not a reason to drop it.
 */
export function isNoise(words: readonly string[], value: JsonValue, depth = 2): boolean {
  if (typeof value === "string") return !isStatement(words, value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  const parent = { isMachines: words.some((word) => isOneOf(OF_MACHINES, word)), depth };
  if (!isJsonObject(value)) return firstMembers(value).every((member) => isNoiseIn(words, member, parent));
  return firstKeys(value).every((key) => isNoiseUnder(key, value[key] ?? null, parent));
}

/** The list or object around a member. */
interface Parent {
  /** True when its name is one of machines. */
  readonly isMachines: boolean;
  /** Levels below it that are looked at. */
  readonly depth: number;
}

/** Tells whether a member of a list is noise. */
function isNoiseIn(words: readonly string[], member: JsonValue, { isMachines, depth }: Parent): boolean {
  if (typeof member === "string") return FLAG.test(member) || isToken(member, isMachines);
  if (typeof member === "number") return isMachines || !isOneOf(TWO_FACED, words.at(-1) ?? "");
  return isNoise(words, member, depth - 1);
}

/** Tells whether a field of an object is noise: its name is meaningless or internal to a program, and its value is noise, too. */
function isNoiseUnder(key: string, member: JsonValue, { isMachines, depth }: Parent): boolean {
  const words = wordsOf(key);
  const isOwn =
    isMachines ||
    GAUGES.has(key.toLowerCase()) ||
    words.every((word) => OPAQUE.has(word)) ||
    classifyWords(words, member)?.layer === "EPHEMERAL";
  if (!isOwn) return false;
  return typeof member === "string" ? isToken(member, isMachines) : isNoise(words, member, depth - 1);
}

/** Tells whether a text is an internal name of a program instead of a statement. */
function isToken(text: string, isMachines: boolean): boolean {
  return CODE.test(text) || byShape(text, true) !== undefined || (isMachines && !text.trim().includes(" "));
}

/** Short codes such as `v1`, and the empty string. */
const CODE = /^(?:[a-z]{0,2}\d{1,2}|[a-z]?)$/i;
const FLAG = /^--?[a-z]/i;

/** Tells whether a text has several words in a row, in any script. */
export function isSentence(text: string): boolean {
  return THREE_WORDS.test(text.slice(0, READ)) || isWideText(text);
}

/** Tells whether a text is a statement, for people or for machines. */
function isStatement(words: readonly string[], text: string): boolean {
  if (text.includes("\n") && words.some((word) => isOneOf(LOGS, word) || word === "console" || THROWAWAY.has(word))) return false;
  if (text.length > LEAST_MATERIAL && isMaterial(text.slice(0, READ))) return true;
  return isSentence(text) || (isOneOf(TWO_FACED, words.at(-1) ?? "") && TWO_WORDS.test(text.slice(0, READ)));
}

const READ = 240;
const LEAST_MATERIAL = 60;
const TWO_WORDS = /\p{L}{2,}[,;:]? \p{L}{2,}/u;
const THREE_WORDS = /\p{L}{2,}[,;:]? \p{L}{2,}[,;:]? \p{L}{2,}/u;
