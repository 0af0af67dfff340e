import { useState } from "preact/hooks";

const kept = new Map<string, unknown>();

/** State that stays while the page is open, also when its part of the page goes and comes again. */
export function useKept<T>(name: string, first: T): readonly [T, (value: T) => void] {
  const [value, setValue] = useState(() => (kept.has(name) ? (kept.get(name) as T) : first));
  return [
    value,
    (next) => {
      kept.set(name, next);
      setValue(() => next);
    },
  ];
}
