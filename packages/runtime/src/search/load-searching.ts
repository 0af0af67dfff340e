import type * as Searching from "../on-demand/searching.ts";

let searching: Promise<typeof Searching> | undefined;

/** What reads texts for their words: takes long to load, and a program that neither saves nor searches needs none of it. */
export function loadSearching(): Promise<typeof Searching> {
  // Kept, for an import looks for its module each time.
  searching ??= import("../on-demand/searching.ts");
  return searching;
}
