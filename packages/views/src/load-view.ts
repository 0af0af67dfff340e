import {
  classifyContext,
  type ClassifyPorts,
  type CompiledRules,
  type Context,
  invalidInput,
  isJsonObject,
  type JsonValue,
  loadCheckpoint,
  type LoadedCheckpoint,
  type LoadInput,
  type LoadPorts,
  type Session,
  type TokenCounter,
  type WorkrailError,
} from "@workrail/core";
import { type ComposedView, composeView } from "./handoff/compose-view.ts";
import { buildView, type View, type ViewBudget } from "./view/build-view.ts";
import { nearestKeys } from "./view/nearest-keys.ts";
import { type PageRoom, pageValue, type Range, type ValuePage } from "./view/page-value.ts";
import { fits, lesser, part, type Room, shrink, sizeOf } from "./view/room.ts";

export interface ViewPorts extends LoadPorts, ClassifyPorts {
  readonly tokens: TokenCounter;
}

/** Top-level key, or path into a value: keys of objects and indexes of arrays (numbers or digits). */
export type EntryPath = string | readonly (string | number)[];

export interface ViewRequest {
  /** Returns everything, regardless of size. */
  readonly full?: boolean | undefined;
  /** Only these. A string names an entry, returned in `context`; a path is returned in `values`. */
  readonly keys?: readonly EntryPath[] | undefined;
  /** Part of one long value; `keys` must name exactly one. */
  readonly range?: Range | undefined;
  /** Only entries with these keys, as far as they fit; others do not count as omitted. Not together with `keys`. Default: all. */
  readonly among?: ((context: Context) => ReadonlySet<string>) | undefined;
  /** Current interest: when not everything fits, related content is preferred, also within entries named by `keys`. */
  readonly focus?: string | undefined;
  /** Classification rules of the workflow's author. */
  readonly rules?: CompiledRules | undefined;
  /** Continues the report of the same request. */
  readonly cursor?: string | undefined;
}

export interface LoadedView extends ComposedView {
  readonly record: LoadedCheckpoint["record"];
  readonly session: Session | undefined;
  /** Present when the load fell back to an older checkpoint. */
  readonly fellBackFrom?: LoadedCheckpoint["fellBackFrom"];
  readonly values?: readonly ViewValue[];
  /** Number of requested paths at the end without room: request them again. */
  readonly valuesLeft?: number;
  /** Keys and paths that do not exist in this context, as many as fit. */
  readonly missing?: readonly EntryPath[];
  /** Number of missing keys and paths, when not all are listed. */
  readonly missingCount?: number;
  /** Existing keys with names similar to the missing ones. */
  readonly nearest?: readonly string[];
}

export type ViewValue = { readonly path: readonly (string | number)[] } & (
  | ValuePage
  | { readonly omitted: true; readonly characters: number }
);

/** Computes the budget for a loaded checkpoint. The rest of the answer depends on its name, tags and so on. */
export type BudgetFor = (loaded: LoadedCheckpoint) => Promise<ViewBudget>;

/**
 * Loads a checkpoint and returns as much of it as the budget allows, naming omitted entries.
 *
 * @throws the errors of `loadCheckpoint`; INVALID_INPUT for an invalid range or cursor.
 */
export async function loadView(ports: ViewPorts, input: LoadInput & ViewRequest, budgetFor: BudgetFor): Promise<LoadedView> {
  checkRequest(input);
  const loaded = await loadCheckpoint(ports, { checkpointId: input.checkpointId, sessionId: input.sessionId });
  const { record, context, session } = loaded;
  const about = { record, session, ...(loaded.fellBackFrom.length === 0 ? {} : { fellBackFrom: loaded.fellBackFrom }) };
  const pins = session?.pins ?? [];
  const cursor = input.cursor === undefined ? undefined : Number(input.cursor);
  if (input.keys === undefined) {
    const among = input.among?.(context);
    const shown = among === undefined ? context : Object.fromEntries(Object.entries(context).filter(([key]) => among.has(key)));
    if (input.full === true) return { ...about, context: shown };
    const budget = await budgetFor(loaded);
    const classifications = await classifyContext(ports, context, { pins, rules: input.rules });
    return { ...about, ...(await composeView(shown, { classifications, focus: input.focus, budget, cursor }, ports.tokens)) };
  }
  const budget = input.full === true ? UNLIMITED : await budgetFor(loaded);
  return { ...about, ...(await chooseKeys({ context, pins }, input, { budget, cursor, counter: ports.tokens })) };
}

