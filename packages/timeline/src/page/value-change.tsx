import type { JsonValue } from "@workrail/core";
import { diffLines, diffWordsWithSpace } from "diff";
import { create, type ArrayDelta, type Delta, type ObjectDelta } from "jsondiffpatch";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Change, ChangeSide } from "../data/changes.ts";
import { number } from "./format.ts";
import { marked, SafeText } from "./safe-text.tsx";

/** The page must answer within 100 ms: a comparison that takes longer is given up. */
const TIMEOUT_MS = 40;
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
const DIFFER = create({ objectHash: nameOfItem, arrays: { detectMove: true }, cloneDiffValues: false });

/** Names an item of a list even when it changes: by its id, key or name; without one, by all of it. */
function nameOfItem(item: object): string {
  const { id, key, name } = item as { readonly id?: unknown; readonly key?: unknown; readonly name?: unknown };
  const own = id ?? key ?? name;
  return typeof own === "string" || typeof own === "number" ? String(own) : JSON.stringify(item);
}

function isTree(value: JsonValue): value is { [key: string]: JsonValue } | JsonValue[] {
  return typeof value === "object" && value !== null;
}

function longestList(value: JsonValue): number {
  if (!isTree(value)) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce<number>((most, each) => Math.max(most, longestList(each)), own);
}

/** Changes of a text: by word in one line, otherwise by line. */
function TextChange({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  if (!from.includes("\n") && !to.includes("\n")) return <p class="words">{byWord(from, to)}</p>;
  return <Lines from={from} to={to} />;
}

function byWord(from: string, to: string): ComponentChildren {
  const parts = diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS });
  if (parts === undefined) {
    return (
      <>
        <del>{marked(from)}</del> <ins>{marked(to)}</ins>
      </>
    );
  }
  return parts.map(({ value, added, removed }) => {
    if (added) return <ins>{marked(value)}</ins>;
    return removed ? <del>{marked(value)}</del> : <span>{marked(value)}</span>;
  });
}

/** Unchanged lines shown around a change. */
const AROUND = 2;
const MOST_LINES = 400;

interface Line {
  readonly kind: "same" | "del" | "ins" | "gap";
  readonly content: ComponentChildren;
}

function Lines({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  const lines = linesBetween(from, to);
  return (
    <div class="lines">
      {lines.slice(0, MOST_LINES).map(({ kind, content }, index) => {
        if (kind === "gap")
          return (
            <p key={index} class="gap">
              {content}
            </p>
          );
        const Tag = kind === "same" ? "p" : kind;
        return (
          <Tag key={index} class="text-line">
            {content}
          </Tag>
        );
      })}
      {lines.length > MOST_LINES ? <p class="gap">{number(lines.length - MOST_LINES)} more lines</p> : null}
    </div>
  );
}

function linesBetween(from: string, to: string): readonly Line[] {
  const parts = diffLines(from, to, { timeout: TIMEOUT_MS }) ?? [
    { value: from, removed: true, added: false },
    { value: to, added: true, removed: false },
  ];
  return parts.flatMap(({ value, added, removed }, index): readonly Line[] => {
    const lines = value.replace(/\n$/u, "").split("\n");
    if (!added && !removed) return around(lines, index === 0, index === parts.length - 1);
    const other = parts[removed ? index + 1 : index - 1];
    const isPair = other !== undefined && (removed ? other.added : other.removed);
    const others = isPair ? other.value.replace(/\n$/u, "").split("\n") : [];
    // Lines that replace as many others are compared by word.
    return lines.map((line, place): Line => {
      const kind = removed ? "del" : "ins";
      const pair = others.length === lines.length ? others[place] : undefined;
      return { kind, content: pair === undefined ? marked(line) : wordsOf(removed ? [line, pair] : [pair, line], kind) };
    });
  });
}

/** The words of one side, those that changed marked. */
function wordsOf([from, to]: readonly [string, string], side: "del" | "ins"): ComponentChildren {
  const parts = diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS });
  if (parts === undefined) return marked(side === "del" ? from : to);
  return parts
    .filter(({ added, removed }) => (side === "del" ? !added : !removed))
    .map(({ value, added, removed }) => (added || removed ? <b>{marked(value)}</b> : <span>{marked(value)}</span>));
}

function around(lines: readonly string[], isFirst: boolean, isLast: boolean): readonly Line[] {
  const [before, after] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  const same = (line: string): Line => ({ kind: "same", content: marked(line) });
  if (lines.length <= before + after + 1) return lines.map(same);
  const left = lines.length - before - after;
  return [
    ...lines.slice(0, before).map(same),
    { kind: "gap", content: `${number(left)} lines are the same` },
    ...lines.slice(lines.length - after).map(same),
  ];
}

