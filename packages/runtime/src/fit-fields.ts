import type { TokenCounter } from "@workrail/core";
import type { Room } from "@workrail/views";

/** Fields left out of a description, largest first. */
export interface OmittedFields {
  readonly count: number;
  readonly entries: readonly { readonly key: string; readonly characters: number }[];
}

export interface FittedFields<T> {
  readonly fields: T;
  /** Absent when nothing was left out. */
  readonly omitted?: OmittedFields;
}

/** Fields that every answer has; all are short. */
const ALWAYS = new Set([
  "id",
  "sessionId",
  "createdAt",
  "lastAccessedAt",
  "contextSizeBytes",
  "contextHash",
  "blobPath",
  "parentId",
  "kind",
  "sequence",
]);
const MOST_NAMED = 10;
const LONGEST_KEY_NAMED = 120;

interface FieldsRoom {
  readonly room: Room;
  /** Fields that are kept whatever the room. */
  readonly always?: ReadonlySet<string>;
  /** Most omitted fields that are named. */
  readonly mostNamed?: number;
}

/**
 * Fits the description of a checkpoint into the room by dropping large fields. Keeps the smallest first, preserves their order, and never
 * cuts a value.
 */
export async function fitFields<T extends object>(
  fields: T,
  { room, always: isAlways = ALWAYS, mostNamed = MOST_NAMED }: FieldsRoom,
  counter: TokenCounter,
): Promise<FittedFields<T>> {
  if (await isWithin(JSON.stringify(fields), room, counter)) return { fields };
  const entries = Object.entries(fields).map(([key, value]) => ({ key, value: value as unknown, text: JSON.stringify({ [key]: value }) }));
  const always = entries.filter(({ key }) => isAlways.has(key));
  const others = entries.filter(({ key }) => !isAlways.has(key)).toSorted((left, right) => left.text.length - right.text.length);
  const frame = JSON.stringify(Object.fromEntries(always.map(({ key, value }) => [key, value])));
  const left = { tokens: room.tokens - (await counter.count(frame)), characters: room.characters - frame.length };
  const kept = new Set(always);
  for (const entry of others) {
    // A text with too many characters need not be tokenized.
    const tokens = entry.text.length > left.characters ? Number.POSITIVE_INFINITY : await counter.count(entry.text);
    if (tokens > left.tokens) continue;
    left.characters -= entry.text.length;
    left.tokens -= tokens;
    kept.add(entry);
  }
  const omitted = others.filter((entry) => !kept.has(entry)).toReversed();
  return {
    fields: Object.fromEntries(entries.filter((entry) => kept.has(entry)).map(({ key, value }) => [key, value])) as T,
    ...(omitted.length === 0 ? {} : { omitted: reportOf(omitted, mostNamed) }),
  };
}

/** Tells whether a text fits. A token is at least one byte, so a short text is not tokenized. */
async function isWithin(text: string, room: Room, counter: TokenCounter): Promise<boolean> {
  if (text.length > room.characters) return false;
  return Buffer.byteLength(text) <= room.tokens || (await counter.count(text)) <= room.tokens;
}

function reportOf(omitted: readonly { readonly key: string; readonly value: unknown }[], mostNamed: number): OmittedFields {
  return {
    count: omitted.length,
    entries: omitted.slice(0, mostNamed).map(({ key, value }) => {
      const name = key.length <= LONGEST_KEY_NAMED ? key : `${key.slice(0, LONGEST_KEY_NAMED).toWellFormed()}...`;
      return { key: name, characters: JSON.stringify(value).length };
    }),
  };
}
