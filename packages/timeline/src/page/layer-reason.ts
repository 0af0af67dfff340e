import type { ContextEntry } from "../data/context.ts";

const SENTENCES: readonly (readonly [RegExp, (why: string) => string])[] = [
  [/^default$/u, () => "by default"],
  [/^(?:key words?|rule) /u, (why) => `because of the ${why}`],
  [/^text /u, (why) => `because its ${why}`],
  [/^holds /u, (why) => `because it ${why}`],
  [/^switch /u, (why) => `because it is a ${why}`],
];

/** The layer of an entry and the reason for it, as a sentence: `USEFUL, because it is long text`. */
export function layerReason({ layer, why, isPinned }: Pick<ContextEntry, "layer" | "why" | "isPinned">): string {
  if (isPinned) return `${layer}, because it is pinned`;
  if (why === undefined) return layer;
  const [, say] = SENTENCES.find(([pattern]) => pattern.test(why)) ?? [];
  return `${layer}, ${say?.(why) ?? `because it is ${why}`}`;
}
