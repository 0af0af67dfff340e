import type * as Searching from "../on-demand/searching.ts";

let searching: Promise<typeof Searching> | undefined;

/** Loads search and text processing on demand: loading is slow, and a program that neither saves nor searches does not need it. */
export function loadSearching(): Promise<typeof Searching> {
  // Cached, because `import` resolves the module each time.
  searching ??= import("../on-demand/searching.ts");
  return searching;
}
