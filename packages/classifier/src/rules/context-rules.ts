import { type ContextRules, isJsonObject, LAYERS, type Phase, WorkrailError } from "@workrail/core";

const MAX_PATTERNS = 500;
const MAX_PATTERN_LENGTH = 200;
const MAX_PHASES = 100;
const PARTS = ["layers", "paths", "budgets", "phases"] as const;

/**
 * Parses rules from an untrusted source. A phase may be given as its name only.
 *
 * @param name name of the rules in error messages.
 *
 * @throws INVALID_INPUT with the place of the mistake and the expected value.
 */
export function parseContextRules(json: unknown, name = "contextRules"): ContextRules {
  const rules = object(json, name);
  onlyKeys(rules, PARTS, name);
  return {
    ...given("layers", rules["layers"], (value) => layersOf(value, `${name}.layers`)),
    ...given("paths", rules["paths"], (value) => pathsOf(value, `${name}.paths`)),
    ...given("budgets", rules["budgets"], (value) => budgetsOf(value, `${name}.budgets`)),
    ...given("phases", rules["phases"], (value) => phasesOf(value, `${name}.phases`)),
  };
}

function layersOf(value: unknown, place: string): NonNullable<ContextRules["layers"]> {
  const layers = object(value, place);
  onlyKeys(layers, LAYERS, place);
  let count = 0;
  const entries = Object.entries(layers).map(([layer, patterns]) => {
    const at = `${place}.${layer}`;
    if (!Array.isArray(patterns)) refuse(at, "must be a list of patterns for keys");
    count += patterns.length;
    if (count > MAX_PATTERNS) refuse(place, `must have at most ${MAX_PATTERNS} patterns in all`);
    return [layer, patterns.map((pattern: unknown, index) => text(pattern, `${at}[${index}]`))];
  });
  return Object.fromEntries(entries) as NonNullable<ContextRules["layers"]>;
}

function pathsOf(value: unknown, place: string): NonNullable<ContextRules["paths"]> {
  const paths = Object.entries(object(value, place));
  if (paths.length > MAX_PATTERNS) refuse(place, `must have at most ${MAX_PATTERNS} paths`);
  return Object.fromEntries(
    paths.map(([path, layer]) => {
      const at = `${place}[${JSON.stringify(text(path, place))}]`;
      if (path.split(/(?<!\\)\./u).includes("")) refuse(at, "must be names joined by dots");
      return [path, oneOf(layer, LAYERS, at)];
    }),
  );
}

function budgetsOf(value: unknown, place: string): NonNullable<ContextRules["budgets"]> {
  const budgets = object(value, place);
  onlyKeys(budgets, LAYERS, place);
  let sum = 0;
  for (const [layer, share] of Object.entries(budgets)) {
    if (typeof share !== "number" || !(share >= 0 && share <= 1)) refuse(`${place}.${layer}`, "must be a share from 0 to 1, such as 0.3");
    sum += share;
  }
  // Sums of shares such as 0.1 + 0.2 are not exact in floating point.
  if (sum > 1 + 1e-9) refuse(place, `must be at most 1 together, not ${Number(sum.toFixed(3))}`);
  return budgets;
}

function phasesOf(value: unknown, place: string): readonly Phase[] {
  if (!Array.isArray(value)) refuse(place, "must be a list of phases in their order");
  if (value.length > MAX_PHASES) refuse(place, `must have at most ${MAX_PHASES} phases`);
  const phases = value.map((phase: unknown, index) => phaseOf(phase, `${place}[${index}]`));
  const names = phases.map((phase) => phase.name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) refuse(`${place}[${twice}]`, `names a phase that is there already: "${names[twice]}"`);
  return phases;
}

function phaseOf(value: unknown, place: string): Phase {
  if (typeof value === "string") return { name: text(value, place), checkpoint: true };
  const phase = object(value, place, "must be the name of a phase, or an object with name and checkpoint");
  onlyKeys(phase, ["name", "checkpoint"], place);
  const { name, checkpoint = true } = phase;
  if (typeof checkpoint !== "boolean") refuse(`${place}.checkpoint`, "must be true or false");
  return { name: text(name, `${place}.name`), checkpoint };
}

function object(value: unknown, place: string, rule = "must be an object"): { readonly [key: string]: unknown } {
  if (!isJsonObject(value)) refuse(place, rule);
  return value;
}

function onlyKeys(value: object, allowed: readonly string[], place: string): void {
  const other = Object.keys(value).find((key) => !allowed.includes(key));
  if (other !== undefined) refuse(`${place}[${JSON.stringify(other.slice(0, 60))}]`, `is not known here; known are ${allowed.join(", ")}`);
}

function text(value: unknown, place: string): string {
  if (typeof value !== "string" || value === "" || value.length > MAX_PATTERN_LENGTH) {
    refuse(place, `must be a text of 1 to ${MAX_PATTERN_LENGTH} characters`);
  }
  return value;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], place: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) refuse(place, `must be one of ${allowed.join(", ")}`);
  return found;
}

function given<K extends string, T>(key: K, value: unknown, read: (value: unknown) => T): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: read(value) } as { [P in K]?: T });
}

function refuse(place: string, rule: string): never {
  throw new WorkrailError("INVALID_INPUT", `${place} ${rule}.`, {
    details: { field: place },
    hint: "Each part of the rules is described at https://github.com/workrail/workrail/blob/main/docs/reference/context-rules.md",
  });
}
