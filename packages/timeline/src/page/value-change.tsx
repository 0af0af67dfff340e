import type { JsonValue } from "@workrail/core";
import { create, type ArrayDelta, type Delta, type ObjectDelta } from "jsondiffpatch";
import type { JSX } from "preact";
import type { Change, ChangeSide } from "../data/changes.ts";
import { number } from "./format.ts";
import { idOf, pairItems } from "./pair-items.ts";
import { SafeText } from "./safe-text.tsx";
import { TextChange, textOf, Whole } from "./text-change.tsx";

/** Items of a list up to which moves are looked for. */
const LONGEST_LIST = 400;

/** The change of one value: by word in a line, by line in a text, by member in an object or a list. */
export function ValueChange({ change: { from, to } }: { readonly change: Change }): JSX.Element {
  if (from?.text !== undefined || to?.text !== undefined) return <CutChange from={from} to={to} />;
  if (from === undefined) return <Whole value={to?.value ?? null} how="ins" />;
  if (to === undefined) return <Whole value={from.value ?? null} how="del" />;
  return <div class="diff">{between(from.value ?? null, to.value ?? null)}</div>;
}

/** Long values are compared around the place where they differ. */
function CutChange({ from, to }: { readonly from: ChangeSide | undefined; readonly to: ChangeSide | undefined }): JSX.Element {
  const offset = to?.offset ?? from?.offset ?? 0;
  const characters = Math.max(from?.characters ?? 0, to?.characters ?? 0);
  return (
    <div class="diff">
      <p class="faint">
        A long value: the part that differs, from character {number(offset + 1)} of {number(characters)}.
      </p>
      <TextChange from={from?.text ?? ""} to={to?.text ?? ""} />
    </div>
  );
}

function between(from: JsonValue, to: JsonValue): JSX.Element {
  if (typeof from === "string" && typeof to === "string") return <TextChange from={from} to={to} />;
  if (isTree(from) && isTree(to) && Array.isArray(from) === Array.isArray(to) && longestList(from) + longestList(to) <= LONGEST_LIST) {
    const delta = DIFFER.diff(from, to);
    return delta === undefined ? <p class="faint">Only the order of members differs.</p> : <Members from={from} to={to} delta={delta} />;
  }
  return <TextChange from={textOf(from)} to={textOf(to)} />;
}

/** Items of a list are the same when an id says so, or when they are equal. */
const DIFFER = create({
  objectHash: (item: object) => idOf(item as JsonValue) ?? JSON.stringify(item),
  arrays: { detectMove: true },
  cloneDiffValues: false,
});

function isTree(value: JsonValue): value is { [key: string]: JsonValue } | JsonValue[] {
  return typeof value === "object" && value !== null;
}

function longestList(value: JsonValue): number {
  if (!isTree(value)) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce<number>((most, each) => Math.max(most, longestList(each)), own);
}

interface MembersProps {
  readonly from: JsonValue;
  readonly to: JsonValue;
  readonly delta: Delta;
}

/** Changes of the members of an object or a list. */
function Members({ from, to, delta }: MembersProps): JSX.Element {
  const rows = isArrayDelta(delta) ? listRows(from as JsonValue[], to as JsonValue[], delta) : objectRows(from, to, delta as ObjectDelta);
  const known = Array.isArray(to) ? [] : knownMembers(to as Fields, delta as ObjectDelta);
  const count = Object.keys(to as object).length;
  const same = count - rows.filter(({ isKept }) => isKept).length - known.length;
  return (
    <ul class="members">
      {known.map(([name, text]) =>
        // Its id stands before it.
        text === idOf(to) ? null : (
          <li key={`same ${name}`} class="faint">
            <span class="member">
              <SafeText text={name} />
            </span>
            <SafeText text={text} />
          </li>
        ),
      )}
      {rows.map(({ name, content, key }) => (
        <li key={key}>
          <span class="member">
            <SafeText text={name} />
          </span>
          {content}
        </li>
      ))}
      {same > 0 ? <li class="faint">{number(same)} the same</li> : null}
    </ul>
  );
}

interface Fields {
  readonly [name: string]: JsonValue;
}

const MOST_KNOWN = 2;

/** The first texts of an object that did not change: they tell which one it is. */
function knownMembers(to: Fields, delta: ObjectDelta): readonly (readonly [name: string, text: string])[] {
  const same = Object.entries(to).filter(([name, value]) => typeof value === "string" && !Object.hasOwn(delta, name));
  return same.slice(0, MOST_KNOWN).map(([name, value]) => [name, brief(value)]);
}

interface MemberRow {
  readonly key: string;
  readonly name: string;
  readonly content: JSX.Element;
  /** The member is in the newer value. */
  readonly isKept: boolean;
}

