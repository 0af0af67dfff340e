import type { CountTokens } from "@workrail/core";
import { type EntryName, nameOf } from "../view/report.ts";
import { isWithin, measure, type Room, shrink } from "../view/room.ts";

/** Entry that a view does not contain whole. */
export interface Incomplete {
  readonly key: string;
  /** Characters of the saved value as JSON. */
  readonly characters: number;
  /** Characters shown in the view: all of them when it is only written another way; `undefined` when nothing is shown. */
  readonly shown: number | undefined;
}

/** Names of incomplete entries, in the given order, as many as fit. */
export interface MissingNames {
  readonly shortened?: NamedEntries<ShortenedEntry>;
  readonly omitted?: NamedEntries<OmittedEntry>;
}

export interface NamedEntries<T> {
  /** Number of such entries, named or not. */
  readonly count: number;
  readonly entries: readonly T[];
  /** Continues the names; absent when all are listed. */
  readonly nextCursor?: string;
}

export interface OmittedEntry extends EntryName {
  /** Characters of the saved value as JSON. */
  readonly characters: number;
}

export interface ShortenedEntry extends OmittedEntry {
  /** Characters shown: equal to `characters` when nothing is lost and the value is only written another way, such as a table. */
  readonly shown: number;
}

const SHORTEST_NAME = 8;

/** Lists as many names as fit into `names`, and with counts and cursors into `report`; always includes counts and cursors. */
export function nameMissing(
  incomplete: readonly Incomplete[],
  { names, report }: { readonly names: Room; readonly report: Room },
  count: CountTokens,
): MissingNames {
  const rows = fitting(incomplete, names, count);
  for (;;) {
    const missing = told(incomplete, 0, rows);
    if (rows.length === 0 || isWithin(measure(JSON.stringify(missing), count), report)) return missing;
    rows.pop();
  }
}

/** Continues at a cursor with at least one name, so that following the cursors ends. */
export function nameMore(
  incomplete: readonly Incomplete[],
  { start, room }: { readonly start: number; readonly room: Room },
  count: CountTokens,
): MissingNames {
  const rest = incomplete.slice(start);
  const rows = fitting(rest, room, count);
  const [next] = rest;
  return told(incomplete, start, rows.length > 0 || next === undefined ? rows : [rowOf(next, SHORTEST_NAME)]);
}

type Row = { readonly omitted: OmittedEntry } | { readonly shortened: ShortenedEntry };

function rowOf({ key, characters, shown }: Incomplete, longest?: number): Row {
  const omitted = { ...nameOf(key, longest), characters };
  return shown === undefined ? { omitted } : { shortened: { ...omitted, shown } };
}

function fitting(incomplete: readonly Incomplete[], room: Room, count: CountTokens): Row[] {
  const rows: Row[] = [];
  let left = room;
  for (const each of incomplete) {
    const row = rowOf(each);
    const size = measure(`${JSON.stringify(Object.values(row)[0])},`, count);
    if (!isWithin(size, left)) break;
    left = shrink(left, size);
    rows.push(row);
  }
  return rows;
}

function told(incomplete: readonly Incomplete[], start: number, rows: readonly Row[]): MissingNames {
  const next = start + rows.length;
  const later = incomplete.slice(next);
  const omitted = incomplete.filter(({ shown }) => shown === undefined).length;
  const shortened = incomplete.length - omitted;
  const cursor = (isMore: boolean): { nextCursor?: string } => (isMore ? { nextCursor: String(next) } : {});
  return {
    ...(shortened === 0
      ? {}
      : {
          shortened: {
            count: shortened,
            entries: rows.flatMap((row) => ("shortened" in row ? [row.shortened] : [])),
            ...cursor(later.some(({ shown }) => shown !== undefined)),
          },
        }),
    ...(omitted === 0
      ? {}
      : {
          omitted: {
            count: omitted,
            entries: rows.flatMap((row) => ("omitted" in row ? [row.omitted] : [])),
            ...cursor(later.some(({ shown }) => shown === undefined)),
          },
        }),
  };
}
