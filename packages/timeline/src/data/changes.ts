import type { JsonValue, Layer } from "@workrail/core";
import type { CompareCheckpointsResult, EntryChange, EntryState } from "@workrail/runtime";
import * as z from "zod";
import { reading } from "./call.ts";
import { type TimelineRow, timelineRow } from "./timeline.ts";
import { windowsOf } from "./windows.ts";

/** An entry on one side of a comparison. Either `value`, or `text` for a part of a long value, or neither when the answer is full. */
export interface ChangeSide {
  readonly layer: Layer;
  readonly tokens: number;
  /** Characters of the value as text. */
  readonly characters: number;
  readonly value?: JsonValue | undefined;
  /** The part of a long text that differs, with a little around it. */
  readonly text?: string | undefined;
  /** The place in the value at which `text` begins. */
  readonly offset?: number | undefined;
}

export interface Change {
  readonly key: string;
  /** The key that the same value had before. */
  readonly formerKey?: string | undefined;
  readonly change: EntryChange["change"] | "renamed";
  readonly from?: ChangeSide | undefined;
  readonly to?: ChangeSide | undefined;
  /** The values are not in this answer: ask for this entry alone. */
  readonly isLeft?: true | undefined;
}

export interface Changes {
  readonly from: TimelineRow & { readonly tokens: number };
  readonly to: TimelineRow & { readonly tokens: number };
  readonly entries: readonly Change[];
  readonly unchanged: number;
  readonly isReordered: boolean;
  readonly layers: CompareCheckpointsResult["layers"];
}

/** Characters of values in one answer; entries beyond come without values. */
const MOST_CHARACTERS = 300_000;
/** Characters of both sides up to which they are sent whole. */
const LONGEST_WHOLE = 100_000;

const PAIR = z.object({ fromId: z.string(), toId: z.string() });

/** Compares two checkpoints entry by entry. */
export const changes = reading(PAIR, async ({ store }, pair): Promise<Changes> => {
  const { from, to, entries, unchanged, isReordered, layers } = await store.compareCheckpoints(pair);
  let room = MOST_CHARACTERS;
  const told = withRenames(entries).map((entry) => {
    const change = changeOf(entry);
    const size = sizeOf(change.from) + sizeOf(change.to);
    if (size > room) return { ...change, from: bare(change.from), to: bare(change.to), isLeft: true as const };
    room -= size;
    return change;
  });
  const side = (metadata: typeof from) => ({ ...timelineRow(metadata), tokens: metadata.tokens });
  return { from: side(from), to: side(to), entries: told, unchanged, isReordered, layers };
});

/** Returns one entry of the same comparison, with its values. */
export const change = reading(PAIR.extend({ key: z.string() }), async ({ store }, { key, ...pair }): Promise<Change | undefined> => {
  const { entries } = await store.compareCheckpoints(pair);
  const found = withRenames(entries).find((each) => each.key === key);
  return found === undefined ? undefined : changeOf(found);
});

interface Entry extends Omit<EntryChange, "change"> {
  readonly change: Change["change"];
  readonly formerKey?: string;
}

/** Joins an entry that was removed and one that was added with the same value: its key changed. */
function withRenames(entries: readonly EntryChange[]): readonly Entry[] {
  const removed = Map.groupBy(
    entries.filter(({ change }) => change === "removed"),
    ({ from }) => JSON.stringify(from?.value),
  );
  const used = new Set<EntryChange>();
  const joined = entries.map((entry): Entry => {
    if (entry.change !== "added") return entry;
    const former = removed.get(JSON.stringify(entry.to?.value))?.find((each) => !used.has(each));
    if (former?.from === undefined) return entry;
    used.add(former);
    return { ...entry, change: "renamed", formerKey: former.key, from: former.from };
  });
  return joined.filter((entry) => !used.has(entry as EntryChange));
}

function changeOf({ key, formerKey, change, from, to }: Entry): Change {
  const [before, after] = [from && textOf(from.value), to && textOf(to.value)];
  const about = { key, formerKey, change };
  if ((before?.length ?? 0) + (after?.length ?? 0) <= LONGEST_WHOLE) {
    return { ...about, from: from && wholeSide(from, before ?? ""), to: to && wholeSide(to, after ?? "") };
  }
  const cut = windowsOf(before ?? "", after ?? "");
  return { ...about, from: from && cutSide(from, before ?? "", cut.from), to: to && cutSide(to, after ?? "", cut.to) };
}

function wholeSide({ value, layer, tokens }: EntryState, text: string): ChangeSide {
  return { layer, tokens, characters: text.length, value };
}

function cutSide(
  { layer, tokens }: EntryState,
  text: string,
  { offset, end }: { readonly offset: number; readonly end: number },
): ChangeSide {
  return { layer, tokens, characters: text.length, text: text.slice(offset, end).toWellFormed(), offset };
}

function bare(side: ChangeSide | undefined): ChangeSide | undefined {
  return side === undefined ? undefined : { layer: side.layer, tokens: side.tokens, characters: side.characters };
}

function sizeOf(side: ChangeSide | undefined): number {
  return side === undefined ? 0 : (side.text?.length ?? side.characters);
}

/** Returns a string unchanged, and any other value as indented JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