const BOUNDLESS: Room = { tokens: Number.MAX_SAFE_INTEGER, characters: Number.MAX_SAFE_INTEGER };
const UNLIMITED: ViewBudget = { wanted: BOUNDLESS, ceiling: BOUNDLESS };

function checkRequest(request: ViewRequest): void {
  if (request.range !== undefined && request.keys?.length !== 1) {
    throw invalidInput(
      "range",
      "range needs keys to name exactly one value.",
      'Give keys with one name beside it, such as keys: ["plan"].',
    );
  }
  for (const [field, value] of Object.entries(request.range ?? {})) {
    if (value !== undefined && (!Number.isSafeInteger(value) || (value < 0 && field !== "offset")))
      throw invalidInput(`range.${field}`, `range.${field} must be a whole number.`, "Count from 0, or leave it out.");
  }
  const { offset, limit, last } = request.range ?? {};
  if (last !== undefined && (offset !== undefined || limit !== undefined))
    throw invalidInput("range.last", "range.last cannot be combined with offset or limit.", "Give last, or offset and limit.");
  const isOfRange = request.range !== undefined && request.cursor !== undefined;
  if (isOfRange || (request.cursor !== undefined && !/^\d{1,15}$/.test(request.cursor))) throw noCursor();
}

function noCursor(): WorkrailError {
  return invalidInput("cursor", "cursor must be the nextCursor of an earlier answer.", "Leave cursor out to begin with the first names.");
}

type Chosen = ComposedView & Pick<LoadedView, "values" | "valuesLeft" | "missing" | "missingCount" | "nearest">;

interface Found {
  readonly path: EntryPath;
  readonly value: JsonValue;
}

/** Share of the room for missing keys. */
const MISSING_SHARE = 1 / 5;
/** Placeholder for the answer to paths whose values find no room. */
const NO_VALUES = { values: [], valuesLeft: 100_000 };

interface KeysRoom {
  readonly budget: ViewBudget;
  readonly cursor: number | undefined;
  readonly counter: TokenCounter;
}

async function chooseKeys(
  { context, pins }: { readonly context: Context; readonly pins: readonly string[] },
  request: ViewRequest,
  { budget, cursor, counter }: KeysRoom,
): Promise<Chosen> {
  const asked = (request.keys ?? []).map((path) => ({ path, value: resolve(context, path) }));
  const found = asked.filter((each): each is Found => each.value !== undefined);
  const missed = asked.filter(({ value }) => value === undefined).map(({ path }) => path);
  const missing = {
    ...(await tellMissing(missed, part(lesser(budget.wanted, budget.ceiling), MISSING_SHARE), counter)),
    ...nearestTo(missed, context),
  };
  const left = await budgetBeside(missing, budget, counter);
  const wholeEntries = Object.fromEntries(found.filter(({ path }) => typeof path === "string").map(({ path, value }) => [path, value]));
  // Entries requested by name rank equally unless pinned, and are returned whole or not at all, unless a focus selects parts.
  const classifications = new Map(pins.map((key) => [key, { layer: "CRITICAL" as const, confidence: 1, why: "pinned" }]));
  const paths = found.filter(({ path }) => typeof path !== "string");
  if (request.focus !== undefined && paths.length === 0 && request.range === undefined) {
    // The focus selects parts of entries that are too large.
    const view = await composeView(wholeEntries, { classifications, focus: request.focus, budget: left, cursor }, counter);
    if (cursor !== undefined && view.omitted === undefined && view.shortened === undefined) throw noCursor();
    return { ...view, ...missing };
  }
  const entriesLeft = paths.length === 0 ? left : await budgetBeside({ ...missing, ...NO_VALUES }, budget, counter);
  const { report: _report, ...view } = await buildView(wholeEntries, { classifications, budget: entriesLeft, cursor }, counter);
  // A cursor only continues the list of omitted entries. Without any, the caller would silently get nothing.
  if (cursor !== undefined && view.omitted === undefined) throw noCursor();
  if (cursor !== undefined) return view;
  const isSingle = request.keys?.length === 1;
  const isEntry = typeof request.keys?.[0] === "string";
  if (isSingle && (request.range !== undefined || view.omitted !== undefined || !isEntry)) {
    // For a single value that does not fit whole, a part is better than its name only.
    const room = await roomBeside({ context: {} }, left, counter);
    return { context: {}, ...(await tellValues(found, { range: request.range, room }, counter)), ...missing };
  }
  return { ...view, ...(await tellValues(paths, { room: await roomBeside(view, left, counter) }, counter)), ...missing };
}

