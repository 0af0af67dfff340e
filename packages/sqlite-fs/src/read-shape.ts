import type { Read } from "@workrail/core";

/** Read whose statement depends on which of its members are set. */
export type BuiltRead = Extract<
  Read,
  { readonly of: "checkpoints" | "places" | "count" | "sessions" | "edges" | "removals" | "erasures" | "audit" }
>;

type Deciding = (typeof DECIDING)[number];

/** Place of a value among the values to bind. */
export type Position = number;

/** A read in which positions stand for the values to bind. The SQL of a statement depends on the shape alone. */
export type Shape<T> = {
  readonly [K in keyof T]: K extends Deciding
    ? T[K]
    : K extends "where" | "query"
      ? Shape<T[K]>
      : (K extends keyof Several ? Several[K] : Positions<Exclude<T[K], undefined>>) | Extract<T[K], undefined>;
};

type Positions<T> = T extends readonly [Date, string] ? readonly [Position, Position] : Position;

/** Members that are bound as several values. */
interface Several {
  /** Each attribute as a JSON object with one member. */
  readonly attributes: readonly Position[];
  readonly tags: readonly Position[];
  /** Each word as it is, and in its JSON form where that differs: attributes are stored as JSON. */
  readonly words: readonly (readonly Position[])[];
}

/** Parses the shape from its key. */
export function parseShape(key: string): Shape<BuiltRead> {
  return JSON.parse(key) as Shape<BuiltRead>;
}

/** Members whose values decide the SQL. All of them have few values. */
export const DECIDING = [
  "of",
  "state",
  "order",
  "kinds",
  "notKinds",
  "damaged",
  "isShielded",
  "headsOnly",
  "has",
  "isDone",
  "isNoBase",
  "actions",
  "first",
] as const;
