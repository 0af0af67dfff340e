import { isJsonObject, type JsonValue } from "../model/context.ts";
import { type Layer, LAYERS } from "../model/layer.ts";
import { isWorkrailError, WorkrailError } from "../errors.ts";
import type { PatternCompiler } from "../ports/patterns.ts";
import { type Classification, moreImportant } from "./classification.ts";
import type { ContextRules } from "./context-rules.ts";

/** Rules made ready for use; they hold matchers, and are made anew from `ContextRules` wherever they are needed. */
export interface CompiledRules {
  /** As they were written. */
  readonly rules: ContextRules;
  /** What the rules say of an entry; `undefined` when they say nothing. */
  classify(key: string, value: JsonValue): Classification | undefined;
  /** The layer of a nested value by its path from the entry's key on; `undefined` when no rule names it. */
  layerOfPath(path: readonly (string | number)[]): Layer | undefined;
}

/** Of a longer key only as much is matched. */
const MAX_KEY = 1_000;
/** Members of a value that are visited to find what a path names; a path that finds nothing among them names nothing. */
const MAX_VISITS = 1_000;

interface KeyRule {
  readonly layer: Layer;
  readonly pattern: string;
  readonly matches: (key: string) => boolean;
}

interface PathRule {
  readonly layer: Layer;
  readonly pattern: string;
  readonly segments: readonly string[];
}

/**
 * @param name what the rules are called in a message.
 * @throws INVALID_INPUT for an expression that the compiler does not take, naming its place.
 */
export function compileRules(rules: ContextRules, patterns: PatternCompiler, name = "contextRules"): CompiledRules {
  // The layers that matter most come first: of several rules that match an entry, the most careful counts.
  const keys: readonly KeyRule[] = LAYERS.flatMap((layer) =>
    (rules.layers?.[layer] ?? []).map((pattern, index) => {
      return { layer, pattern, matches: compileAt(`${name}.layers.${layer}[${index}]`, pattern, patterns) };
    }),
  );
  const paths: readonly PathRule[] = LAYERS.flatMap((layer) =>
    Object.entries(rules.paths ?? {}).flatMap(([pattern, its]) =>
      its === layer ? [{ layer, pattern, segments: segmentsOf(pattern) }] : [],
    ),
  );
  return {
    rules,
    classify(key, value) {
      const start = key.slice(0, MAX_KEY);
      const byKey = keys.find((rule) => rule.matches(start));
      const byPath = paths.find((rule) => holds({ [key]: value }, rule.segments));
      return join(byKey, byPath);
    },
    layerOfPath: (path) => paths.find((rule) => names(rule.segments, path))?.layer,
  };
}

function compileAt(place: string, pattern: string, patterns: PatternCompiler): (text: string) => boolean {
  try {
    return patterns.compile(expressionOf(pattern));
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    const { message, hint, details } = error;
    throw new WorkrailError("INVALID_INPUT", `${place}: ${message}`, {
      details: { ...details, field: place },
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

/** An entry is kept or dropped as one, so it matters at least as much as any part that a path names. */
function join(byKey: KeyRule | undefined, byPath: PathRule | undefined): Classification | undefined {
  if (byKey === undefined && byPath?.layer !== "CRITICAL" && byPath?.layer !== "IMPORTANT") return wholeEntry(byPath);
  const isLifted = byPath !== undefined && (byKey === undefined || moreImportant(byKey.layer, byPath.layer) !== byKey.layer);
  return said(isLifted ? byPath : byKey);
}

/** A part that matters little says nothing of the entry around it. */
function wholeEntry(rule: PathRule | undefined): Classification | undefined {
  return rule?.segments.length === 1 ? said(rule) : undefined;
}

function said(rule: KeyRule | PathRule | undefined): Classification | undefined {
  return rule === undefined ? undefined : { layer: rule.layer, confidence: 1, why: `rule "${rule.pattern}"` };
}

/** A pattern between slashes is an expression; any other is a key in which `*` stands for any characters and `?` for one. */
function expressionOf(pattern: string): string {
  const body = /^\/(.*)\/(i?)$/su.exec(pattern);
  if (body !== null) return body[2] === "i" ? `(?i)${body[1]}` : String(body[1]);
  const literal = pattern.replaceAll(/[^\p{L}\p{N}_*?]/gu, (sign) => `\\x{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  return `(?s)^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`;
}

/** Dots part the segments of a path; `*` is any one member, and a backslash takes the dot after it into the name. */
function segmentsOf(path: string): string[] {
  return path.split(/(?<!\\)\./u).map((segment) => segment.replaceAll("\\.", "."));
}

function names(segments: readonly string[], path: readonly (string | number)[]): boolean {
  return segments.length === path.length && segments.every((segment, index) => segment === "*" || segment === String(path[index]));
}

/** Whether anything in the value stands where the path leads. */
function holds(root: JsonValue, segments: readonly string[]): boolean {
  let places: JsonValue[] = [root];
  for (const segment of segments) {
    const next: JsonValue[] = [];
    for (const place of places) {
      if (next.length >= MAX_VISITS) break;
      next.push(...membersAt(place, segment, MAX_VISITS - next.length));
    }
    places = next;
  }
  return places.length > 0;
}

function membersAt(place: JsonValue, segment: string, most: number): readonly JsonValue[] {
  if (Array.isArray(place)) {
    const list = place as readonly JsonValue[];
    if (segment === "*") return list.slice(0, most);
    return /^\d{1,9}$/.test(segment) && Number(segment) < list.length ? [list[Number(segment)] ?? null] : [];
  }
  if (!isJsonObject(place)) return [];
  if (segment !== "*") return Object.hasOwn(place, segment) ? [place[segment] ?? null] : [];
  const members: JsonValue[] = [];
  for (const key in place) {
    if (members.length === most) break;
    if (Object.hasOwn(place, key)) members.push(place[key] ?? null);
  }
  return members;
}
