import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import { align } from "./align.ts";
import type { ArrayStep, Delta, ObjectDelta, Splice } from "./delta.ts";
import { sameJson } from "./same-json.ts";

type Path = readonly (string | number)[];

/** Shorter texts are written out: their path would be as long. */
const SHORTEST_COPIED = 40;
/** Shorter texts are not compared line by line, which would not pay off. */
const SHORTEST_SPLICED = 200;

/** Returns a delta from `base` to `target`. `applyDelta(base, findDelta(base, target))` has the same JSON text as `target`. */
export function findDelta(base: JsonValue, target: JsonValue): Delta {
  return new DeltaFinder(base).change(base, target);
}

class DeltaFinder {
  readonly #root: JsonValue;
  #places: Map<string, Path> | undefined;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  change(base: JsonValue, target: JsonValue): Delta {
    if (sameJson(base, target)) return { keep: true };
    if (Array.isArray(base) && Array.isArray(target)) return this.#changeArray(base, target);
    if (isJsonObject(base) && isJsonObject(target)) return this.#changeObject(base, target);
    if (typeof base === "string" && typeof target === "string") return this.#copy(target) ?? changeText(base, target);
    const made = this.#make(target);
    return "set" in made || "copy" in made ? made : { new: made };
  }

  /** Makes a value from nothing, except texts that occur in the base. */
  #make(target: JsonValue): Delta {
    if (typeof target === "string") return this.#copy(target) ?? { set: target };
    if (Array.isArray(target)) {
      const items = target.map((item: JsonValue) => this.#make(item));
      return items.every(isSet) ? { set: target } : { array: items.map((item) => insertion(item)) };
    }
    if (!isJsonObject(target)) return { set: target };
    const members = Object.entries(target).map(([key, value]) => [key, this.#make(value)] as const);
    return members.every(([, member]) => isSet(member)) ? { set: target } : { object: { change: Object.fromEntries(members) } };
  }

  #copy(text: string): Delta | undefined {
    if (text.length < SHORTEST_COPIED) return undefined;
    this.#places ??= placesOfTexts(this.#root);
    const path = this.#places.get(text);
    return path === undefined || JSON.stringify(path).length >= text.length ? undefined : { copy: path };
  }

  #changeObject(base: JsonObject, target: JsonObject): Delta {
    const drop = Object.keys(base).filter((key) => !Object.hasOwn(target, key));
    const kept = Object.keys(base).filter((key) => Object.hasOwn(target, key));
    const added = Object.keys(target).filter((key) => !Object.hasOwn(base, key));
    const changed = kept
      .map((key) => [key, this.change(base[key] as JsonValue, target[key] as JsonValue)] as const)
      .filter(([, delta]) => !("keep" in delta));
    const made = added.map((key) => [key, this.#make(target[key] as JsonValue)] as const);
    const order = Object.keys(target);
    const isInOrder = [...kept, ...added].every((key, index) => key === order[index]);
    const object: ObjectDelta = {
      ...(drop.length === 0 ? {} : { drop }),
      ...(changed.length + made.length === 0 ? {} : { change: Object.fromEntries([...changed, ...made]) }),
      ...(isInOrder ? {} : { order }),
    };
    return { object };
  }

  #changeArray(base: readonly JsonValue[], target: readonly JsonValue[]): Delta {
    const steps = new Steps();
    let [atBase, atTarget] = [0, 0];
    const runs = align(base.map(identity), target.map(identity));
    for (const run of [...runs, { left: base.length, right: target.length, length: 0 }]) {
      this.#fillGap(steps, base.slice(atBase, run.left), target.slice(atTarget, run.right));
      steps.count(run.length);
      [atBase, atTarget] = [run.left + run.length, run.right + run.length];
    }
    return { array: steps.finished() };
  }

  /** Equal numbers of items on both sides count as changed items; otherwise as removed and inserted ones. */
  #fillGap(steps: Steps, base: readonly JsonValue[], target: readonly JsonValue[]): void {
    if (base.length === target.length) {
      for (const [index, item] of target.entries()) {
        const delta = this.change(base[index] as JsonValue, item);
        if ("keep" in delta) steps.count(1);
        else steps.push({ change: delta });
      }
      return;
    }
    steps.count(-base.length);
    for (const item of target) steps.push(insertion(this.#make(item)));
  }
}

/** List of steps that merges neighbours of the same kind. */
class Steps {
  readonly #steps: ArrayStep[] = [];
  /** Items of the last step, if it inserts. */
  #inserted: JsonValue[] | undefined;

  count(items: number): void {
    const last = this.#steps.at(-1);
    if (items === 0) return;
    if (typeof last === "number" && last > 0 === items > 0) this.#steps[this.#steps.length - 1] = last + items;
    else this.#steps.push(items);
    this.#inserted = undefined;
  }

  push(step: Exclude<ArrayStep, number>): void {
    if (!("insert" in step)) {
      this.#steps.push(step);
      this.#inserted = undefined;
      return;
    }
    if (this.#inserted === undefined) this.#steps.push({ insert: (this.#inserted = []) });
    for (const item of step.insert) this.#inserted.push(item);
  }

  /** Returns the steps, without a final skip. */
  finished(): readonly ArrayStep[] {
    const last = this.#steps.at(-1);
    return typeof last === "number" && last < 0 ? this.#steps.slice(0, -1) : this.#steps;
  }
}

function insertion(delta: Delta): Exclude<ArrayStep, number> {
  return "set" in delta ? { insert: [delta.set] } : { new: delta };
}

function isSet(delta: Delta): boolean {
  return "set" in delta;
}

function identity(item: JsonValue): string {
  return JSON.stringify(item);
}

function placesOfTexts(root: JsonValue): Map<string, Path> {
  const places = new Map<string, Path>();
  const visit = (value: JsonValue, path: Path): void => {
    if (typeof value === "string") {
      if (value.length >= SHORTEST_COPIED && !places.has(value)) places.set(value, path);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item as JsonValue, [...path, index]);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    }
  };
  visit(root, []);
  return places;
}

/** Compares long texts by lines; narrows each changed range to its changed characters. */
function changeText(base: string, target: string): Delta {
  const splices = Math.min(base.length, target.length) < SHORTEST_SPLICED ? [splice(base, target, 0)] : spliceLines(base, target);
  const delta: Delta = { text: splices };
  return JSON.stringify(delta).length < target.length ? delta : { set: target };
}

function spliceLines(base: string, target: string): Splice[] {
  const [baseLines, targetLines] = [linesOf(base), linesOf(target)];
  const splices: Splice[] = [];
  let [atBase, atTarget, offset] = [0, 0, 0];
  for (const run of [...align(baseLines, targetLines), { left: baseLines.length, right: targetLines.length, length: 0 }]) {
    const [gone, come] = [baseLines.slice(atBase, run.left).join(""), targetLines.slice(atTarget, run.right).join("")];
    if (gone !== come) splices.push(splice(gone, come, offset));
    offset += gone.length + length(baseLines, run.left, run.length);
    [atBase, atTarget] = [run.left + run.length, run.right + run.length];
  }
  return splices;
}

/** Splits a text into lines with their line breaks, so that joining them restores the text. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function length(lines: readonly string[], from: number, count: number): number {
  let sum = 0;
  for (let at = from; at < from + count; at++) sum += (lines[at] as string).length;
  return sum;
}

function splice(base: string, target: string, offset: number): Splice {
  const most = Math.min(base.length, target.length);
  let head = 0;
  while (head < most && base.charCodeAt(head) === target.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < most - head && base.charCodeAt(base.length - 1 - tail) === target.charCodeAt(target.length - 1 - tail)) tail += 1;
  return [offset + head, base.length - head - tail, target.slice(head, target.length - tail)];
}
