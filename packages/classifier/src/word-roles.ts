import { type Layer, LAYERS, singularsOf } from "@workrail/core";
import { ASPECTS, CONTAINERS, HEADS } from "./vocabulary.ts";

/** Role of a head noun, given by its table. */
export type Role = { readonly kind: "head" | "container"; readonly layer: Layer } | { readonly kind: "aspect" };

export const EPHEMERAL_HEAD: Role = { kind: "head", layer: "EPHEMERAL" };

export const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...[...ASPECTS].map((word): [string, Role] => [word, { kind: "aspect" }]),
  ...LAYERS.flatMap((layer) => [...CONTAINERS[layer]].map((word): [string, Role] => [word, { kind: "container", layer }])),
  ...LAYERS.flatMap((layer) =>
    [...HEADS[layer]].map((word): [string, Role] => [word, layer === "EPHEMERAL" ? EPHEMERAL_HEAD : { kind: "head", layer }]),
  ),
]);

/** Returns the singular of a word and its role, or `undefined` for an unknown word. */
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

/** Tells whether two words of a key form one compound. */
export function isCompound(joined: string): boolean {
  return singularsOf(joined).some((form) => COMPOUNDS.has(form));
}

const COMPOUNDS: ReadonlySet<string> = new Set([...ROLES.keys()].filter((word) => word.length > 3));
