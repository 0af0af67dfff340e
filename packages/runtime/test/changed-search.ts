import type { SearchEngine, Storage } from "@workrail/core";
import { openSqliteFs } from "@workrail/sqlite-fs";

/** Opens the usual storage with some calls of its search index replaced. */
export function withSearch(change: (search: SearchEngine) => Partial<SearchEngine>) {
  return async (settings: { readonly dataDir: string }): Promise<Storage> => {
    const storage = await openSqliteFs(settings);
    if (storage.search === undefined) throw new Error("There is no index.");
    const changes = change(storage.search);
    const search = new Proxy(storage.search, {
      get(target, name) {
        const member: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    return { ...storage, search };
  };
}