interface MembersProps {
  readonly from: JsonValue;
  readonly to: JsonValue;
  readonly delta: Delta;
}

/** Changes of the members of an object or a list. */
function Members({ from, to, delta }: MembersProps): JSX.Element {
  const rows = isArrayDelta(delta) ? listRows(from as JsonValue[], to as JsonValue[], delta) : objectRows(from, to, delta as ObjectDelta);
  const count = Object.keys(to as object).length;
  const same = count - rows.filter(({ isKept }) => isKept).length;
  return (
    <ul class="members">
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
    return { key: name, name, content: member(before, after, delta[name]), isKept: after !== undefined };
  });
}

function listRows(from: readonly JsonValue[], to: readonly JsonValue[], delta: ArrayDelta): readonly MemberRow[] {
  const all = Object.entries(delta).filter(([name]) => name !== "_t");
  // A move says: the item that stood at one place stands at another.
  const moves = new Map(all.flatMap(([name, change]) => (isMove(change) ? [[change[1], Number(name.slice(1))] as const] : [])));
  const rows = all.flatMap(([name, change]): readonly (MemberRow & { readonly place: number })[] => {
    if (isMove(change)) return Object.hasOwn(delta, String(change[1])) ? [] : [movedRow(to, change[1], moves)];
    if (!name.startsWith("_"))
      return [changedRow(from, to, { place: Number(name), change: change as Delta, was: moves.get(Number(name)) })];
    const place = Number(name.slice(1));
    const content = <Whole value={from[place] ?? null} how="del" />;
    return [{ key: name, name: `${place + 1}.`, content, isKept: false, place: place - 0.5 }];
  });
  return rows.toSorted((left, right) => left.place - right.place);
}

type Move = readonly [item: unknown, place: number, how: 3];

function isMove(change: unknown): change is Move {
  return Array.isArray(change) && change.length === 3 && change[2] === 3;
}

function movedRow(to: readonly JsonValue[], place: number, moves: ReadonlyMap<number, number>): MemberRow & { readonly place: number } {
  const content = (
    <span>
      <SafeText text={brief(to[place])} />
    </span>
  );
  return { key: `moved ${place}`, name: placeOf(to[place], place, moves.get(place)), content, isKept: true, place };
}

interface ChangedItem {
  readonly place: number;
  readonly change: Delta;
  /** Its former place, if that was another. */
  readonly was: number | undefined;
}

function changedRow(
  from: readonly JsonValue[],
  to: readonly JsonValue[],
  { place, change, was }: ChangedItem,
): MemberRow & { readonly place: number } {
  const isNew = Array.isArray(change) && change.length === 1;
  const before = isNew ? undefined : formerItem(from, to, place);
  const name = isNew ? `${place + 1}.` : placeOf(to[place], place, was);
  return { key: String(place), name, content: member(before, to[place], change), isKept: true, place };
}

/** Names an item by its place, by what identifies it, and by its former place. */
function placeOf(item: JsonValue | undefined, place: number, was: number | undefined): string {
  const { id, key, name } = (isTree(item ?? null) ? item : {}) as {
    readonly id?: unknown;
    readonly key?: unknown;
    readonly name?: unknown;
  };
  const own = id ?? key ?? name;
  return [`${place + 1}.`, ...(typeof own === "string" ? [own] : []), ...(was === undefined ? [] : [`(was ${was + 1}.)`])].join(" ");
}

/** Returns the former state of an item that changed inside: that with the same id, or else the one at its place. */
function formerItem(from: readonly JsonValue[], to: readonly JsonValue[], place: number): JsonValue | undefined {
  const hash = (item: JsonValue | undefined): string | undefined => (isTree(item ?? null) ? nameOfItem(item as object) : undefined);
  const wanted = hash(to[place]);
  return from.find((item) => wanted !== undefined && hash(item) === wanted) ?? from[place];
}

function member(before: JsonValue | undefined, after: JsonValue | undefined, delta: Delta): JSX.Element {
  if (before === undefined) return <Whole value={after ?? null} how="ins" />;
  if (after === undefined) return <Whole value={before} how="del" />;
  if (isTree(before) && isTree(after) && !Array.isArray(delta) && delta !== undefined)
    return <Members from={before} to={after} delta={delta} />;
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

const LONGEST_WHOLE = 2_000;

/** A value that is only on one side. */
function Whole({ value, how: How }: { readonly value: JsonValue; readonly how: "ins" | "del" }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const text = textOf(value);
  const isLong = text.length > LONGEST_WHOLE && !isAll;
  return (
    <>
      <How class="whole">{marked(isLong ? text.slice(0, LONGEST_WHOLE) : text)}</How>
      {isLong ? (
        <button type="button" onClick={() => setAll(true)}>
          Show all {number(text.length)} characters
        </button>
      ) : null}
    </>
  );
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
