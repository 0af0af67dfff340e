/** True for the URL of a database, false for a directory. */
export function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(place);
}

/** True for the URL of a node. */
export function isNode(place: string): boolean {
  return /^https?:\/\//u.test(place);
}

/** Names the place of a store for people: its directory, or its URL without secrets. */
export function placeOf({ store, dataDir }: { readonly store?: string | undefined; readonly dataDir: string }): string {
  if (store === undefined) return dataDir;
  if (!URL.canParse(store)) return isNode(store) ? "a node" : "a database";
  const { protocol, username, host, pathname } = new URL(store);
  if (isNode(store)) return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}