/** Most suggested names. */
const MOST_NEAREST = 5;
const LONGEST_NEAREST = 80;

/** Suggests keys of the object in which the first missing segment was looked up. */
function nearestTo(missed: readonly EntryPath[], context: Context): Pick<LoadedView, "nearest"> {
  const found = new Set<string>();
  for (const path of missed) {
    const segments = typeof path === "string" ? [path] : path;
    const depth = segments.findIndex((_, at) => resolve(context, segments.slice(0, at + 1)) === undefined);
    const holder = depth === 0 ? context : resolve(context, segments.slice(0, depth));
    if (!isJsonObject(holder)) continue;
    const short = Object.keys(holder).filter((key) => key.length <= LONGEST_NEAREST);
    for (const key of nearestKeys(String(segments[depth]), short)) found.add(key);
  }
  return found.size === 0 ? {} : { nearest: [...found].slice(0, MOST_NEAREST) };
}

async function tellMissing(
  paths: readonly EntryPath[],
  room: Room,
  counter: TokenCounter,
): Promise<Pick<LoadedView, "missing" | "missingCount">> {
  if (paths.length === 0) return {};
  const missing: EntryPath[] = [];
  let left = room;
  for (const path of paths) {
    const text = `${JSON.stringify(path)},`;
    if (!(await fits(text, left, counter))) break;
    left = shrink(left, await sizeOf(text, counter));
    missing.push(path);
  }
  return missing.length === paths.length ? { missing } : { missing, missingCount: paths.length };
}

async function budgetBeside(written: object, budget: ViewBudget, counter: TokenCounter): Promise<ViewBudget> {
  if (Object.keys(written).length === 0) return budget;
  const taken = await sizeOf(JSON.stringify(written), counter);
  return { ...budget, wanted: shrink(budget.wanted, taken), ceiling: shrink(budget.ceiling, taken) };
}

async function roomBeside(view: View, budget: ViewBudget, counter: TokenCounter): Promise<Room> {
  const frame = `${JSON.stringify(view)},"values":[],"valuesLeft":100000`;
  return shrink(lesser(budget.wanted, budget.ceiling), await sizeOf(frame, counter));
}

async function tellValues(
  found: readonly Found[],
  { range, room }: PageRoom,
  counter: TokenCounter,
): Promise<Pick<LoadedView, "values" | "valuesLeft">> {
  if (found.length === 0) return {};
  const values: ViewValue[] = [];
  let left = room;
  for (const { path: entryPath, value } of found) {
    const path = typeof entryPath === "string" ? [entryPath] : entryPath;
    const told = await tellValue({ path, value }, { range, room: left, isFirst: values.length === 0 }, counter);
    if (told === undefined) break;
    left = shrink(left, await sizeOf(`${JSON.stringify(told)},`, counter));
    values.push(told);
  }
  return values.length === found.length ? { values } : { values, valuesLeft: found.length - values.length };
}

/**
 * Returns a value that fits, or its size. Only the first value may be returned in part: the beginnings of several values are of
 * no use. `undefined` when not even the size fits.
 */
async function tellValue(
  { path, value }: { readonly path: readonly (string | number)[]; readonly value: JsonValue },
  { range, room, isFirst }: PageRoom & { readonly isFirst: boolean },
  counter: TokenCounter,
): Promise<ViewValue | undefined> {
  const whole = await pageValue(value, { range, room: shrink(room, await frameOf(path, counter)) }, counter);
  const page: ViewValue = { path, ...whole };
  const isUseful = isFirst || whole.nextOffset === undefined;
  if (isUseful && (await fits(`${JSON.stringify(page)},`, room, counter))) return page;
  const size: ViewValue = { path, omitted: true, characters: JSON.stringify(value).length };
  return (await fits(`${JSON.stringify(size)},`, room, counter)) ? size : undefined;
}

/** Size of the frame around a value: its path and offsets. */
async function frameOf(path: readonly (string | number)[], counter: TokenCounter): Promise<Room> {
  return sizeOf(
    JSON.stringify({ path, offset: 1e9, length: 1e9, unit: "characters", nextOffset: 1e9, itemTooLarge: true, nextKey: "" }),
    counter,
  );
}

function resolve(context: Context, path: EntryPath): JsonValue | undefined {
  const segments = typeof path === "string" ? [path] : path;
  let value: JsonValue | undefined = context;
  for (const segment of segments) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    // `length` is an own property of arrays but no index.
    if (Array.isArray(value) && segment === "length") return undefined;
    value = (value as Record<string | number, JsonValue>)[segment];
  }
  return value;
}
