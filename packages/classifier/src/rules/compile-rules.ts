import {
  type Classification,
  type CompiledRules,
  type ContextRules,
  isJsonObject,
  isWorkrailError,
  type JsonValue,
  type Layer,
  LAYERS,
  type PatternCompiler,
  WorkrailError,
} from "@workrail/core";

/** Maximum characters of a key that are matched. */
const MAX_KEY = 1_000;
/** Maximum members of a value that are visited for a path. A path that matches none of them matches nothing. */
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
 * Compiles the rules.
 *
 * @param name name of the rules in error messages.
 *
 * @throws INVALID_INPUT with the place of an expression that the compiler rejects.
 */
export function compileRules(rules: ContextRules, patterns: PatternCompiler, name = "contextRules"): CompiledRules {
  // The most important layers come first, so the most important of several matching rules wins.
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

/**
 * Combines the rule of the key and the rule of a path. An entry is kept or dropped as a whole, so it is at least as important as
 * the most important part that a path names.
 */
function join(byKey: KeyRule | undefined, byPath: PathRule | undefined): Classification | undefined {
  if (byKey === undefined && byPath?.layer !== "CRITICAL" && byPath?.layer !== "IMPORTANT") return wholeEntry(byPath);
  const isLifted = byPath !== undefined && (byKey === undefined || LAYERS.indexOf(byPath.layer) < LAYERS.indexOf(byKey.layer));
  return said(isLifted ? byPath : byKey);
}

/** Uses the rule of an unimportant path only for the whole entry. An unimportant part implies nothing about its entry. */
function wholeEntry(rule: PathRule | undefined): Classification | undefined {
  return rule?.segments.length === 1 ? said(rule) : undefined;
}

function said(rule: KeyRule | PathRule | undefined): Classification | undefined {
  return rule === undefined ? undefined : { layer: rule.layer, confidence: 1, why: `rule "${rule.pattern}"` };
}

/**
 * Converts a pattern to a regular expression. A pattern between slashes is an expression already; any other pattern is a key in
 * which `*` stands for any characters and `?` for one.
 */
function expressionOf(pattern: string): string {
  const body = /^\/(.*)\/(i?)$/su.exec(pattern);
  if (body !== null) return body[2] === "i" ? `(?i)${body[1]}` : String(body[1]);
  const literal = pattern.replaceAll(/[^\p{L}\p{N}_*?]/gu, (sign) => `\\x{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  return `(?s)^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`;
}

/** Splits a path at its dots. `*` matches any one member; a backslash escapes the following dot. */
function segmentsOf(path: string): string[] {
  return path.split(/(?<!\\)\./u).map((segment) => segment.replaceAll("\\.", "."));
}

function names(segments: readonly string[], path: readonly (string | number)[]): boolean {
  return segments.length === path.length && segments.every((segment, index) => segment === "*" || segment === String(path[index]));
}

/** Tells whether the value has anything at the path. */
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
