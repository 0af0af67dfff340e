import { type Layer, LAYERS } from "../model/layer.ts";
import { singularsOf } from "./key-words.ts";
import { ASPECTS, CONTAINERS, HEADS } from "./vocabulary.ts";

/** What a head noun is, by the table that it stands in. */
export type Role = { readonly kind: "head" | "container"; readonly layer: Layer } | { readonly kind: "aspect" };

export const EPHEMERAL_HEAD: Role = { kind: "head", layer: "EPHEMERAL" };

export const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...[...ASPECTS].map((word): [string, Role] => [word, { kind: "aspect" }]),
  ...LAYERS.flatMap((layer) => [...CONTAINERS[layer]].map((word): [string, Role] => [word, { kind: "container", layer }])),
  ...LAYERS.flatMap((layer) =>
    [...HEADS[layer]].map((word): [string, Role] => [word, layer === "EPHEMERAL" ? EPHEMERAL_HEAD : { kind: "head", layer }]),
  ),
]);

/** The role of a word, and its singular; `undefined` for a word that no table has. */
export function roleOf(word: string): readonly [string, Role] | undefined {
  for (const form of singularsOf(word)) {
    const role = ROLES.get(form);
    if (role !== undefined) return [form, role];
  }
  return undefined;
}

export function isOneOf(set: ReadonlySet<string>, word: string): boolean {
  return singularsOf(word).some((form) => set.has(form));
}

export function isPlural(written: string, singular: string): boolean {
  return written !== singular;
}

/** Whether two words of a key are one that was written as two. */
export function isCompound(joined: string): boolean {
  return singularsOf(joined).some((form) => COMPOUNDS.has(form));
}

const COMPOUNDS: ReadonlySet<string> = new Set([...ROLES.keys()].filter((word) => word.length > 3));
