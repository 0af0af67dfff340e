import type { JsonObject, JsonValue, Layer } from "@workrail/core";
import * as z from "zod";
import type { DataPorts } from "./call.ts";
import { reading } from "./call.ts";
import { textOf } from "./changes.ts";

/** An entry of a context, with the beginning of its value. */
export interface ContextEntry {
  readonly key: string;
  readonly layer: Layer;
  /** The reason for the layer, in words. */
  readonly why?: string | undefined;
  /** Tokens of the value as JSON. */
  readonly tokens: number;
  /** Characters of the value as text. */
  readonly characters: number;
  readonly isPinned: boolean;
  readonly type: "text" | "number" | "boolean" | "null" | "list" | "object";
  /** The beginning of the value as text. */
  readonly text: string;
}

export interface ContextList {
  /** In the order of the context. */
  readonly entries: readonly ContextEntry[];
  /** Tokens of the whole context as JSON. */
  readonly tokens: number;
  /** Fields of the checkpoint that its author added. */
  readonly attributes: readonly { readonly name: string; readonly text: string }[];
}

/** Characters of a value in the list. */
const PREVIEW = 2_000;
const LONGEST_NAME = 100;

/** Lists the entries of a checkpoint by layers. */
export const context = reading(z.object({ checkpointId: z.string() }), async ({ store }, { checkpointId }): Promise<ContextList> => {
  const { context: whole, metadata } = await store.loadCheckpoint({ checkpointId, isPeek: true });
  const { report, tokensBefore } = await store.prioritizeContext({ checkpointId, dryRun: true, full: true, isPeek: true });
  const known = new Map(report.entries.map((entry) => [entry.key, entry]));
  // Very long names are shortened in the report.
  const long = report.entries.filter(({ keyCharacters }) => keyCharacters !== undefined);
  const pins = new Set(metadata.criticalKeys);
  const entries = Object.entries(whole).map(([key, value]): ContextEntry => {
    const isSame = (entry: (typeof long)[number]): boolean =>
      entry.keyCharacters === key.length && entry.key.slice(0, LONGEST_NAME) === key.slice(0, LONGEST_NAME);
    const found = known.get(key) ?? long.find(isSame);
    const text = textOf(value as JsonValue);
    return {
      key,
      layer: found?.layer ?? "USEFUL",
      why: found?.why,
      tokens: found?.tokensBefore ?? 0,
      characters: text.length,
      isPinned: pins.has(key),
      type: typeOf(value),
      text: text.slice(0, PREVIEW).toWellFormed(),
    };
  });
  return { entries, tokens: tokensBefore, attributes: attributesOf(metadata.attributes) };
});

const LONGEST_ATTRIBUTE = 500;

/** Returns attributes as short texts. */
export function attributesOf(attributes: JsonObject = {}): ContextList["attributes"] {
  return Object.entries(attributes).map(([name, value]) => ({
    name,
    text: textOf(value).slice(0, LONGEST_ATTRIBUTE).toWellFormed(),
  }));
}

function typeOf(value: unknown): ContextEntry["type"] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : (typeof value as "number" | "boolean" | "object");
}

/** A page of a long text. */
export interface TextPage {
  readonly text: string;
  readonly offset: number;
  /** Characters of the whole text. */
  readonly characters: number;
}

const LONGEST_PAGE = 50_000;
const PAGE = { offset: z.int().min(0).default(0), limit: z.int().min(1).max(LONGEST_PAGE).default(LONGEST_PAGE) };

/** Returns a page of one value as text. */
export const value = reading(
  z.object({ checkpointId: z.string(), key: z.string(), ...PAGE }),
  async (ports, { checkpointId, key, offset, limit }): Promise<TextPage> => {
    const whole = await peek(ports, checkpointId);
    return pageOf(Object.hasOwn(whole, key) ? textOf(whole[key] as JsonValue) : "", offset, limit);
  },
);

/** Returns a page of the whole context as JSON. */
export const raw = reading(
  z.object({ checkpointId: z.string(), ...PAGE }),
  async (ports, { checkpointId, offset, limit }): Promise<TextPage> =>
    pageOf(JSON.stringify(await peek(ports, checkpointId), undefined, 2), offset, limit),
);

async function peek({ store }: DataPorts, checkpointId: string): Promise<Record<string, unknown>> {
  return (await store.loadCheckpoint({ checkpointId, isPeek: true })).context;
}

function pageOf(text: string, offset: number, limit: number): TextPage {
  return { text: text.slice(offset, offset + limit).toWellFormed(), offset, characters: text.length };
}
