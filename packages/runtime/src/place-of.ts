import type { Settings } from "./settings.ts";

/** True for the URL of a database, false for a directory. */
export function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(place);
}

/** Names the place of a store for people: its directory, or the URL of its database without the password. */
export function placeOf({ store, dataDir }: Pick<Settings, "store" | "dataDir">): string {
  if (store === undefined) return dataDir;
  if (!URL.canParse(store)) return "a database";
  const { protocol, username, host, pathname } = new URL(store);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}