function isArrayDelta(delta: Delta): delta is ArrayDelta {
  return typeof delta === "object" && delta !== null && "_t" in delta && delta._t === "a";
}

function objectRows(from: JsonValue, to: JsonValue, delta: ObjectDelta): readonly MemberRow[] {
  return Object.keys(delta).map((name) => {
    const [before, after] = [own(from, name), own(to, name)];
    return { key: name, name, content: member(before, after), isKept: after !== undefined };
  });
}

function listRows(from: readonly JsonValue[], to: readonly JsonValue[], delta: ArrayDelta): readonly MemberRow[] {
  const all = Object.entries(delta).filter(([name]) => name !== "_t");
  // A move says: the item that stood at one place stands at another.
  const moves = new Map(all.flatMap(([name, change]) => (isMove(change) ? [[change[1], placeIn(name)] as const] : [])));
  const removed = all.filter(([name, change]) => name.startsWith("_") && !isMove(change)).map(([name]) => placeIn(name));
  const added = all.filter(([name, change]) => !name.startsWith("_") && isAddition(change)).map(([name]) => placeIn(name));
  const itemsAt = (list: readonly JsonValue[], places: readonly number[]) => places.map((place) => ({ place, item: list[place] ?? null }));
  const pairs = pairItems(itemsAt(from, removed), itemsAt(to, added));
  const paired = new Set(pairs.values());
  const rows = all.flatMap(([name, change]): readonly (MemberRow & { readonly place: number })[] => {
    const place = placeIn(name);
    if (isMove(change)) return Object.hasOwn(delta, String(change[1])) ? [] : [movedRow(to, change[1], place)];
    if (name.startsWith("_")) return paired.has(place) ? [] : [loneRow(from[place], place, "del")];
    const former = pairs.get(place);
    if (isAddition(change) && former === undefined) return [loneRow(to[place], place, "ins")];
    const before = former === undefined ? formerItem(from, to, place) : from[former];
    return [pairRow(before, to[place], { place, was: moves.get(place) ?? place })];
  });
  return rows.toSorted((left, right) => left.place - right.place);
}

function placeIn(name: string): number {
  return Number(name.replace("_", ""));
}

function isAddition(change: unknown): boolean {
  return Array.isArray(change) && change.length === 1;
}

type Move = readonly [item: unknown, place: number, how: 3];

function isMove(change: unknown): change is Move {
  return Array.isArray(change) && change.length === 3 && change[2] === 3;
}

function movedRow(to: readonly JsonValue[], place: number, was: number): MemberRow & { readonly place: number } {
  const content = (
    <span>
      <SafeText text={brief(to[place])} />
    </span>
  );
  return { key: `moved ${place}`, name: placeOf(to[place], { place, was }), content, isKept: true, place };
}

/** An item that is only in one of the lists. */
function loneRow(item: JsonValue | undefined, place: number, how: "ins" | "del"): MemberRow & { readonly place: number } {
  const isKept = how === "ins";
  const content = <Whole value={item ?? null} how={how} />;
  return { key: `${how} ${place}`, name: `${place + 1}.`, content, isKept, place: isKept ? place : place - 0.5 };
}

interface Places {
  readonly place: number;
  /** Its former place. */
  readonly was: number;
}

/** An item that is in both lists, and differs. */
function pairRow(before: JsonValue | undefined, after: JsonValue | undefined, places: Places): MemberRow & { readonly place: number } {
  const content = member(before, after);
  return { key: `pair ${places.place}`, name: placeOf(after, places), content, isKept: true, place: places.place };
}

/** Names an item by its place, by its id, and by its former place. */
function placeOf(item: JsonValue | undefined, { place, was }: Places): string {
  const own = idOf(item);
  return [`${place + 1}.`, ...(own === undefined ? [] : [own]), ...(was === place ? [] : [`(was ${was + 1}.)`])].join(" ");
}

/** Returns the former state of an item that changed inside: that with the same id, or else the one at its place. */
function formerItem(from: readonly JsonValue[], to: readonly JsonValue[], place: number): JsonValue | undefined {
  const wanted = idOf(to[place]);
  return from.find((item) => wanted !== undefined && idOf(item) === wanted) ?? from[place];
}

function member(before: JsonValue | undefined, after: JsonValue | undefined): JSX.Element {
  if (before === undefined) return <Whole value={after ?? null} how="ins" />;
  if (after === undefined) return <Whole value={before} how="del" />;
  return between(before, after);
}

function own(value: JsonValue, name: string): JsonValue | undefined {
  return Object.hasOwn(value as object, name) ? (value as { [key: string]: JsonValue })[name] : undefined;
}

const LONGEST_BRIEF = 120;

function brief(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.length > LONGEST_BRIEF ? `${text.slice(0, LONGEST_BRIEF)}…` : text;
}
